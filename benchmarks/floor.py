"""The world that one would write by hand: dicts, copied whole for each attempt, tools called as they are.

No sandbox, no limits, no diff, no rules, no verdict: the floor under whatever a world does more.
"""

from __future__ import annotations

import copy
from datetime import UTC, date, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from worlds.records import Base, Row, matches
from worlds.toolserver_body import ToolServerBody


class Db:
    """`db` over plain dicts; `find` goes through all rows of a table."""

    def __init__(self, base: Base) -> None:
        self._keys = {name: table.key for name, table in base.domain.tables.items()}
        self._start = base.tables
        self.tables: dict[str, dict[str, Row]] = {}

    def reset(self) -> None:
        """As it was at first."""
        self.tables = copy.deepcopy(self._start)

    def get(self, table: str, key: str) -> Row | None:
        return self.tables[table].get(key)

    def find(self, table: str, match: Row | None = None, limit: int | None = None) -> list[Row]:
        nested = {path: value for path, value in (match or {}).items() if {*path} & {*".["}}
        plain = [item for item in (match or {}).items() if item[0] not in nested]
        found = [
            row
            for row in self.tables[table].values()
            if all(row.get(name) == value for name, value in plain) and matches(row, nested)
        ]
        return sorted(found, key=lambda row: str(row[self._keys[table]]))[:limit]

    def put(self, table: str, row: Row) -> Row:
        self.tables[table][row[self._keys[table]]] = row
        return row

    insert = put

    def update(self, table: str, key: str, fields: Row) -> Row:
        return self.put(table, {**self.tables[table][key], **fields})

    def delete(self, table: str, key: str) -> None:
        del self.tables[table][key]

    def next_id(self, table: str, prefix: str = "") -> str:
        numbers = [key.removeprefix(prefix) for key in self.tables[table] if key.startswith(prefix)]
        highest = max((number for number in numbers if number.isdecimal()), key=int, default="")
        return f"{prefix}{int(highest or 0) + 1:0{len(highest)}}"


class Clock:
    """`clock`, standing still."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def today(self) -> date:
        return self._now.date()

    def local(self, moment: str | datetime, zone: str) -> datetime:
        return _placed(moment, UTC).astimezone(ZoneInfo(zone))

    def utc(self, moment: str | datetime, zone: str = "UTC") -> datetime:
        return _placed(moment, ZoneInfo(zone)).astimezone(UTC)


def _placed(moment: str | datetime, unless_said: tzinfo) -> datetime:
    found = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return found if found.tzinfo else found.replace(tzinfo=unless_said)


class DictWorld:
    """A records set and a tool server's source, run in this process. For sources of ours only."""

    def __init__(self, base: Base, body: ToolServerBody) -> None:
        self.db = Db(base)
        self._names: dict[str, Any] = {
            "db": self.db,
            "clock": Clock(base.clock.now),
            "money": lambda amount: round(float(amount), 2),
        }
        exec(body.source, self._names)  # noqa: S102 - the library's own, to be measured without a sandbox

    def reset(self) -> None:
        """Begin anew."""
        self.db.reset()

    def call(self, tool: str, args: dict[str, Any]) -> Any:
        """The tool's result, or the words of its refusal."""
        try:
            return self._names[tool](**args)
        except ValueError as refusal:
            return str(refusal)
