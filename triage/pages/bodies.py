"""The bodies of components as plain JSON, parsed once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from components.models import Body

Row = dict[str, Any]


@lru_cache(maxsize=16)
def content(digest: str) -> Any:
    """The body named by `digest`; shared, so never to be changed by the caller."""
    return Body.objects.get(pk=digest).content


def readable(digest: str) -> Any:
    """The content in the order in which people write it: the canonical form sorts its keys."""
    stored = Body.objects.get(pk=digest)
    try:
        return stored.parsed().content()
    except ValidationError:
        return stored.content


def rows_of(contract: Any, records: Any, binding: Mapping[str, str], slots: Any) -> dict[str, Row]:
    """Slot → the row that a pin binds to it, of those that are there."""
    found = {}
    for slot, key in binding.items():
        table = slots.get(slot, {}).get("table", "")
        if (bound := row(contract, records, table, key)) is not None:
            found[slot] = bound
    return found


def row(contract: Any, records: Any, table: str, key: str) -> Row | None:
    """The row of a table by its key; None where there is none."""
    field = contract.get("tables", {}).get(table, {}).get("key")
    rows: list[Row] = records.get("tables", {}).get(table, [])
    return next((one for one in rows if one.get(field) == key), None)
