"""What the values of a call stand for in the records: the rows that they name, and what stands in and beside those.

`Near.aimed` points a call at another row of the same table: what came from the first row (an item of the order, a
payment method of its user) is taken from the same place of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from worlds.probing.paths import Path, leaves
from worlds.records import Records, Row
from worlds.relations.subject import replaced


@dataclass(frozen=True)
class Spot:
    """Where a text stands in a row, or in a row that the row refers to."""

    hop: Path | None
    """Where the row refers to the other one; None where the text stands in the row itself."""
    table: str
    """Of the row that has it."""
    path: Path
    is_key: bool
    """Whether it is a key of an object there, and not a value."""


class Near:
    """The surroundings of rows in one state."""

    def __init__(self, records: Records, draw: Random) -> None:
        self.records, self.draw = records, draw
        self.domain = records.base.domain

    def rows_named(self, args: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Table and key of every row whose key stands among the arguments, in their order."""
        texts = dict.fromkeys(value for _, value in leaves(args) if isinstance(value, str))
        return [
            (table, text)
            for text in texts
            for table in self.domain.tables
            if self.row(table, text) is not None
        ]

    def row(self, table: str, key: str) -> Row | None:
        """A row as it stands."""
        return self.records.get(table, key)

    def spots(self, table: str, key: str) -> dict[str, list[Spot]]:
        """Every text in a row and in the rows that it refers to, with where it stands: nearest first."""
        row = self.row(table, key)
        if row is None:
            return {}
        found: dict[str, list[Spot]] = {}
        for path, is_key, text in _texts(row):
            found.setdefault(text, []).append(Spot(None, table, path, is_key))
        for hop, other, owner in self._referred(table, row):
            for path, is_key, text in _texts(owner):
                found.setdefault(text, []).append(Spot(hop, other, path, is_key))
        return found

    def beside(self, table: str, key: str, spot: Spot) -> list[str]:
        """Other texts of the same kind at a spot: other keys of the object, the same of other members of the list;
        of each sort of them one after another, so that the first few are unlike."""
        root = self._root(table, key, spot.hop)
        if spot.is_key:
            holder = _at(root, spot.path[:-1])
            others = [name for name in holder if name != spot.path[-1]]
            return _mixed({name: _sort(holder[name]) for name in others}, self.draw)
        at = next((n for n, step in enumerate(spot.path) if isinstance(step, int)), None)
        if at is None:
            return []
        members = _at(root, spot.path[:at])
        rest = spot.path[at + 1 :]
        found = [_at(member, rest) for n, member in enumerate(members) if n != spot.path[at]]
        return list(dict.fromkeys(text for text in found if isinstance(text, str)))

    def aimed(self, args: Mapping[str, Any], table: str, key: str, other: str) -> dict[str, Any]:
        """The arguments with `key` exchanged for `other`, and what stands near it for what stands there near that."""
        spots = self.spots(table, key)
        swaps = {key: other}
        named = {text for _, text in self.rows_named(args)} - {key}
        for _, text in leaves(args):
            if not isinstance(text, str) or text in swaps or text not in spots:
                continue
            if text in named and all(each.hop is not None for each in spots[text]):
                continue
            counterpart = self._counterpart(table, other, spots[text][0], swaps.values())
            if counterpart is not None:
                swaps[text] = counterpart
        aimed = replaced(dict(args), swaps)
        assert isinstance(aimed, dict)  # noqa: S101  # of an object
        return aimed

    def _counterpart(self, table: str, key: str, spot: Spot, used: Any) -> str | None:
        try:
            root = self._root(table, key, spot.hop)
            if not spot.is_key:
                value = _at(root, spot.path)
                return value if isinstance(value, str) else None
            names = [name for name in _at(root, spot.path[:-1]) if name not in used]
        except (LookupError, TypeError):
            return None
        return self.draw.choice(names) if names else None

    def _root(self, table: str, key: str, hop: Path | None) -> Any:
        row = self.row(table, key)
        if hop is None:
            return row
        target = _at(row, hop)
        for path, to in self._hops(table):
            if _fits(path, hop):
                return self.row(to, target)
        return None

    def _hops(self, table: str) -> Iterator[tuple[str, str]]:
        for reference in self.domain.tables[table].references:
            if reference.to in self.domain.tables:
                yield reference.from_, reference.to

    def _referred(self, table: str, row: Row) -> Iterator[tuple[Path, str, Row]]:
        for path, to in self._hops(table):
            for place, value in _places(row, path):
                owner = self.row(to, value) if isinstance(value, str) else None
                if owner is not None:
                    yield place, to, owner


def _texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, bool, str]]:
    """Path, whether it is a key of an object of objects, and the text; keys come before what they hold."""
    if isinstance(value, str):
        yield path, False, value
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(item, (*path, number))
    elif isinstance(value, Mapping):
        keyed = bool(path) and all(isinstance(item, Mapping) for item in value.values())
        for name in value if keyed else ():
            yield (*path, name), True, name
        for name, item in value.items():
            yield from _texts(item, (*path, name))


def _at(value: Any, path: Sequence[str | int]) -> Any:
    """What stands at a path; beyond a list's end it goes round, and for a key that is not there the first is taken.

    Raises LookupError or TypeError where nothing can."""
    for step in path:
        if isinstance(step, int):
            value = value[step % len(value)] if value else value[step]
        elif step in value or not value:
            value = value[step]
        else:
            value = value[next(iter(value))]
    return value


def _places(value: Any, path: str, at: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Concrete paths of what stands at `a.b[].c`."""
    head, _, rest = path.partition(".")
    name, each = head.removesuffix("[]"), head.endswith("[]")
    if not isinstance(value, Mapping) or name not in value:
        return
    inner = value[name]
    steps: list[tuple[Path, Any]] = [((*at, name), inner)]
    if each:
        members = inner.items() if isinstance(inner, Mapping) else enumerate(inner or ())
        steps = [((*at, name, step), item) for step, item in members]
    for place, item in steps:
        if rest:
            yield from _places(item, rest, place)
        else:
            yield place, item


def _fits(path: str, place: Path) -> bool:
    """Whether a concrete path is one of `a.b[].c`."""
    steps: list[str] = []
    for head in path.split("."):
        steps += [head.removesuffix("[]"), "*"] if head.endswith("[]") else [head]
    return len(steps) == len(place) and all(
        want in ("*", got) for want, got in zip(steps, place, strict=True)
    )


def _sort(value: Any) -> str:
    """What members of an object are alike in: their flags and short words."""
    if not isinstance(value, Mapping):
        return ""
    words = (
        (name, item)
        for name, item in value.items()
        if isinstance(item, (bool, str)) and not any(letter.isdigit() for letter in str(item))
    )
    return repr(sorted(words))


def _mixed(sorts: Mapping[str, str], draw: Random) -> list[str]:
    """The names, of each sort one after another."""
    groups: dict[str, list[str]] = {}
    for name, sort in sorts.items():
        groups.setdefault(sort, []).append(name)
    for members in groups.values():
        draw.shuffle(members)
    longest = max(map(len, groups.values()), default=0)
    return [each[n] for n in range(longest) for each in groups.values() if n < len(each)]
