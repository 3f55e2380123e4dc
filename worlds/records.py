"""Records come to life: a base loaded once, and a copy-on-write overlay for each episode.

A reset, a snapshot and a restore cost what the episode changed, not what the records hold. Rows are
never mutated in place: whoever wants another row puts a new one.
"""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from worlds.bundle import Bundle
from worlds.canonical import canonical, digest
from worlds.diff import Diff, patched, row_change, without_volatile
from worlds.domain import Domain
from worlds.recordset import Recordset

Row = dict[str, Any]
Place = tuple[str, str]
"""Table and key of a row."""


class RecordsInvalid(ValueError):
    """Rows cannot be keyed: a table unknown to the domain, a row without its key, or one key twice."""


class UnknownTable(LookupError):
    """A table is named that the domain does not have."""


def values_at(value: Any, path: str) -> Iterator[Any]:
    """What stands at `path` inside `value`: `a.b` steps in, `a[]` goes through a list or an object's values."""
    head, _, rest = path.partition(".")
    name, each = head.removesuffix("[]"), head.endswith("[]")
    if not isinstance(value, Mapping) or name not in value:
        return
    found = value[name]
    inner = (found.values() if isinstance(found, Mapping) else found) if each else [found]
    if isinstance(inner, str) or not isinstance(inner, Iterable):
        return
    for item in inner:
        if rest:
            yield from values_at(item, rest)
        else:
            yield item


INDEXES_KEPT = 64
"""Of one base: tool code may ask for rows by any path that it makes up."""


class Base:
    """The rows of a records set by table and key, with indexes made when first asked for. Shared; never written."""

    def __init__(self, domain: Domain, recordset: Recordset) -> None:
        self.domain = domain
        self.clock = recordset.clock
        self.tables: dict[str, dict[str, Row]] = {name: {} for name in domain.tables}
        for name, rows in recordset.tables.items():
            self.tables[name] = dict(sorted(_keyed(domain, name, rows).items()))
        self.digest = digest([domain.digest, recordset.digest])
        self._indexes: OrderedDict[tuple[str, str], dict[str, list[str]]] = OrderedDict()

    def index(self, table: str, path: str) -> dict[str, list[str]]:
        """Canonical value at `path` → keys of the rows that have it, in key order."""
        known = self._indexes.pop((table, path), None)
        if known is None:
            found = defaultdict(list)
            for key, row in self.tables[table].items():
                for value in {canonical(value) for value in values_at(row, path)}:
                    found[value].append(key)
            known = dict(found)
        self._indexes[(table, path)] = known
        if len(self._indexes) > INDEXES_KEPT:
            self._indexes.popitem(last=False)
        return known


def _keyed(domain: Domain, table: str, rows: list[Row]) -> dict[str, Row]:
    """Rows by key, spelled as their digest is: whoever loads the same records gets the same bytes."""
    if table not in domain.tables:
        raise RecordsInvalid(
            f"table {table!r} is not in the domain, which has {sorted(domain.tables)}"
        )
    field = domain.tables[table].key
    keyed: dict[str, Row] = {}
    for number, row in enumerate(rows):
        key = row.get(field)
        if not isinstance(key, str) or not key:
            raise RecordsInvalid(
                f"row {number} of {table} has no text in its key field {field!r} but {key!r}; keys are texts, "
                "also where a database counts them"
            )
        if key in keyed:
            raise RecordsInvalid(f"two rows of {table} have the key {key!r}")
        keyed[key] = json.loads(canonical(row))
    return keyed


_BASES: OrderedDict[tuple[str, str], Base] = OrderedDict()
BASES_KEPT = 16


def base_of(bundle: Bundle) -> Base:
    """The base of a bundle's records, loaded once per process and pair of digests."""
    key = (bundle.manifest.domain.body, bundle.manifest.records.body)
    base = _BASES.pop(key, None) or Base(bundle.domain, bundle.records)
    _BASES[key] = base
    if len(_BASES) > BASES_KEPT:
        _BASES.popitem(last=False)
    return base


Snapshot = dict[Place, Row | None]


