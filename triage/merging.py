"""Three texts made one, line by line, where nobody can doubt how."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True, order=True)
class _Hunk:
    """Lines `start` to `end` of the base that were replaced."""

    start: int
    end: int
    lines: tuple[str, ...]

    def meets(self, other: _Hunk) -> bool:
        """Whether they overlap or touch, so that one may have been written with a view to the other."""
        return self.start <= other.end and other.start <= self.end


def merged(base: str, ours: str, theirs: str) -> str | None:
    """`base` with what both changed; None where changes of the two meet and differ."""
    lines = base.splitlines(keepends=True)
    mine, others = _hunks(lines, ours), _hunks(lines, theirs)
    if any(one != other and one.meets(other) for one in mine for other in others):
        return None
    made: list[str] = []
    done = 0
    for hunk in sorted({*mine, *others}):
        made += [*lines[done : hunk.start], *hunk.lines]
        done = hunk.end
    return "".join([*made, *lines[done:]])


def _hunks(base: list[str], changed: str) -> list[_Hunk]:
    lines = changed.splitlines(keepends=True)
    matcher = SequenceMatcher(None, base, lines, autojunk=False)
    return [
        _Hunk(start, end, tuple(lines[first:last]))
        for tag, start, end, first, last in matcher.get_opcodes()
        if tag != "equal"
    ]
