"""Texts that are no condition: what other languages write, doubled and missing signs, brackets left open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from triage.proposers.conditions.code import ConditionCode
from triage.proposers.conditions.edit import ConditionEdit

STRINGS = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
HABITS: tuple[tuple[str, str, str], ...] = (
    (r"(?<![=!<>])=\s*=+", "==", "Write `==` in one piece"),
    (r"(?<![=!<>])=(?!=)", "==", "Compare by `==`"),
    (r"=>", ">=", "Write `>=`"),
    (r"=<", "<=", "Write `<=`"),
    (r"<>|!\s+=", "!=", "Write `!=`"),
    (r"\band\b|(?<!&)&(?!&)", "&&", "Join by `&&`"),
    (r"\bor\b|(?<!\|)\|(?!\|)", "||", "Join by `||`"),
    (r"\bnot\s+", "!", "Negate by `!`"),
    (r"\bTrue\b", "true", "Write `true`"),
    (r"\bFalse\b", "false", "Write `false`"),
    (r"\b(?:None|nil|undefined|NULL)\b", "null", "Write `null`"),
    (r"\bis\s+null\b", "== null", "Compare with null by `==`"),
    (r"\blen\(", "size(", "Use `size`"),
    (r"\.any\(", ".exists(", "Use `exists`"),
    (r"[“”]", '"', "Write plain quotation marks"),
    (r"[‘’]", "'", "Write plain quotation marks"),
    (r"(?:&&|\|\|)\s*(?=$|\))", "", "Leave out a sign that joins nothing"),
    (r"(?:&&\s*){2,}", "&& ", "Write `&&` once"),
    (r"(?:\|\|\s*){2,}", "|| ", "Write `||` once"),
)
PAIRS: Mapping[str, str] = {"(": ")", "[": "]", "{": "}"}
MOST = 12


def syntax_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """What was meant, where the text has no tree."""
    if code.tree is not None:
        return
    once = [_mended(code.text, *habit) for habit in HABITS]
    found = [edit for edit in once if edit is not None]
    every = code.text
    for pattern, instead, _ in HABITS:
        every = _outside(every, pattern, instead)
    closed = [ConditionEdit(text, "Close every bracket once", 0.6) for text in _closed(every)]
    whole = [ConditionEdit(every, "Write it as conditions are written", 0.6)]
    yield from [edit for edit in (*found, *whole, *closed) if edit.text != code.text][:MOST]


def _mended(text: str, pattern: str, instead: str, says: str) -> ConditionEdit | None:
    made = _outside(text, pattern, instead)
    return ConditionEdit(made, says, 0.8) if made != text else None


def _outside(text: str, pattern: str, instead: str) -> str:
    """Replaced wherever it stands in no literal."""
    pieces = STRINGS.split(text)
    return "".join(
        piece if number % 2 else re.sub(pattern, instead, piece)
        for number, piece in enumerate(pieces)
    )


def _closed(text: str) -> Iterator[str]:
    plain = STRINGS.sub(lambda match: "_" * len(match.group()), text)
    stack: list[str] = []
    for place, sign in enumerate(plain):
        if sign in PAIRS:
            stack.append(PAIRS[sign])
        elif sign in PAIRS.values() and (not stack or stack.pop() != sign):
            yield text[:place] + text[place + 1 :]
            return
    if stack:
        yield text + "".join(reversed(stack))
