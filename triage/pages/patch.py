"""A unified diff, ready to be drawn as two texts side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from triage.pages.sidebyside import Diff, Row, Side, side_by_side

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
SIDES = {" ": (True, True), "-": (True, False), "+": (False, True), "": (True, True)}
"""How a line begins → whether it stands before, and after. What is empty lost its blank on the way."""
SAID = (" (as it is)", " (proposed)")
"""What `triage.alternatives` says of the two sides, after a file's name."""


@dataclass(frozen=True)
class Patch:
    """What a diff says of each file, and what of it nobody understands."""

    files: list[tuple[str, Diff]]
    rest: str = ""


@dataclass
class _Hunk:
    first: int
    other: int
    wanted: list[int]
    """Lines that are to come, before and after."""
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def takes(self, line: str) -> bool:
        """Add a line if it belongs here."""
        sides = SIDES.get(line[:1])
        if sides is None or any(
            is_in and not left for is_in, left in zip(sides, self.wanted, strict=True)
        ):
            return False
        for place, (is_in, lines) in enumerate(zip(sides, (self.before, self.after), strict=True)):
            if is_in:
                lines.append(line[1:])
                self.wanted[place] -= 1
        return True

    def rows(self) -> Iterator[Row]:
        for row in side_by_side(
            _text(self.before), _text(self.after), around=len(self.before) + 1
        ).rows:
            yield replace(row, one=_moved(row.one, self.first), other=_moved(row.other, self.other))


def patch_of(text: str) -> Patch:
    """What a unified diff says; one that was cut is drawn as far as it goes."""
    files: list[tuple[str, list[_Hunk]]] = []
    rest: list[str] = []
    for line in text.split("\n"):
        hunks = files[-1][1] if files else []
        if hunks and any(hunks[-1].wanted) and hunks[-1].takes(line):
            continue
        if line.startswith("--- "):
            files.append((_name(line), []))
        elif line.startswith("+++ ") and files:
            files[-1] = (_name(line) or files[-1][0], files[-1][1])
        elif (found := HUNK.match(line)) and files:
            first, many, other, more = (int(part or 1) for part in found.groups())
            hunks.append(_Hunk(first + (not many), other + (not more), [many, more]))
        elif not line.startswith("\\"):
            rest.append(line)
    return Patch([(name, _diff(hunks)) for name, hunks in files if hunks], "\n".join(rest).strip())


def _diff(hunks: list[_Hunk]) -> Diff:
    rows = list(_with_gaps(hunks))
    changed = [row for row in rows if not row.is_same and not row.left_out]
    return Diff(
        rows,
        sum(row.one is not None for row in changed),
        sum(row.other is not None for row in changed),
    )


def _with_gaps(hunks: list[_Hunk]) -> Iterator[Row]:
    reached = 1
    for hunk in hunks:
        if hunk.first > reached:
            yield Row(left_out=hunk.first - reached)
        yield from hunk.rows()
        reached = hunk.first + len(hunk.before)


def _moved(side: Side | None, first: int) -> Side | None:
    return None if side is None else Side(side.number + first - 1, side.pieces)


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n" if lines else ""


def _name(line: str) -> str:
    path = line[4:].partition("\t")[0].strip()
    for side in SAID:
        path = path.removesuffix(side)
    return path
