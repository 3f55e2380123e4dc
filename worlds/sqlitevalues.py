"""Values as SQLite has them and as rows have them, and names as SQL has them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


def quoted(name: str) -> str:
    """A table or column, however it is called."""
    # Not by quotation marks: what is no column is a text to SQLite then.
    return "`" + name.replace("`", "``") + "`"


def compared(names: Iterable[str]) -> str:
    """Columns, to be compared byte for byte."""
    return ", ".join(f"{quoted(name)} COLLATE BINARY" for name in names)


def identical(one: Any, other: Any) -> bool:
    """Whether two values are one, of one type."""
    return type(one) is type(other) and one == other


def types_of(schema: Any) -> set[str]:
    """The types that a JSON Schema allows; none where it does not say."""
    kind = schema.get("type", []) if isinstance(schema, dict) else []
    return {kind} if isinstance(kind, str) else set(kind)


def encoded(value: Any) -> Any:
    """A value of a row as its column holds it."""
    if isinstance(value, bool):
        return int(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


def decoded(value: Any, types: set[str]) -> Any:
    """What a column holds as a value of these types."""
    if isinstance(value, bytes):
        return value.hex()
    if types & {"array", "object"} and isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value  # the schema will say what it thinks of this
    if "boolean" in types and value in (0, 1):
        return bool(value)
    if isinstance(value, int) and "string" in types and not types & {"integer", "number"}:
        return str(value)  # the key of another row, by which the database counts
    return value
