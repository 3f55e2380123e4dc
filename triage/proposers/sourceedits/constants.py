"""Numbers, texts and flags that are wrong: another value of an enumeration, one off, not what is told in words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from triage.proposers.sourceedits.changed import changed, leaf, short
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.evidence import Told, all_told, numbers_in
from triage.proposers.sourceedits.rowtypes import rowtypes
from triage.proposers.sourceedits.sourcecode import SourceCode

ONE_OFF = 0.1
TOLD_HERE = 0.75
TOLD_ELSEWHERE = 0.45
NEIGHBOUR = 0.85
FLIPPED = 0.16
SPECULATIVE = 0.05


def constants(source: SourceCode) -> Iterator[Edit]:
    """Other numbers and flags."""
    told = _Tellings(source)
    for number in source.suspects(cst.Integer):
        yield from _numbers(source, number, told)
    for decimal in source.suspects(cst.Float):
        yield from _as_told(source, decimal, float(decimal.evaluated_value), told)
    for name in source.suspects(cst.Name):
        if name.value in ("True", "False"):
            yield from _flag(source, name)
    yield from _of_module(source)


class _Tellings:
    """What numbers a source tells in words, read once."""

    def __init__(self, source: SourceCode) -> None:
        self.by_function: dict[str, list[Told]] = {}
        for function, text in all_told(source):
            self.by_function.setdefault(function, []).extend(numbers_in(text))
        self.users = _users(source)

    def beside(self, source: SourceCode, node: cst.CSTNode) -> Iterator[tuple[str, Told]]:
        """What the function says in which a number stands, or those that use its name."""
        function = source.function(node)
        name = _assigned(source, node)
        for each in self.users.get(name, []) if not function else [function]:
            yield from ((each, told) for told in self.by_function.get(each, ()))


def _users(source: SourceCode) -> dict[str, list[str]]:
    """Names in capitals → functions that use them, their callers too."""
    found: dict[str, list[str]] = {}
    texts = {name: source.code(node) for name, node in source.functions.items()}
    for name in dict.fromkeys(re.findall(r"^([A-Z][A-Z0-9_]*)\b", source.text, re.MULTILINE)):
        direct = [f for f, text in texts.items() if re.search(rf"\b{name}\b", text)]
        around = [f for f, text in texts.items() if any(f"{d}(" in text for d in direct)]
        found[name] = list(dict.fromkeys([*direct, *around]))
    return found


def _assigned(source: SourceCode, node: cst.CSTNode) -> str:
    statement = source.statement(node)
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Assign):
        return leaf(source.code(small.targets[0].target))
    if isinstance(small, cst.AnnAssign):
        return leaf(source.code(small.target))
    return ""


def _numbers(source: SourceCode, node: cst.Integer, told: _Tellings) -> Iterator[Edit]:
    value = node.evaluated_value
    seen = set()
    for edit in _as_told(source, node, float(value), told):
        seen.add(edit.source)
        yield edit
    if _is_index(source, node):
        return
    others = [value + 1, value - 1] if value else [1]
    for other in others:
        edit = changed(source, node, str(other), ONE_OFF)
        if other >= 0 and edit.source not in seen:
            yield edit
    for unit in (60, 24, 7, 100, 12):
        if value == unit:
            yield from (
                changed(source, node, str(o), SPECULATIVE)
                for o in (60, 24, 7, 5, 3600, 1000)
                if o != unit
            )


def _is_index(source: SourceCode, node: cst.CSTNode) -> bool:
    around = source.parent(node)
    return isinstance(around, (cst.Index, cst.Slice))


def _as_told(
    source: SourceCode, node: cst.Integer | cst.Float, value: float, told: _Tellings
) -> Iterator[Edit]:
    """Numbers that the text around tells, where the one in the code is not told."""
    beside = list(told.beside(source, node))
    if any(each.number == value for _, each in beside):
        return
    unit, names = _unit(source, node), _assigned(source, node).lower()
    given = set()
    for function, each in beside:
        if each.number == value or each.number in given:
            continue
        fits = bool(each.unit) and (each.unit == unit or each.unit in names)
        if (
            not fits
            and (unit or source.function(node) == "")
            and not _shares_word(names, each.sentence)
        ):
            continue
        given.add(each.number)
        code = f"{each.number:g}" if isinstance(node, cst.Integer) else repr(each.number)
        likelihood = TOLD_HERE if fits else SPECULATIVE * 3
        authority = f"`{function}` says “{short(each.sentence)}”"
        if not isinstance(node, cst.Integer) or each.number == int(each.number):
            yield changed(source, node, code, likelihood, authority)


def _shares_word(names: str, sentence: str) -> bool:
    words = [w for w in names.split("_") if len(w) > 3]
    return any(word[:5] in sentence.lower() for word in words)


def _unit(source: SourceCode, node: cst.CSTNode) -> str:
    around = source.parent(node)
    if isinstance(around, cst.Arg) and around.keyword is not None:
        return around.keyword.value.rstrip("s")
    names = [w.rstrip("s") for w in _assigned(source, node).lower().split("_")]
    return next((n for n in names if n in ("day", "hour", "minute", "week", "percent")), "")


def _flag(source: SourceCode, node: cst.Name) -> Iterator[Edit]:
    around = source.parent(node)
    if isinstance(around, (cst.Param, cst.Annotation)):
        return
    other = "False" if node.value == "True" else "True"
    yield changed(source, node, other, FLIPPED)


def _of_module(source: SourceCode) -> Iterator[Edit]:
    """Constants that a neighbour has by the same name with another value."""
    if "" not in source.focus:
        return
    theirs: dict[str, str] = {}
    for text in source.neighbours:
        for name, code in _assignments(text):
            theirs.setdefault(name, code)
    for statement in source.module.body:
        small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
        if not isinstance(small, cst.Assign) or not isinstance(small.targets[0].target, cst.Name):
            continue
        name, code = small.targets[0].target.value, source.code(small.value)
        other = theirs.get(name)
        if other is not None and not _is_prose(small.value) and other.split() != code.split():
            authority = f"another tool server says `{name} = {short(other)}`"
            yield changed(source, small.value, other, NEIGHBOUR, authority)


def _is_prose(node: cst.BaseExpression) -> bool:
    text = node.evaluated_value if isinstance(node, cst.SimpleString) else ""
    return isinstance(node, cst.ConcatenatedString) or (isinstance(text, str) and " " in text)


def _assignments(text: str) -> Iterator[tuple[str, str]]:
    for node in rowtypes(text).tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            segment = ast.get_source_segment(text, node.value)
            if segment is not None:
                yield node.targets[0].id, segment
