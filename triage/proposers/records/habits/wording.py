"""Texts made from other fields of the same record: `H-IN-2026-04-03`, `ann.lee@example.com`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from triage.proposers.records.habits.habit import Habit, get, habit
from triage.proposers.records.habits.relation import Relation, Where
from worlds.records import Row

LONGEST = 120
SHORTEST = 2
PROBE = 30
MOST_PARTS = 4
LOOSE = 0.2
"""Namesakes are told apart by numbers and the like."""

Part = tuple[str, str]
"""A field, and how it is written there."""

WAYS: Mapping[str, Callable[[str], str]] = {
    "as is": lambda text: text,
    "small": str.lower,
    "joined": lambda text: re.sub(r"[^a-z0-9]+", "", text.lower()),
    "dotted": lambda text: re.sub(r"[^a-z0-9]+", ".", text.lower()).strip("."),
    "dashed": lambda text: re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-"),
    "underscored": lambda text: re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_"),
    "first word, small": lambda text: (text.lower().split() or [""])[0],
    "last word, small": lambda text: (text.lower().split() or [""])[-1],
    "first letter, small": lambda text: text.lower()[:1],
    "day": lambda text: text[:10],
    "day without dashes": lambda text: text[:10].replace("-", ""),
}

Template = tuple[str | Part, ...]


def wordings(relation: Relation) -> Iterator[Habit]:
    """Of each text, the way in which most are made; the same told for the fields that stand in it as they are."""
    for field in relation.fields_of(str):
        template = _usual(relation, field)
        if template is not None:
            says = f"`{relation.name}.{field}` is made as {_shown(template)}"
            if field != relation.key:
                yield from habit(relation, field, says, _writer(template), 0.9, LOOSE)
            for part in template:
                if not isinstance(part, str) and part[1] == "as is":
                    tells = _reader(template, field, part[0])
                    yield from habit(relation, part[0], says, tells, 0.9)


def _usual(relation: Relation, field: str) -> Template | None:
    """By the first records; None where most are made otherwise, or of nothing."""
    counts: Counter[Template] = Counter()
    for row in list(relation.records.values())[:PROBE]:
        text = get(row, field)
        if isinstance(text, str) and SHORTEST < len(text) <= LONGEST:
            counts[_template(row, field, text, relation.fields)] += 1
    if not counts:
        return None
    template, times = counts.most_common(1)[0]
    made = sum(not isinstance(part, str) for part in template)
    return template if made and times >= 0.6 * counts.total() and times >= 3 else None


def _template(row: Row, field: str, text: str, fields: list[str]) -> Template:
    """The longest pieces first, none of them within another."""
    pieces = sorted(
        (-len(said), name, way, said)
        for name in fields
        if name != field
        for way, said in _said(get(row, name))
    )
    template: Template = (text,)
    for _, name, way, said in pieces:
        if sum(not isinstance(part, str) for part in template) == MOST_PARTS:
            break
        template = _split(template, said, (name, way))
    return template


def _said(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        plain = str(value)
        known: set[str] = set()
        for way, write in WAYS.items() if len(plain) <= LONGEST else ():
            said = write(plain)
            if len(said) >= SHORTEST and said not in known:
                known.add(said)
                yield way, said


def _split(template: Template, said: str, part: Part) -> Template:
    made: list[str | Part] = []
    found = False
    for piece in template:
        if isinstance(piece, str) and not found and said in piece:
            before, _, after = piece.partition(said)
            made += [each for each in (before, part, after) if each]
            found = True
        else:
            made.append(piece)
    return tuple(made)


def _writer(template: Template) -> Callable[[Where, Row], list[Any]]:
    def tells(_: Where, row: Row) -> list[Any]:
        pieces = []
        for part in template:
            if isinstance(part, str):
                pieces.append(part)
                continue
            value = get(row, part[0])
            if value is None:
                return []
            pieces.append(WAYS[part[1]](str(value)))
        return ["".join(pieces)]

    return tells


def _reader(template: Template, field: str, name: str) -> Callable[[Where, Row], list[Any]]:
    """The value of a field that stands in the text as it is."""

    def tells(_: Where, row: Row) -> list[Any]:
        text = get(row, field)
        if not isinstance(text, str) or len(text) > LONGEST:
            return []
        found = re.fullmatch(_pattern(template, row, name), text)
        said = found.group("it") if found else None
        number = isinstance(get(row, name), int) and said is not None and said.isdecimal()
        return [] if said is None else [int(said) if number else said]

    return tells


def _pattern(template: Template, row: Row, name: str) -> str:
    pieces, taken = [], False
    for part in template:
        if isinstance(part, str):
            pieces.append(re.escape(part))
        elif part == (name, "as is") and not taken:
            pieces.append("(?P<it>.+)")
            taken = True
        else:
            pieces.append(re.escape(WAYS[part[1]](str(get(row, part[0])))))
    return "".join(pieces)


def _shown(template: Template) -> str:
    said = "".join(part if isinstance(part, str) else f"{{{part[0]}}}" for part in template)
    return f"`{said}`"