class Records:
    """The state of one episode: a base seen through an overlay of the rows that changed (None = deleted)."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self._overlay: dict[Place, Row | None] = {}
        self.touched: set[Place] = set()
        self.looked = 0
        """Rows that were compared by `find` and `count`, whether they matched or not."""

    def fork(self) -> Records:
        """The same state, to be changed apart."""
        other = Records(self.base)
        other._overlay = dict(self._overlay)  # of the same class
        other.touched, other.looked = set(self.touched), self.looked
        return other

    def get(self, table: str, key: str) -> Row | None:
        """The row, or None. The caller must not change it."""
        rows = self._rows(table)
        place = (table, key)
        row = self._overlay[place] if place in self._overlay else rows.get(key)
        if row is not None:
            self.touched.add(place)
        return row

    def start(self, table: str, key: str) -> Row | None:
        """The row as the episode found it."""
        return self._rows(table).get(key)

    def put(self, table: str, key: str, row: Row) -> None:
        """Write a whole row, new or not; its key field must say `key`."""
        field = self.base.domain.tables[self._known(table)].key
        if row.get(field) != key:
            raise ValueError(
                f"the row put at {table}/{key} says {row.get(field)!r} in its key field {field!r}"
            )
        self._write((table, key), row)

    def delete(self, table: str, key: str) -> None:
        """Remove a row; nothing happens when there is none."""
        self._rows(table)
        self._write((table, key), None)

    def _write(self, place: Place, row: Row | None) -> None:
        table, key = place
        self.touched.add(place)
        before = self.base.tables[table].get(key)
        if row_change(table, key, before, row) is None:
            self._overlay.pop(place, None)
        else:
            self._overlay[place] = row

    def keys(self, table: str) -> list[str]:
        """The keys of a table in order."""
        rows = self._rows(table)
        changed = {key: row for (name, key), row in self._overlay.items() if name == table}
        if not changed:
            return list(rows)
        return sorted({*rows, *changed} - {key for key, row in changed.items() if row is None})

    def find(self, table: str, match: Mapping[str, Any], *, at_start: bool = False) -> list[Row]:
        """The rows that have each value of `match` at its path (see `values_at`), in key order."""
        rows = self._rows(table)
        overlay = {} if at_start else self._overlay
        found = []
        candidates = self._candidates(table, match, overlay)
        self.looked += len(candidates)
        for key in candidates:
            row = overlay[(table, key)] if (table, key) in overlay else rows[key]
            if row is not None and matches(row, match):
                self.touched.add((table, key))
                found.append(row)
        return found

    def _candidates(
        self, table: str, match: Mapping[str, Any], overlay: Mapping[Place, Row | None]
    ) -> list[str]:
        field = self.base.domain.tables[table].key
        changed = {key for (name, key) in overlay if name == table}
        if not match:
            return sorted({*self.base.tables[table], *changed})
        if isinstance(match.get(field), str):
            key = match[field]
            return [key] if key in self.base.tables[table] or key in changed else []
        found = min(
            (
                self.base.index(table, path).get(canonical(value), ())
                for path, value in match.items()
            ),
            key=len,
        )
        return sorted({*found, *changed}) if changed else list(found)

    def count(self, table: str, match: Mapping[str, Any]) -> int:
        """How many rows match."""
        return len(self.find(table, match)) if match else len(self.keys(table))

    def snapshot(self) -> Snapshot:
        """The state as something that `restore` takes."""
        return dict(self._overlay)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to (or on to) a snapshot of the same base."""
        self._overlay = dict(snapshot)

    def become(self, rows: Snapshot) -> None:
        """Take over what somebody else made of the base: `rows` differ from it, and no others."""
        places = [place for place in self._overlay if place not in rows]
        for table, key in places:
            self._write((table, key), self.base.tables[table].get(key))
        for place, row in rows.items():
            if place not in self._overlay or self._overlay[place] != row:
                self._write(place, row)

    def diff(self) -> Diff:
        """What differs from the start."""
        return self.diff_since({})

    def diff_since(self, earlier: Snapshot) -> Diff:
        """What differs from an earlier snapshot."""
        changes = []
        for table, key in sorted({*earlier, *self._overlay}):
            rows = self.base.tables[table]
            before = earlier[(table, key)] if (table, key) in earlier else rows.get(key)
            place = (table, key)
            after = self._overlay[place] if place in self._overlay else rows.get(key)
            change = row_change(table, key, before, after)
            if change is not None:
                changes.append(change)
        return changes

    def apply(self, diff: Diff) -> None:
        """Make the changes of a diff."""
        for change in diff:
            place = (change["table"], change["key"])
            self._write(place, patched(self.get(*place), change))

    def digest(self) -> str:
        """The base's identity with the rows that differ, volatile parts left out."""
        diff = without_volatile(self.diff(), self.base.domain.volatile)
        return digest([self.base.digest, diff])

    def _rows(self, table: str) -> dict[str, Row]:
        return self.base.tables[self._known(table)]

    def _known(self, table: str) -> str:
        if table not in self.base.tables:
            raise UnknownTable(
                f"there is no table {table!r}; the domain has {sorted(self.base.tables)}"
            )
        return table


def matches(row: Mapping[str, Any], match: Mapping[str, Any]) -> bool:
    """Whether `row` has each value of `match` at its path."""
    return all(
        any(_equal(found, value) for found in values_at(row, path)) for path, value in match.items()
    )


def _equal(one: Any, other: Any) -> bool:
    """`canonical(one) == canonical(other)`, at once where both are plain text."""
    if isinstance(one, str) and isinstance(other, str) and one.isascii() and other.isascii():
        return one == other
    return canonical(one) == canonical(other)
