"""Arguments for a tool that the plan does not call so: from its schema, from what was seen, from keys of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from worlds.records import Place
from worlds.relations.likeness import fields_of
from worlds.relations.rows import siblings
from worlds.relations.subject import Subject, texts
from worlds.step import Call
from worlds.toolserver import Tool

EACH = 3
"""Values tried for one argument."""
LATER = timedelta(days=14)
"""From now to a day that a tool may take."""


class Arguments:
    """Makes calls. `own`: keys of the rows that the reference changed come first, else those of other rows do."""

    def __init__(self, subject: Subject, *, own: bool) -> None:
        self.subject, self.own = subject, own
        self.keys = {spec.key: name for name, spec in subject.world.bundle.domain.tables.items()}
        self.seen: dict[str, list[Any]] = {}
        for taken in subject.taken:
            for name, value in taken.call.args.items():
                self.seen.setdefault(name, []).append(value)
        actor = subject.world.bundle.intent.actor
        self.actor = subject.world.binding.get(actor or "", "")
        self._found: dict[Place, list[str]] = {}
        self.known = {
            self.actor,
            *(text for values in self.seen.values() for text in texts(values)),
        }

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
        if keys:
            return keys
        actor = [self.actor] if self.actor and schema.get("type") == "string" else []
        return [*self.seen.get(name, ()), *self._dates(schema), *made(schema), *actor]

    def _keys(self, name: str) -> list[Any]:
        table = self.keys.get(name) or next(
            (table for key, table in sorted(self.keys.items()) if name.endswith(f"_{key}")), None
        )
        if table is None:
            return []
        changed = [key for place, key in self.subject.changed if place == table]
        if self.own and changed:
            return changed
        seen = [value for value in self.seen.get(name, ()) if isinstance(value, str)]
        others = self._others(table, next(iter([*changed, *seen]), ""))
        return others if changed else [*others[:1], *seen, *others[1:]]

    def _others(self, table: str, key: str) -> list[str]:
        """Rows that the reference left alone, first those that speak of what it named."""
        if (table, key) not in self._found:
            rows = self.subject.world.base.tables[table]

            def named(other: str) -> int:
                return -len(self.known.intersection(texts(list(rows[other].values()))))

            others = siblings(self.subject, table, key)
            self._found[table, key] = sorted(others, key=named)[:EACH]
        return self._found[table, key]

    def _dates(self, schema: Mapping[str, Any]) -> list[str]:
        """A day to come, where the argument's description says that it takes one."""
        said, day = schema.get("description", ""), self.subject.world.base.clock.now + LATER
        if "YYYY-MM-DD" not in said:
            return []
        return [f"{day.date()}T10:00" if "YYYY-MM-DDTHH:MM" in said else f"{day.date()}"]


def made(schema: Mapping[str, Any]) -> list[Any]:
    """Values that a schema allows, the plainest ones."""
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    types = schema.get("type", "string")
    kind = types if isinstance(types, str) else types[0]
    if kind == "object":
        inner = fields_of(schema)
        values = {name: made(inner.get(name, {})) for name in schema.get("required", ())}
        return [{name: each[0] for name, each in values.items()}] if all(values.values()) else []
    least = schema.get("minimum", 1)
    plain: dict[str, list[Any]] = {
        "string": ["something else"],
        "integer": [least],
        "number": [least],
        "boolean": [True, False],
        "array": [[]],
    }
    return plain.get(kind, [])
