"""What a tool server says in plain words about what it does: docstrings, messages of refusals, numbers in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from triage.proposers.sourceedits.sourcecode import SourceCode

NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100}
NUMBER = re.compile(
    r"(?<![\w.'\"-])(\d+(?:\.\d+)?|" + "|".join(NUMBERS) + r")[ -]?(%|[a-z]+)?", re.IGNORECASE
)
SENTENCE = re.compile(r"[^.;\n]*[^.;\n\s][^.;\n]*")


class Told(NamedTuple):
    """A number in a sentence."""

    number: float
    unit: str
    """The word after it, in small letters, without the s of a plural."""
    sentence: str


def numbers_in(text: str) -> Iterator[Told]:
    """The numbers that a text tells."""
    for sentence in SENTENCE.findall(text[:20_000]):
        for number, unit in NUMBER.findall(sentence):
            value = NUMBERS.get(number.lower())
            told = float(number) if value is None else float(value)
            yield Told(told, unit.lower().rstrip("s"), " ".join(sentence.split()))


def docstring(source: SourceCode, function: str) -> str:
    """What a function says that it does; empty where it says nothing."""
    node = source.functions.get(function)
    found = node.get_docstring() if node is not None else None
    return found or ""


def first_line(text: str) -> str:
    """The first sentence of a docstring, to be quoted."""
    return " ".join(text.strip().split("\n\n")[0].split())[:160]


def refusal_of(source: SourceCode, node: cst.CSTNode) -> str:
    """The message with which a function refuses where a condition holds that a node is part of; else empty."""
    around = source.parent(node)
    while isinstance(around, (cst.BooleanOperation, cst.UnaryOperation)):
        around = source.parent(around)
    if not isinstance(around, cst.If) or not isinstance(around.body, cst.IndentedBlock):
        return ""
    last = around.body.body[-1]
    raised = last.body[0] if isinstance(last, cst.SimpleStatementLine) else None
    if not isinstance(raised, cst.Raise) or raised.exc is None:
        return ""
    return message(raised.exc)


def message(raised: cst.BaseExpression) -> str:
    """The plain parts of the texts in an exception."""
    found: list[str] = []

    def visit(node: cst.CSTNode) -> None:
        if isinstance(node, cst.SimpleString):
            value = node.evaluated_value
            found.append(value if isinstance(value, str) else "")
        elif isinstance(node, cst.FormattedStringText):
            found.append(node.value)
        else:
            for child in node.children:
                visit(child)

    visit(raised)
    return "".join(found)


def all_told(source: SourceCode) -> Iterator[tuple[str, str]]:
    """Function and text of all docstrings and messages, those of the neighbours too, without names of these."""
    for name in source.functions:
        if said := docstring(source, name):
            yield name, said
    for node in source.all(cst.Raise):
        if node.exc is not None:
            yield source.function(node), message(node.exc)
