"""What a condition may speak of: tables, fields, values that they may have, and words that stand beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from worlds.cel_tree import Node, literal_text, walk
from worlds.domain import Domain
from worlds.intent import Intent

CLOSE = 0.6
"""Share of letters in common from which on one name may be meant for another."""
WORDS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
} | {"fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "half": 0.5}
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
UNITS = (1, 7, 24, 60, 1440, 10080)
"""What a number of a text may have been multiplied by: days and hours are minutes elsewhere."""


@dataclass(frozen=True)
class Vocabulary:
    """Of one domain, for the conditions of one component."""

    domain: Domain
    names: Mapping[str, str] = field(default_factory=dict)
    """Name of a row → its table; empty where nobody knows: slots, `before`, `after`, `row`."""
    words: str = ""
    """The prose that the condition says in CEL."""

    @classmethod
    def of_intent(cls, domain: Domain, intent: Intent) -> Vocabulary:
        """Slots, and what the user asks for."""
        slots = {name: slot.table for name, slot in intent.slots.items()}
        return cls(domain, slots, intent.instruction)

    @cached_property
    def fields(self) -> Mapping[str, Mapping[str, Any]]:
        """Table → field → its schema."""
        return {name: _properties(self.domain, name) for name in self.domain.tables}

    @cached_property
    def known(self) -> frozenset[str]:
        """All names of fields, at any depth."""
        found = {name for fields in self.fields.values() for name in fields}
        for table in self.domain.tables.values():
            found |= {table.key, *_deep(table.schema_)}
        return frozenset(found)

    def tables(self, root: Node) -> set[str]:
        """Those that a condition names, or whose rows it speaks of."""
        found = {text for node in walk(root) if (text := literal_text(node)) in self.fields}
        found |= {
            self.names[n.text] for n in walk(root) if n.kind == "name" and n.text in self.names
        }
        return {name for name in found if name}

    def like(self, name: str, tables: set[str]) -> list[str]:
        """Other fields of these tables with the same schema as one of this name has in one of them."""
        found = []
        for table in sorted(tables):
            fields = self.fields.get(table, {})
            wanted = _sort(fields.get(name))
            if wanted is not None:
                found += [
                    other for other in fields if other != name and _sort(fields[other]) == wanted
                ]
        return list(dict.fromkeys(found))

    def values(self, name: str) -> list[str]:
        """The enum of a field of this name, in whichever table has one."""
        for fields in self.fields.values():
            schema = fields.get(name)
            if isinstance(schema, Mapping):
                given = schema.get("enum") or (schema.get("items") or {}).get("enum")
                if given:
                    return [each for each in given if isinstance(each, str)]
        return []

    def numbers(self) -> list[float]:
        """The numbers that the prose says, in digits and words, in the units that a condition may count in."""
        text = self.words.lower()
        said = [float(found.replace(",", ".")) for found in NUMBER.findall(text)]
        said += [float(WORDS[word]) for word in re.findall(r"[a-z]+", text) if word in WORDS]
        return [each * unit for unit in UNITS for each in dict.fromkeys(said)]


def closest(name: str, known: Iterator[str] | list[str] | frozenset[str]) -> list[str]:
    """The likeliest of what a name may be meant for, the closest first."""
    return get_close_matches(name, sorted(known), n=2, cutoff=CLOSE)


def _properties(domain: Domain, table: str) -> Mapping[str, Any]:
    found = domain.tables[table].schema_.get("properties")
    return found if isinstance(found, Mapping) else {}


def _deep(schema: Any, depth: int = 8) -> Iterator[str]:
    if not depth:
        return
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        yield from properties if isinstance(properties, Mapping) else ()
        for each in schema.values():
            yield from _deep(each, depth - 1)
    elif isinstance(schema, list):
        for each in schema[:50]:
            yield from _deep(each, depth - 1)


def _sort(schema: Any) -> tuple[str, ...] | None:
    """What makes two fields exchangeable."""
    if not isinstance(schema, Mapping):
        return None
    types = schema.get("type")
    named = tuple(sorted(map(str, types))) if isinstance(types, list) else (str(types),)
    return (*named, str(schema.get("format")), str(sorted(map(str, schema.get("enum") or ()))))
