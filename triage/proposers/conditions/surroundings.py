"""What a case tells of the names and rows that its conditions see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from triage.proposers.case import Case, Seen
from worlds.cel_values import Shape
from worlds.contract import row_shape
from worlds.domain import Domain
from worlds.intent import Intent
from worlds.step import Status
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody

STATUSES: tuple[Status, ...] = ("ok", "refused", "crashed", "guarded", "invalid", "limit")
SHOWN = 4
"""Environments whose rows are looked at."""


@dataclass(frozen=True)
class Surroundings:
    """Of one case."""

    case: Case

    @property
    def domain(self) -> Domain:
        """The contract."""
        return self.case.seen[0].bundle.domain

    @property
    def environments(self) -> Sequence[Seen]:
        """All that are shown."""
        return [*self.case.seen, *self.case.sound]

    @cached_property
    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The rows of all records sets together."""
        found: dict[str, list[Mapping[str, Any]]] = {}
        sets = {
            each.bundle.records.digest: each.bundle.records for each in self.environments[:SHOWN]
        }
        for records in sets.values():
            for table, rows in records.tables.items():
                found.setdefault(table, []).extend(rows)
        return found

    @cached_property
    def known(self) -> Mapping[str, Shape]:
        """The shapes of what clauses see whatever happens, as far as the environments tell."""
        return {"actor": self._actor, "call": self._call, "history": self._history}

    @cached_property
    def tools(self) -> Mapping[str, Mapping[str, Any]]:
        """Tool → the schema of its arguments."""
        bodies = {
            body.digest: body
            for each in self.environments
            for body in each.bundle.toolservers
            if isinstance(body, ToolServerBody)
        }
        return {
            tool.name: tool.schema
            for body in bodies.values()
            for tool in ToolServer.of(body).tools.values()
        }

    @property
    def _actor(self) -> Shape:
        tables = {_actor_table(each.bundle.intent) for each in self.environments} - {None}
        return row_shape(self.domain, tables.pop() or "") if len(tables) == 1 else None

    @property
    def _call(self) -> Shape:
        properties: dict[str, Any] = {}
        for schema in self.tools.values():
            properties |= schema.get("properties", {})
        args = {"type": "object", "properties": properties}
        tool = {"type": "string", "enum": sorted(self.tools)}
        return {"type": "object", "properties": {"tool": tool, "args": args}}

    @property
    def _history(self) -> Shape:
        call: Mapping[str, Any] = self._call or {}
        status = {"type": "string", "enum": list(STATUSES)}
        properties = {**call["properties"], "result": {}, "status": status}
        return {"type": "array", "items": {"type": "object", "properties": properties}}


def _actor_table(intent: Intent) -> str | None:
    slot = intent.slots.get(intent.actor or "")
    return slot.table if slot else None
