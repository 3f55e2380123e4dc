"""Arguments for a tool that the plan does not call so: from its schema, from what was seen, from keys of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worlds.relations.likeness import fields_of
from worlds.relations.rows import siblings
from worlds.relations.subject import Subject
from worlds.step import Call
from worlds.toolserver import Tool

EACH = 3
"""Values tried for one argument."""


class Arguments:
    """Makes calls. `own`: keys of the rows that the reference changed come first, else those of others do."""

    def __init__(self, subject: Subject, *, own: bool) -> None:
        self.subject, self.own = subject, own
        self.keys = {spec.key: name for name, spec in subject.world.bundle.domain.tables.items()}
        self.seen: dict[str, list[Any]] = {}
        for taken in subject.taken:
            for name, value in taken.call.args.items():
                self.seen.setdefault(name, []).append(value)

    def calls(self, tool: Tool) -> Iterator[Call]:
        """Calls with the required arguments, the likeliest first; one argument is varied at a time."""
        properties = fields_of(tool.schema)
        choices = {
            name: self.values(name, properties.get(name, {}))[:EACH]
            for name in tool.schema.get("required", ())
        }
        if not all(choices.values()):
            return
        first = {name: values[0] for name, values in choices.items()}
        yield Call(tool=tool.name, args=first)
        for name, values in choices.items():
            for value in values[1:]:
                yield Call(tool=tool.name, args={**first, name: value})

    def values(self, name: str, schema: Mapping[str, Any]) -> list[Any]:
        """What an argument could be."""
        keys = self._keys(name)
        return keys or [*self.seen.get(name, ()), *_made(schema)]

    def _keys(self, name: str) -> list[Any]:
        table = self.keys.get(name) or next(
            (table for key, table in sorted(self.keys.items()) if name.endswith(f"_{key}")), None
        )
        if table is None:
            return []
        changed = [key for place, key in self.subject.changed if place == table]
        known = [value for value in self.seen.get(name, ()) if isinstance(value, str)]
        if self.own and changed:
            return changed
        begin = next(iter([*changed, *known]), "")
        others = siblings(self.subject, table, begin)[:EACH]
        return others if table in self._written_tables else [*known, *others]

    @property
    def _written_tables(self) -> set[str]:
        return {table for table, _ in self.subject.changed}


def _made(schema: Mapping[str, Any]) -> list[Any]:
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    types = schema.get("type", "string")
    kind = types if isinstance(types, str) else types[0]
    simple: dict[str, list[Any]] = {
        "string": ["something else"],
        "integer": [schema.get("minimum", 1)],
        "number": [schema.get("minimum", 1)],
        "boolean": [True, False],
        "array": [[]],
    }
    if kind == "object":
        inner = fields_of(schema)
        made = {name: _made(inner.get(name, {})) for name in schema.get("required", ())}
        return [{name: values[0] for name, values in made.items()}] if all(made.values()) else []
    return simple.get(kind, [])
