"""Two texts side by side: lines that say the same in one row, and in a changed line the words that changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

AROUND = 3
"""Lines that stay around a change."""
ALIKE = 0.4
"""From which likeness on two lines are one that was changed."""
MOST_PAIRED = 24
"""Lines of a stretch that are looked through for what is like what; longer ones are paired as they stand."""
LONGEST_WORDS = 600
"""Characters of a line whose words are compared."""
MANY = 2000
"""Lines of a text from which on those that stand everywhere in it are no landmarks: comparing them takes too long."""
MOST_ROWS = 800
WORD = re.compile(r"\w+|\s+|[^\w\s]")

Piece = tuple[bool, str]
"""Whether the other side lacks it, and its text."""


@dataclass(frozen=True)
class Side:
    """A line of one text."""

    number: int
    pieces: Sequence[Piece]

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)


@dataclass(frozen=True)
class Row:
    """A line of the one text beside its fellow in the other; where one lacks it, None. `left_out` > 0 = so many rows
    that are the same on both sides stand here, and no line."""

    one: Side | None = None
    other: Side | None = None
    is_same: bool = False
    left_out: int = 0


@dataclass(frozen=True)
class Diff:
    """Rows to be drawn, and how much was changed in all."""

    rows: Sequence[Row]
    removed: int
    added: int
    cut: int = 0
    """Rows of changes that were too many to draw."""


def side_by_side(one: str, other: str, around: int = AROUND) -> Diff:
    """What became of `one` in `other`."""
    before, after = _lines(one), _lines(other)
    rows = list(_rows(before, after))
    removed = sum(row.one is not None for row in rows if not row.is_same)
    added = sum(row.other is not None for row in rows if not row.is_same)
    folded = list(_folded(rows, around))
    drawn = [_marked(row) for row in folded[:MOST_ROWS]]
    return Diff(drawn, removed, added, max(0, len(folded) - MOST_ROWS))


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _rows(before: Sequence[str], after: Sequence[str]) -> Iterator[Row]:
    is_many = max(len(before), len(after)) > MANY
    matcher = SequenceMatcher(None, before, after, autojunk=is_many)
    for tag, start, end, first, last in matcher.get_opcodes():
        lines, others = range(start, end), range(first, last)
        pairs = (
            zip(lines, others, strict=True)
            if tag == "equal"
            else _paired(before, after, lines, others)
        )
        for one, other in pairs:
            left, right = _side(before, one), _side(after, other)
            yield Row(left, right, is_same=tag == "equal")


def _side(lines: Sequence[str], place: int | None) -> Side | None:
    return None if place is None else Side(place + 1, [(False, lines[place])])


def _paired(
    before: Sequence[str], after: Sequence[str], one: range, other: range
) -> Iterator[tuple[int | None, int | None]]:
    """Lines of a changed stretch: the most alike of both sides stand beside each other, none crosses another."""
    if not one or not other or max(len(one), len(other)) > MOST_PAIRED:
        return zip_longest(one, other)
    alike = {(a, b): _likeness(before[a], after[b]) for a in one for b in other}
    return _matched(alike, one, other)


def _matched(
    alike: Mapping[tuple[int, int], float], one: range, other: range
) -> Iterator[tuple[int | None, int | None]]:
    here = [pair for pair in alike if pair[0] in one and pair[1] in other]
    best = max(here, key=lambda pair: (alike[pair], -abs(pair[0] - pair[1])), default=None)
    if best is None or alike[best] < ALIKE:
        yield from zip_longest(one, other)
        return
    left, right = best
    yield from _matched(alike, range(one.start, left), range(other.start, right))
    yield best
    yield from _matched(alike, range(left + 1, one.stop), range(right + 1, other.stop))


def _likeness(one: str, other: str) -> float:
    mine, theirs = one.split(), other.split()
    return SequenceMatcher(None, mine, theirs).ratio() if mine and theirs else 0.0


def _marked(row: Row) -> Row:
    """The row with the words marked that changed."""
    if row.is_same or row.one is None or row.other is None:
        return row
    mine, theirs = _words(row.one.text, row.other.text)
    return Row(Side(row.one.number, mine), Side(row.other.number, theirs))


def _words(one: str, other: str) -> tuple[list[Piece], list[Piece]]:
    if max(len(one), len(other)) > LONGEST_WORDS:
        return [(True, one)], [(True, other)]
    left, right = WORD.findall(one), WORD.findall(other)
    mine: list[Piece] = []
    theirs: list[Piece] = []
    for tag, start, end, first, last in SequenceMatcher(None, left, right).get_opcodes():
        mine.append((tag != "equal", "".join(left[start:end])))
        theirs.append((tag != "equal", "".join(right[first:last])))
    return [piece for piece in mine if piece[1]], [piece for piece in theirs if piece[1]]


def _folded(rows: Sequence[Row], around: int) -> Iterator[Row]:
    near = {
        place + by
        for place, row in enumerate(rows)
        if not row.is_same
        for by in range(-around, around + 1)
    }
    left_out = 0
    for place, row in enumerate(rows):
        if place not in near:
            left_out += 1
            continue
        if left_out:
            yield Row(left_out=left_out)
            left_out = 0
        yield row
    if left_out:
        yield Row(left_out=left_out)
