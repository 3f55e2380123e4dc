"""A domain's contract: what its tables hold, how rows refer to rows, what is always true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from pydantic import Field

from worlds.body import Body, Kind, Part
from worlds.definitions import Define, Definitions


class Reference(Part):
    """Values found at `from` in a row name rows of `to` (a table, or `table[field].map` for a map inside a row)."""

    from_: str = Field(alias="from")
    to: str


class Table(Part):
    """A table: the field that keys its rows, their JSON Schema, and what they refer to."""

    key: str
    schema_: dict[str, Any] = Field(alias="schema", default_factory=dict)
    references: list[Reference] = []


class Invariant(Part):
    """A condition on `row` that holds for every row of `table`, at rest and after each write."""

    id: str
    text: str
    table: str
    require: str


class Domain(Body):
    """The contract that the components of a domain share."""

    kind: ClassVar[Kind] = "domain"

    tables: dict[str, Table]
    define: Define = {}
    """For all conditions of the domain: its invariants, and those of its intents and rules."""
    invariants: list[Invariant] = []
    volatile: list[str] = []
    """`table/*` (whole table) or `table/*#field`, `*/*#field`: ignored by damage and by digests of state."""
    glossary: dict[str, dict[str, str]] = {}
    """Names that everybody in the field knows, by topic: `{airports: {"New York": JFK}}`."""

    @cached_property
    def definitions(self) -> Definitions:
        """What conditions may use, where no intent or rule defines more."""
        taken = {field: f"a field of {table}" for table, field in self._fields()}
        return Definitions(self.define, "domain", taken=taken)

    def _fields(self) -> Iterator[tuple[str, str]]:
        for name, table in self.tables.items():
            properties = table.schema_.get("properties")
            fields = properties if isinstance(properties, Mapping) else ()
            yield from ((name, field) for field in {table.key, *fields})
