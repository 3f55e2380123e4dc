"""What operators ask of the clauses of rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Document, Original, Place, Site, edited
from benchmarks.operators.heldout.conditions import Field
from benchmarks.operators.heldout.rows import properties


@dataclass(frozen=True)
class Clause:
    """A clause of a rule."""

    rule: str
    index: int
    document: Document
    """The whole rule."""

    @property
    def body(self) -> Document:
        return dict(self.document["clauses"][self.index])

    @property
    def name(self) -> str:
        return f"clauses.{self.body['id']}"

    def site(self, what: str, key: str, value: Any) -> Site:
        """The clause with another value under a key."""
        changed = partial(edited, self.document, ("clauses", self.index, key), value)
        return Site(self.rule, f"{self.name}.{key}: {what}", changed)

    def condition(self, key: str) -> str:
        """`when` or `require`, or nothing."""
        return str(self.body.get(key, ""))

    @property
    def tables(self) -> list[str]:
        """The tables whose writes it is asked at, as far as the conditions say."""
        said = f"{self.condition('when')} {self.condition('require')}"
        return re.findall(r"\btable == '(\w+)'", _written_out(said, self.document))


def _written_out(text: str, document: Document) -> str:
    definitions: Mapping[str, str] = document.get("define", {})
    for _ in range(3):
        for name, meaning in definitions.items():
            text = f"({meaning})".join(re.split(rf"\b{name}\b", text))
    return text


def clauses(original: Original) -> Iterator[Clause]:
    """All clauses of all rules."""
    for rule, document in original.rules.items():
        for index in range(len(document.get("clauses", []))):
            yield Clause(rule, index, document)


def conditions(original: Original) -> Iterator[tuple[str, Document, Place, str]]:
    """All conditions of all rules: rule, document, place, text."""
    for rule, document in original.rules.items():
        for name, text in document.get("define", {}).items():
            yield rule, document, ("define", name), text
        for index, clause in enumerate(document.get("clauses", [])):
            for key in ("when", "require"):
                if key in clause:
                    yield rule, document, ("clauses", index, key), clause[key]


def table_of(original: Original, clause: Clause, field: Field) -> str | None:
    """The table that a field read in a clause belongs to, as far as the clause says."""
    if field.base.startswith("get "):
        return field.base[4:]
    if field.base in ("before", "after"):
        tables = clause.tables
        return next((t for t in tables if field.name in properties(original, t)), None)
    return None
