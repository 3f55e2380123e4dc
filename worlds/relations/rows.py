"""Rows beside those of an episode: which of a table are most like one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from worlds.contract import row_shape
from worlds.diff import Change, Diff, patched
from worlds.records import Row
from worlds.relations.likeness import fields_of
from worlds.relations.othervalue import other_values
from worlds.relations.subject import Subject


def siblings(subject: Subject, table: str, key: str, but: Iterable[str] = ()) -> list[str]:
    """The keys of a table's other rows that the reference left alone, those most like `key` first."""
    rows = subject.world.base.tables[table]
    wanted = rows.get(key, {})
    left_out = {key, *but, *(k for name, k in subject.changed if name == table)}

    def rank(other: str) -> tuple[int, str]:
        row = rows[other]
        alike = sum(row.get(name) == value for name, value in wanted.items())
        return -alike, hashlib.sha256(f"{table}/{other}".encode()).hexdigest()

    return sorted((other for other in rows if other not in left_out), key=rank)


def edited(subject: Subject, table: str, key: str, but: Iterable[str] = ()) -> Diff | None:
    """A change of one field of a row as it is in the end, to another value that its schema allows."""
    spec = subject.world.bundle.domain.tables[table]
    row = final(subject, table, key)
    if row is None:
        return None
    properties = fields_of(row_shape(subject.world.bundle.domain, table))
    for name in sorted(row):
        if name == spec.key or name in but or is_volatile(subject, table, name):
            continue
        for value in other_values(properties.get(name, {}), row[name]):
            return [update(table, key, {name: (row[name], value)})]
    return None


def final(subject: Subject, table: str, key: str) -> Row | None:
    """A row as the reference left it."""
    row = subject.row(table, key)
    change = subject.changed.get((table, key))
    return patched(row, change) if change else row


def update(table: str, key: str, fields: dict[str, tuple[object, object]]) -> Change:
    """An update of a diff: field → before and after."""
    sides = {name: {"before": one, "after": other} for name, (one, other) in fields.items()}
    return {"table": table, "key": key, "op": "update", "fields": sides}


def is_volatile(subject: Subject, table: str, name: str) -> bool:
    """Whether changes of this field do not count."""
    entries = {entry.partition("#")[::2] for entry in subject.volatile}
    tables = (f"{table}/*", "*/*")
    return any((place, field) in entries for place in tables for field in ("", name))
