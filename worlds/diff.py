"""How one state differs from another: rows and fields; and the same up to the names of new rows.

A diff is a list of changes sorted by table and key, each plain JSON:
`{table, key, op: insert, row}`, `{table, key, op: delete, row}` (the row that was there), or
`{table, key, op: update, fields: {name: {before?, after?}}}` (a side that is left out is absent, not null).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from worlds.canonical import canonical

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


def masked(diff: Diff) -> Diff:
    """`diff` with the keys of inserted rows replaced by `+table:n`, numbered by what the rows say.

    Two diffs that differ only in how fresh keys are named have the same masked form, unless rows
    with equal content refer to each other.
    """
    fresh = {change["key"]: f"+{change['table']}" for change in diff if change["op"] == "insert"}
    if not fresh:
        return diff
    ranked = sorted(
        (change for change in diff if change["op"] == "insert"),
        key=lambda change: (change["table"], canonical(_renamed(change, fresh)), change["key"]),
    )
    names: dict[str, str] = {}
    for number, change in enumerate(ranked, 1):
        names[change["key"]] = f"+{change['table']}:{number}"
    renamed = [_renamed(change, names) for change in diff]
    return sorted(renamed, key=lambda change: (change["table"], change["key"]))


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, Mapping):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_renamed(item, names) for item in value]
    return value
