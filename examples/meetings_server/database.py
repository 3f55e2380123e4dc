"""The SQLite file: its tables, and a connection that lasts for one call.

Nothing is kept in memory between calls, so that other programs may write to the file too.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from examples.meetings_server.rows import Row

SCHEMA = """
CREATE TABLE IF NOT EXISTS offices (
    office_id TEXT PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, country TEXT NOT NULL,
    tz TEXT NOT NULL, visitor_limit INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS people (
    person_id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, role TEXT NOT NULL,
    team TEXT NOT NULL, office_id TEXT NOT NULL REFERENCES offices, tz TEXT NOT NULL,
    work_start TEXT NOT NULL, work_end TEXT NOT NULL, work_days TEXT NOT NULL,
    manager_id TEXT REFERENCES people, delegate_ids TEXT NOT NULL, delegate_rights TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS rooms (
    room_id TEXT PRIMARY KEY, name TEXT NOT NULL, office_id TEXT NOT NULL REFERENCES offices,
    capacity INTEGER NOT NULL, equipment TEXT NOT NULL, teams TEXT NOT NULL, closed_until TEXT,
    custodian_id TEXT REFERENCES people
);
CREATE TABLE IF NOT EXISTS holidays (
    holiday_id TEXT PRIMARY KEY, name TEXT NOT NULL, date TEXT NOT NULL, country TEXT NOT NULL,
    office_id TEXT REFERENCES offices
);
CREATE TABLE IF NOT EXISTS absences (
    absence_id TEXT PRIMARY KEY, person_id TEXT NOT NULL REFERENCES people,
    first_day TEXT NOT NULL, last_day TEXT NOT NULL, kind TEXT NOT NULL,
    entered_by TEXT NOT NULL REFERENCES people
);
CREATE TABLE IF NOT EXISTS series (
    series_id TEXT PRIMARY KEY, title TEXT NOT NULL, organizer_id TEXT NOT NULL REFERENCES people,
    weekday INTEGER NOT NULL, time TEXT NOT NULL, tz TEXT NOT NULL, minutes INTEGER NOT NULL,
    until TEXT
);
CREATE TABLE IF NOT EXISTS meetings (
    meeting_id TEXT PRIMARY KEY, title TEXT NOT NULL,
    organizer_id TEXT NOT NULL REFERENCES people, attendees TEXT NOT NULL,
    room_id TEXT REFERENCES rooms, start TEXT NOT NULL, "end" TEXT NOT NULL, status TEXT NOT NULL,
    series_id TEXT REFERENCES series, exception INTEGER NOT NULL, visibility TEXT NOT NULL,
    cancel_reason TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS requests (
    request_id TEXT PRIMARY KEY, meeting_id TEXT NOT NULL REFERENCES meetings,
    room_id TEXT NOT NULL REFERENCES rooms, asked_by TEXT NOT NULL REFERENCES people,
    asked_at TEXT NOT NULL, status TEXT NOT NULL, answered_by TEXT REFERENCES people,
    note TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS visits (
    visit_id TEXT PRIMARY KEY, meeting_id TEXT NOT NULL REFERENCES meetings,
    host_id TEXT NOT NULL REFERENCES people, office_id TEXT NOT NULL REFERENCES offices,
    day TEXT NOT NULL, guests TEXT NOT NULL, status TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS requests_for_a_room ON requests (room_id, asked_at);
CREATE INDEX IF NOT EXISTS meetings_of_a_series ON meetings (series_id, start);
CREATE INDEX IF NOT EXISTS rooms_of_an_office ON rooms (office_id);
CREATE INDEX IF NOT EXISTS holidays_of_a_country ON holidays (country, date);
CREATE INDEX IF NOT EXISTS absences_of_a_person ON absences (person_id);
CREATE INDEX IF NOT EXISTS meetings_in_a_room ON meetings (room_id, start);
CREATE INDEX IF NOT EXISTS meetings_by_status ON meetings (status, start);
"""

SECONDS_TO_WAIT = 10.0
"""How long for another program that is writing."""

Kind = TypeVar("Kind", bound=Row)


class NoDatabase(Exception):
    """There is no file to work with; the message says why and what to do."""


class Store:
    """Typed rows of one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def get(self, kind: type[Kind], key: str) -> Kind | None:
        """The row with this primary key."""
        return next(iter(self.find(kind, f"{kind.key} = ?", key)), None)

    def find(self, kind: type[Kind], where: str = "TRUE", *values: str | int) -> list[Kind]:
        """The rows for which the SQL condition holds, in the order of their keys."""
        query = f"SELECT {kind.table}.* FROM {kind.table} WHERE {where} ORDER BY {kind.key}"  # noqa: S608 - our own SQL; values are bound
        return self.query(kind, query, *values)

    def query(self, kind: type[Kind], query: str, *values: str | int) -> list[Kind]:
        """The rows that a whole SELECT gives."""
        return [kind.model_validate(dict(row)) for row in self.connection.execute(query, values)]

    def insert(self, row: Kind) -> Kind:
        columns = row.columns()
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join(f":{name}" for name in columns)
        self.connection.execute(f"INSERT INTO {row.table} ({names}) VALUES ({marks})", columns)  # noqa: S608 - names of ours
        return row

    def update(self, row: Kind, **fields: Any) -> Kind:
        """Change these fields of a row; returns the row as it is then."""
        changed = row.model_copy(update=fields)
        assigned = ", ".join(f'"{name}" = :{name}' for name in fields)
        query = f"UPDATE {row.table} SET {assigned} WHERE {row.key} = :{row.key}"  # noqa: S608 - names of ours
        self.connection.execute(query, changed.columns())
        return changed

    def next_id(self, kind: type[Row], prefix: str) -> str:
        """`prefix` and the number after the highest in the table, as wide as that one."""
        query = f"""
            SELECT substr({kind.key}, ?2) AS number FROM {kind.table}
            WHERE substr({kind.key}, 1, ?2 - 1) = ?1
              AND length(number) BETWEEN 1 AND 18 AND number NOT GLOB '*[^0-9]*'
            ORDER BY CAST(number AS INTEGER) DESC LIMIT 1
        """  # noqa: S608 - names of ours
        found = self.connection.execute(query, (prefix, len(prefix) + 1)).fetchone()
        highest = found["number"] if found else ""
        return f"{prefix}{int(highest or 0) + 1:0{len(highest)}}"


@contextmanager
def opened(*, writing: bool) -> Iterator[Store]:
    """A store for one call; what it wrote is committed at the end, or taken back by an exception."""
    with closing(_connection()) as connection:
        connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
        try:
            yield Store(connection)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def prepare() -> None:
    """Make the tables that are missing."""
    with closing(_connection()) as connection:
        try:
            connection.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise NoDatabase(f"{_path()} cannot be used as a database: {error}") from error


def _path() -> str:
    path = os.environ.get("MEETINGS_DB", "")
    if not path:
        raise NoDatabase("MEETINGS_DB is not set: name the SQLite file to work on")
    return path


def _connection() -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(_path(), timeout=SECONDS_TO_WAIT, isolation_level=None)
    except sqlite3.Error as error:
        raise NoDatabase(
            f"{_path()} cannot be opened: {error}; name a file in a folder that exists"
        ) from error
    connection.row_factory = sqlite3.Row
    connection.create_function("fold", 1, str.lower, deterministic=True)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection
