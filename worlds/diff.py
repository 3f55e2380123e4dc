"""How one state differs from another: rows and fields; and the same up to the names of new rows.

A diff is a list of changes sorted by table and key, each plain JSON:
`{table, key, op: insert, row}`, `{table, key, op: delete, row}` (the row that was there), or
`{table, key, op: update, fields: {name: {before?, after?}}}` (a side that is left out is absent, not null).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from worlds.canonical import canonical

if TYPE_CHECKING:  # conditions compare as diffs do, and a domain has conditions
    from worlds.domain import Domain

Row = Mapping[str, Any]
Change = dict[str, Any]
Diff = list[Change]


def row_change(table: str, key: str, before: Row | None, after: Row | None) -> Change | None:
    """The change from one row to another (None = no row); None when they are equal."""
    if before is None and after is None:
        return None
    if before is None:
        return {"table": table, "key": key, "op": "insert", "row": after}
    if after is None:
        return {"table": table, "key": key, "op": "delete", "row": before}
    fields = _fields(before, after)
    return {"table": table, "key": key, "op": "update", "fields": fields} if fields else None


def _fields(before: Row, after: Row) -> dict[str, dict[str, Any]]:
    return {
        name: {
            **({"before": before[name]} if name in before else {}),
            **({"after": after[name]} if name in after else {}),
        }
        for name in sorted({*before, *after})
        if name not in before or name not in after or not same(before[name], after[name])
    }


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: 1 is 1.0, but true is not 1."""
    return one == other and canonical(one) == canonical(other)


def patched(row: Row | None, change: Change) -> dict[str, Any] | None:
    """`row` after `change`."""
    if change["op"] == "insert":
        return dict(change["row"])
    if change["op"] == "delete":
        return None
    after = dict(row or {})
    for name, sides in change["fields"].items():
        if "after" in sides:
            after[name] = sides["after"]
        else:
            after.pop(name, None)
    return after


def without_volatile(diff: Diff, volatile: Iterable[str]) -> Diff:
    """`diff` less what the domain calls volatile (`table/*`, `table/*#field`, `*/*#field`)."""
    tables = {entry.partition("/")[0] for entry in volatile if "#" not in entry}
    fields = {
        (entry.partition("/")[0], entry.partition("#")[2]) for entry in volatile if "#" in entry
    }
    kept = [_less(change, fields) for change in diff if change["table"] not in tables]
    return [change for change in kept if change is not None]


def _less(change: Change, volatile: set[tuple[str, str]]) -> Change | None:
    names = {field for table, field in volatile if table in ("*", change["table"])}
    part = "fields" if change["op"] == "update" else "row"
    if not names.intersection(change[part]):
        return change
    rest = {name: value for name, value in change[part].items() if name not in names}
    return {**change, part: rest} if rest or part == "row" else None


def masked(diff: Diff, domain: Domain | None = None) -> Diff:
    """`diff` with the keys of inserted rows replaced by `+table:n`, numbered by what the rows say.

    Two diffs that differ only in how fresh keys are named have the same masked form, unless rows
    with equal content refer to each other. A text is taken for the key of a fresh row where it equals one: of the
    table that `domain` says the field refers to, or where it says nothing, of any.
    """
    inserts = [change for change in diff if change["op"] == "insert"]
    if not inserts:
        return diff
    alike = _Fresh({_place(change): f"+{change['table']}" for change in inserts}, domain)
    ranked = sorted(
        inserts,
        key=lambda change: (change["table"], canonical(alike.renamed(change)), change["key"]),
    )
    names = {
        _place(change): f"+{change['table']}:{number}" for number, change in enumerate(ranked, 1)
    }
    fresh = _Fresh(names, domain)
    renamed = [fresh.renamed(change) for change in diff]
    return sorted(renamed, key=lambda change: (change["table"], change["key"]))


def _place(change: Change) -> tuple[str, str]:
    return change["table"], change["key"]


class _Fresh:
    """The names of fresh rows, and where they stand in a diff."""

    def __init__(self, names: Mapping[tuple[str, str], str], domain: Domain | None) -> None:
        self.names = names
        self.tables: dict[str, list[str]] = {}
        for table, key in sorted(names):
            self.tables.setdefault(key, []).append(table)
        self.refers: dict[tuple[str, str], str] = {}
        for table, spec in domain.tables.items() if domain else ():
            self.refers.update({(table, each.from_): each.to for each in spec.references})
            self.refers[table, spec.key] = table

    def renamed(self, change: Change) -> Change:
        """The change with every fresh key in its place under its name."""
        table, part = change["table"], "fields" if change["op"] == "update" else "row"
        renamed = {**change, "key": self.names.get(_place(change), change["key"])}
        if part == "fields":
            renamed[part] = {
                field: {side: self._value(value, table, field) for side, value in sides.items()}
                for field, sides in change[part].items()
            }
        else:
            renamed[part] = {
                field: self._value(value, table, field) for field, value in change[part].items()
            }
        return renamed

    def _value(self, value: Any, table: str, path: str) -> Any:
        if isinstance(value, str):
            return self._name(value, table, path)
        if isinstance(value, Mapping):
            return {
                self._name(key, table, path): self._value(item, table, f"{path}.{key}")
                for key, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._value(item, table, f"{path}[]") for item in value]
        return value

    def _name(self, text: str, table: str, path: str) -> str:
        tables = self.tables.get(text)
        if tables is None:
            return text
        target = self.refers.get((table, path))
        if target in tables:
            return self.names[target, text]
        if target is not None:
            return text
        return "|".join(self.names[each, text] for each in tables)
