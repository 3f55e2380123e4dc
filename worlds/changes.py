"""What a goal allows to change: `table/key`, `table/key#field,field`, `table/*`, `table/+n`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from worlds.body import Part
from worlds.diff import Change, Diff
from worlds.template import render

FIELDS = re.compile(r"[A-Za-z_]\w*(,[A-Za-z_]\w*)*")


class ChangesInvalid(ValueError):
    """An entry of `changes` is not of one of the four forms."""


class Allowance(Part):
    """One entry of `changes`, taken apart before its templates are filled in (a key may hold `#`)."""

    table: str
    key: str | None
    """A template; `*` is any row that was there; None = new rows."""
    fields: tuple[str, ...] = ()
    """The fields of the row that may change; none = all, and the row may be deleted."""
    new: int = 0

    @classmethod
    def of(cls, entry: str) -> Allowance:
        """The allowance that an entry says; raises ChangesInvalid."""
        table, slash, rest = entry.partition("/")
        if not slash or not table or not rest:
            raise ChangesInvalid(
                f"{entry!r} is not table/key, table/key#field, table/* or table/+n"
            )
        if rest.startswith("+"):
            if not rest[1:].isdigit():
                raise ChangesInvalid(f"{entry!r} should say how many new rows: table/+1")
            return cls(table=table, key=None, new=int(rest[1:]))
        key, _, fields = rest.rpartition("#")
        if key and FIELDS.fullmatch(fields):
            return cls(table=table, key=key, fields=tuple(fields.split(",")))
        return cls(table=table, key=rest)

    def allows(self, change: Change, names: Mapping[str, Any]) -> bool:
        """Whether a change of a row that was there is within this entry."""
        if self.key is None or change["op"] == "insert" or change["table"] != self.table:
            return False
        if self.key != "*" and render(self.key, names) != change["key"]:
            return False
        return not self.fields or (
            change["op"] == "update" and set(change["fields"]) <= set(self.fields)
        )


def beyond(diff: Diff, allowances: list[Allowance], names: Mapping[str, Any]) -> list[str]:
    """The changes that no allowance covers, as `table/key#field` or `table/key (new)`."""
    left = Counter({entry.table: 0 for entry in allowances})
    for entry in allowances:
        left[entry.table] += entry.new
    over = []
    for change in diff:
        if change["op"] == "insert":
            left[change["table"]] -= 1
            if left[change["table"]] < 0:
                over.append(f"{change['table']}/{change['key']} (new)")
        elif not any(entry.allows(change, names) for entry in allowances):
            over.extend(_not_allowed(change, allowances, names))
    return over


def _not_allowed(
    change: Change, allowances: list[Allowance], names: Mapping[str, Any]
) -> list[str]:
    place = f"{change['table']}/{change['key']}"
    if change["op"] == "delete":
        return [f"{place} (deleted)"]
    single = (
        (name, {**change, "fields": {name: sides}}) for name, sides in change["fields"].items()
    )
    return [
        f"{place}#{name}"
        for name, part in single
        if not any(entry.allows(part, names) for entry in allowances)
    ]
