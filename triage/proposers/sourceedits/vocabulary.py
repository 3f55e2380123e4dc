"""What a contract calls things: tables, fields, values, and which of these a wrong name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from worlds.domain import Domain

ALIKE = 0.6
"""From which two names may be one misspelt."""


class Vocabulary:
    """Of a domain's tables."""

    def __init__(self, domain: Domain) -> None:
        self.tables = domain.tables
        self.fields: dict[str, Mapping[str, Any]] = {
            name: {table.key: {}, **_properties(table.schema_)}
            for name, table in domain.tables.items()
        }
        self.keys = {name: table.key for name, table in domain.tables.items()}
        self.references = {
            (name, each.from_): each.to.split("[")[0]
            for name, table in domain.tables.items()
            for each in table.references
        }
        self._schemas: dict[str, list[Mapping[str, Any]]] = {}
        for table in domain.tables.values():
            for field, schema in _nested(table.schema_):
                self._schemas.setdefault(field, []).append(schema)
        self.nested = frozenset(self._schemas)
        """All names of fields, those inside of rows too."""

    def values(self, field: str, tables: Iterable[str] = ()) -> tuple[str, ...]:
        """The texts that a field may hold, where a schema lists them."""
        own = [self.fields[t][field] for t in tables if field in self.fields.get(t, {})]
        return tuple(
            dict.fromkeys(
                v for schema in own or self._schemas.get(field, []) for v in _enum(schema)
            )
        )

    def is_nullable(self, field: str, tables: Iterable[str]) -> bool:
        """Whether a field of any of the tables may be null."""
        return any(_is_nullable(self.fields.get(t, {}).get(field, {})) for t in tables)

    def alike(self, field: str, table: str) -> list[str]:
        """Other fields of a table that hold the same sort of value."""
        fields = self.fields.get(table, {})
        wanted = self._sort(table, field)
        return [each for each in fields if each != field and self._sort(table, each) == wanted]

    def _sort(self, table: str, field: str) -> object:
        schema = self.fields[table].get(field, {})
        given = schema.get("type")
        kinds = {given} if isinstance(given, str) else set(given or ())
        shape = schema.get("pattern"), schema.get("format"), bool(_enum(schema))
        is_key = field == self.keys.get(table)
        refers = (table, field) in self.references or is_key
        return frozenset(kinds - {"null"}) or None, shape, refers or field.endswith("_id")


def closest(word: str, words: Iterable[str], most: int = 3) -> list[tuple[str, float]]:
    """The words that a wrong one may have been meant to be, the most alike first, with how alike in [0, 1]."""
    scored = [(each, likeness(word, each)) for each in dict.fromkeys(words) if each != word]
    scored = [(each, score) for each, score in scored if score >= ALIKE]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:most]


def likeness(one: str, other: str) -> float:
    """How alike two names are, in [0, 1]; spelling of blanks and case does not matter."""
    one, other = ("".join(c for c in name.lower() if c.isalnum())[:64] for name in (one, other))
    if not one or not other:
        return 0.0
    if one == other:
        return 1.0
    ratio = SequenceMatcher(None, one, other).ratio()
    inside = min(len(one), len(other)) > 1 and (one.endswith(other) or other.endswith(one))
    inside = inside or (min(len(one), len(other)) > 2 and (one in other or other in one))
    return max(ratio, 0.75 if inside else 0.0)


def _properties(schema: Any) -> Mapping[str, Any]:
    found = schema.get("properties") if isinstance(schema, Mapping) else None
    return (
        {k: v for k, v in found.items() if isinstance(v, Mapping)}
        if isinstance(found, Mapping)
        else {}
    )


def _nested(schema: Any, depth: int = 6) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not depth or not isinstance(schema, Mapping):
        return
    for field, inner in _properties(schema).items():
        yield field, inner
        yield from _nested(inner, depth - 1)
    for more in ("items", "additionalProperties"):
        yield from _nested(schema.get(more), depth - 1)


def _enum(schema: Mapping[str, Any]) -> list[str]:
    found = schema.get(
        "enum",
        schema.get("items", {}).get("enum") if isinstance(schema.get("items"), Mapping) else None,
    )
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _is_nullable(schema: Mapping[str, Any]) -> bool:
    given = schema.get("type")
    named = isinstance(given, list) and "null" in given
    enum = schema.get("enum")
    return named or (isinstance(enum, list) and None in enum)
