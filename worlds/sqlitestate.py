"""State that a server keeps in an SQLite database: a table a table, a column a field.

A copy of the database as it was when it held the base's rows stands beside it; SQLite itself tells how the
two differ. Lists and objects are JSON text, truth values 0 and 1, a field that a row lacks NULL.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from worlds.exchange import NotJson
from worlds.records import Base, Row, Snapshot
from worlds.servers import ServerUnavailable

PATIENCE = 5.0
"""Seconds to wait for a lock that the server holds."""
ASKED_SECONDS = 10.0
"""Seconds that the database may take for one question: the server can make it one without end."""
MOST_CHANGED = 32 * 2**20
"""Bytes of changed rows that are read."""
STEPS = 100_000
"""Of SQLite's, between two looks at the clock."""


class SqliteFile:
    """The rows of the database at `path`; `pristine` is where the copy stands, or is to be made by `settle`.
    `is_copy`: whether the database was made of it just now."""

    def __init__(self, path: Path, pristine: Path, base: Base, *, is_copy: bool = False) -> None:
        self.path, self.pristine, self.base, self.is_copy = path, pristine, base, is_copy
        self._opened: sqlite3.Connection | None = None
        self._attached = False
        self._file = (0, 0)
        self._columns: dict[str, list[str]] = {}
        self._schema = -1
        self._seen = -1
        self._last: Snapshot = {}

    def settle(self) -> bool:
        """See OutsideState. The server must have made its tables."""
        if self.is_copy and not self.read():  # servers may well fill their tables when they start
            return False
        if self.pristine.exists():
            self._restore()
            return True
        with self._writing() as database:
            for table, rows in self.base.tables.items():
                self._fields(database, table)  # tells when there is no such table
                database.execute(f"DELETE FROM {_quoted(table)}")  # noqa: S608  # quoted
                self._insert(database, table, rows.values())
        draft = self.pristine.with_suffix(f".{secrets.token_hex(8)}")
        with self._told() as database, closing(sqlite3.connect(draft)) as copy:
            database.backup(copy, progress=_within(PATIENCE), sleep=0.05)
        draft.replace(self.pristine)
        return True

    def _restore(self) -> None:
        """Put the whole database back, counters and all; the server may have it open."""
        with self._told() as database, closing(sqlite3.connect(self.pristine)) as pristine:
            pristine.backup(database, progress=_within(PATIENCE), sleep=0.05)
            self._seen = -1

    def read(self) -> Snapshot:
        """See OutsideState. A database that nobody wrote to is not compared again; NotJson for a row without key."""
        with self._told() as database:
            self._beside_pristine(database)
            self._same_columns(database)
            seen = database.execute("PRAGMA data_version").fetchone()[0]
            if seen != self._seen:
                self._last = dict(self._differing(database))
                self._seen = seen
        return dict(self._last)

    def write(self, changes: Snapshot) -> None:
        """See OutsideState; all or nothing."""
        with self._writing() as database:
            for (table, key), row in changes.items():
                self._put(database, table, key, row)

    def close(self) -> None:
        """Let go of the files."""
        if self._opened is not None:
            self._opened.close()
            self._opened, self._attached = None, False

    @contextmanager
    def _told(self) -> Iterator[sqlite3.Connection]:
        """The database, for one question; what goes wrong with it is ServerUnavailable."""
        try:
            database = self._database()
            database.set_progress_handler(_within(ASKED_SECONDS), STEPS)
            yield database
        except sqlite3.Error as error:
            raise ServerUnavailable(f"its database {self.path}: {error}") from error

    def _database(self) -> sqlite3.Connection:
        """Opened; anew where the server put another file in the place of the one that was."""
        try:
            status = self.path.stat()
        except OSError as error:
            raise ServerUnavailable(f"it has made no database at {self.path}") from error
        if not stat.S_ISREG(status.st_mode):
            raise ServerUnavailable(f"its database {self.path} is no file")
        if self._file != (status.st_dev, status.st_ino):
            self.close()
        if self._opened is None:
            self._opened = sqlite3.connect(
                self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._file, self._seen, self._schema = (status.st_dev, status.st_ino), -1, -1
        return self._opened

    def _beside_pristine(self, database: sqlite3.Connection) -> None:
        if not self._attached:
            database.execute("ATTACH ? AS pristine", (str(self.pristine),))
            self._attached = True

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._told() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                if database.in_transaction:  # SQLite has ended it where it was interrupted
                    database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")
            self._seen = -1  # data_version tells of others' writes only

    # Rows as columns

    def _fields(self, database: sqlite3.Connection, table: str) -> list[str]:
        """The columns that are fields of the table's rows."""
        if table not in self._columns:
            self._columns[table] = self._found(database, table)
        return self._columns[table]

    def _found(self, database: sqlite3.Connection, table: str) -> list[str]:
        kind = "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE"
        found = database.execute(f"PRAGMA main.table_info({_quoted(table)})").fetchall()
        if not found or not database.execute(kind, (table,)).fetchone():
            raise ServerUnavailable(f"its database has no table {table!r}")
        names = [row[1] for row in found]
        known = self.base.domain.tables[table].schema_.get("properties")
        fields = [name for name in names if not known or name in known]
        if self.base.domain.tables[table].key not in fields:
            key = self.base.domain.tables[table].key
            raise ServerUnavailable(f"its table {table!r} has no column {key!r}")
        return fields

    def _same_columns(self, database: sqlite3.Connection) -> None:
        """Raise ServerUnavailable when a table's columns are others than they were."""
        schema = database.execute("PRAGMA main.schema_version").fetchone()[0]
        if schema != self._schema:
            for table, fields in self._columns.items():
                if self._found(database, table) != fields:
                    raise ServerUnavailable(f"its table {table!r} has other columns than before")
            self._schema = schema

    def _insert(self, database: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
        fields = self._fields(database, table)
        marks = ", ".join("?" * len(fields))
        names = ", ".join(map(_quoted, fields))
        database.executemany(
            f"INSERT INTO {_quoted(table)} ({names}) VALUES ({marks})",  # noqa: S608  # quoted names
            (self._encoded(table, fields, row) for row in rows),
        )

    def _put(self, database: sqlite3.Connection, table: str, key: str, row: Row | None) -> None:
        fields = self._fields(database, table)
        where = f"WHERE {_quoted(self.base.domain.tables[table].key)} = ?"
        if row is None:
            database.execute(f"DELETE FROM {_quoted(table)} {where}", (key,))  # noqa: S608
            return
        sets = ", ".join(f"{_quoted(name)} = ?" for name in fields)
        values = self._encoded(table, fields, row)
        done = database.execute(
            f"UPDATE {_quoted(table)} SET {sets} {where}",  # noqa: S608
            (*values, key),
        )
        if done.rowcount == 0:
            self._insert(database, table, [row])

    def _encoded(self, table: str, fields: list[str], row: Row) -> list[Any]:
        homeless = [name for name in row if name not in fields and row[name] is not None]
        if homeless:
            raise ServerUnavailable(f"its table {table!r} has no column {homeless[0]!r}")
        return [_encoded(row.get(name)) for name in fields]

    # What differs

    def _differing(
        self, database: sqlite3.Connection
    ) -> Iterator[tuple[tuple[str, str], Row | None]]:
        for table in self.base.tables:
            fields = self._fields(database, table)
            key = self.base.domain.tables[table].key
            names = ", ".join(f"{_quoted(name)} COLLATE BINARY" for name in fields)
            key_name = f"{_quoted(key)} COLLATE BINARY"
            changed = (
                f"SELECT {names} FROM main.{_quoted(table)} "  # noqa: S608  # quoted names
                f"EXCEPT SELECT {names} FROM pristine.{_quoted(table)}"
            )
            for values in _bounded(database.execute(changed)):
                if values[fields.index(key)] is None:
                    raise NotJson(f"a row of {table!r} has no {key!r}")
                row = self._row(database, table, dict(zip(fields, values, strict=True)))
                yield (table, str(row[key])), row
            gone = (
                f"SELECT {key_name} FROM pristine.{_quoted(table)} "  # noqa: S608
                f"EXCEPT SELECT {key_name} FROM main.{_quoted(table)}"
            )
            for (name,) in _bounded(database.execute(gone)):
                yield (table, str(name)), None

    def _row(self, database: sqlite3.Connection, table: str, columns: dict[str, Any]) -> Row:
        """A row from its columns; a column that nobody changed says what the base says."""
        key = self.base.domain.tables[table].key
        before = self.base.tables[table].get(str(columns[key]))
        held = self._pristine(database, table, columns[key]) if before is not None else {}
        properties = self.base.domain.tables[table].schema_.get("properties", {})
        row: Row = {}
        for name, value in columns.items():
            if before is not None and name in held and _identical(held[name], value):
                if name in before:
                    row[name] = before[name]
                continue
            types = _types(properties.get(name, {}))
            if value is not None or not types or "null" in types:
                row[name] = _decoded(value, types)
        return row

    def _pristine(self, database: sqlite3.Connection, table: str, key: Any) -> dict[str, Any]:
        fields = self._fields(database, table)
        names = ", ".join(map(_quoted, fields))
        where = f"{_quoted(self.base.domain.tables[table].key)} = ?"
        query = f"SELECT {names} FROM pristine.{_quoted(table)} WHERE {where}"  # noqa: S608
        found = database.execute(query, (key,)).fetchone()
        return dict(zip(fields, found, strict=True)) if found else {}


def _quoted(name: str) -> str:
    # Not by quotation marks: what is no column is a text to SQLite then.
    return "`" + name.replace("`", "``") + "`"


def _bounded(rows: sqlite3.Cursor) -> list[tuple[Any, ...]]:
    found, size = [], 0
    for row in rows:
        size += sum(len(value) if isinstance(value, (str, bytes)) else 8 for value in row)
        if size > MOST_CHANGED:
            raise ServerUnavailable(f"it changed more than {MOST_CHANGED} bytes of its rows")
        found.append(row)
    return found


def _within(seconds: float) -> Callable[..., bool]:
    """A callback that ends what SQLite does when it takes longer."""
    ends = time.monotonic() + seconds

    def late(*progress: int) -> bool:
        is_late = time.monotonic() > ends
        if is_late and progress:  # of a copy, which would try for ever
            raise sqlite3.OperationalError(f"not copied within {seconds:g} s")
        return is_late

    return late


def _identical(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def _types(schema: Any) -> set[str]:
    kind = schema.get("type", []) if isinstance(schema, dict) else []
    return {kind} if isinstance(kind, str) else set(kind)


def _encoded(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


def _decoded(value: Any, types: set[str]) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if types & {"array", "object"} and isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value  # the schema will say what it thinks of this
    if "boolean" in types and value in (0, 1):
        return bool(value)
    return value
