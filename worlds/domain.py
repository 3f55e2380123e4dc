"""A domain's contract: what its tables hold, how rows refer to rows, what is always true."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from worlds.body import Body, Kind, Part


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
    invariants: list[Invariant] = []
    volatile: list[str] = []
    """`table/*` (whole table) or `table/*#field`, `*/*#field`: ignored by damage and by digests of state."""
    glossary: dict[str, dict[str, str]] = {}
    """Names that everybody in the field knows, by topic: `{airports: {"New York": JFK}}`."""
