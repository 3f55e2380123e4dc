"""State that a server keeps in an SQLite database: a table a table, a column a field.

A copy of the database as it was when it held the base's rows stands beside it; SQLite itself tells how the
two differ. Lists and objects are JSON text, truth values 0 and 1, a field that a row lacks NULL. Keys are texts here,
also where the database counts (`INTEGER PRIMARY KEY`); a key of several columns is their values between bars.
"""

from __future__ import annotations

import secrets
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

from worlds.exchange import NotJson
from worlds.records import Base, Row, Snapshot
from worlds.servers import ServerUnavailable
from worlds.sqlitevalues import compared, decoded, encoded, identical, quoted, types_of

PATIENCE = 5.0
"""Seconds to wait for a lock that the server holds."""
ASKED_SECONDS = 10.0
"""Seconds that the database may take for one question: the server can make it one without end."""
MOST_CHANGED = 32 * 2**20
"""Bytes of changed rows that are read."""
STEPS = 100_000
"""Of SQLite's, between two looks at the clock."""
BAR = "|"
"""Between the values of a key of several columns."""


class SqliteFile:
    """The rows of the database at `path`; `pristine` is where the copy stands, or is to be made by `settle`.
    `is_copy`: whether the database was made of it just now."""

    def __init__(self, path: Path, pristine: Path, base: Base, *, is_copy: bool = False) -> None:
        self.path, self.pristine, self.base, self.is_copy = path, pristine, base, is_copy
        self._opened: sqlite3.Connection | None = None
        self._attached = False
        self._file = (0, 0)
        self._columns: dict[str, list[str]] = {}
        self._keys: dict[str, list[str]] = {}
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
                database.execute(f"DELETE FROM {quoted(table)}")  # noqa: S608  # quoted
                self._insert(database, table, rows.values())
            for table, rows in self.base.tables.items():
                self._same_keys(database, table, rows)
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
            gone = {place for place, row in changes.items() if row is None}
            for table, key in gone:
                self._delete(database, table, key)
            self._put_all(database, {at: row for at, row in changes.items() if row is not None})
            for table in {table for table, _ in gone}:
                _count_on(database, table)

    def close(self) -> None:
        """Let go of the files."""
        if self._opened is not None:
            self._opened.close()
            self._opened, self._attached = None, False

    @contextmanager
    def _told(self) -> Iterator[sqlite3.Connection]:
        """The database, for one question; what goes wrong with it is ServerUnavailable, and so is a value
        that SQLite cannot take."""
        try:
            database = self._database()
            database.set_progress_handler(_within(ASKED_SECONDS), STEPS)
            yield database
        except (sqlite3.Error, OverflowError, UnicodeEncodeError) as error:
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
        found = database.execute(f"PRAGMA main.table_info({quoted(table)})").fetchall()
        if not found or not database.execute(kind, (table,)).fetchone():
            raise ServerUnavailable(f"its database has no table {table!r}")
        names = [row[1] for row in found]
        known = self.base.domain.tables[table].schema_.get("properties")
        fields = [name for name in names if not known or name in known]
        key = self.base.domain.tables[table].key
        parts = [row[1] for row in sorted(found, key=itemgetter(5)) if row[5]]
        if key in fields:
            parts = [key]
        elif len(parts) < 2 or not set(parts) <= set(fields):
            raise ServerUnavailable(f"its table {table!r} has no column {key!r}")
        self._keys[table] = parts
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
        names = ", ".join(map(quoted, fields))
        database.executemany(
            f"INSERT INTO {quoted(table)} ({names}) VALUES ({marks})",  # noqa: S608  # quoted names
            (self._encoded(table, fields, row) for row in rows),
        )

    def _put_all(self, database: sqlite3.Connection, rows: dict[tuple[str, str], Row]) -> None:
        """Put rows in place; where one must be unique and another still has what it takes, that one first;
        where they take it from one another, all out before all in."""
        places = list(rows)
        while rows:
            refused: dict[tuple[str, str], Row] = {}
            for (table, key), row in rows.items():
                try:
                    self._put(database, table, key, row)
                except sqlite3.IntegrityError:
                    if len(rows) == 1:
                        raise
                    refused[table, key] = row
            if len(refused) == len(rows):
                self._exchange(database, rows)
                break
            rows = refused
        for table, key in places:
            if self._keys_found(database, table, key).isdisjoint([key]):
                raise self._renamed(database, table, key)

    def _exchange(self, database: sqlite3.Connection, rows: dict[tuple[str, str], Row]) -> None:
        """Take rows out and put them in as they are to be; columns that are no fields keep what they hold."""
        held = {}
        for table, key in rows:
            held[table, key] = self._all_columns(database, table, key)
            self._delete(database, table, key)
        for (table, key), row in rows.items():
            fields = self._fields(database, table)
            new = dict(zip(fields, self._encoded(table, fields, row), strict=True))
            columns = {**held[table, key], **new}
            names, marks = ", ".join(map(quoted, columns)), ", ".join("?" * len(columns))
            query = f"INSERT INTO {quoted(table)} ({names}) VALUES ({marks})"  # noqa: S608
            database.execute(query, list(columns.values()))

    def _all_columns(self, database: sqlite3.Connection, table: str, key: str) -> Row:
        """All that can be written of the row, fields or not; nothing where there is none."""
        found = database.execute(f"PRAGMA main.table_info({quoted(table)})").fetchall()
        names = [column[1] for column in found]
        query = f"SELECT {', '.join(map(quoted, names))} FROM {quoted(table)} WHERE {self._where(table)}"  # noqa: S608
        values = database.execute(query, self._key_values(table, key)).fetchone()
        return dict(zip(names, values, strict=True)) if values else {}

    def _put(self, database: sqlite3.Connection, table: str, key: str, row: Row) -> None:
        fields, where = self._fields(database, table), self._where(table)
        sets = ", ".join(f"{quoted(name)} = ?" for name in fields)
        values = self._encoded(table, fields, row)
        done = database.execute(
            f"UPDATE {quoted(table)} SET {sets} WHERE {where}",  # noqa: S608
            (*values, *self._key_values(table, key)),
        )
        if done.rowcount == 0:
            self._insert(database, table, [row])

    def _delete(self, database: sqlite3.Connection, table: str, key: str) -> None:
        self._fields(database, table)
        query = f"DELETE FROM {quoted(table)} WHERE {self._where(table)}"  # noqa: S608
        database.execute(query, self._key_values(table, key))

    def _encoded(self, table: str, fields: list[str], row: Row) -> list[Any]:
        key = self.base.domain.tables[table].key
        composed = key not in fields
        homeless = [name for name in row if name not in fields and row[name] is not None]
        if homeless and not (composed and homeless == [key]):
            name = next(name for name in homeless if not (composed and name == key))
            raise ServerUnavailable(f"its table {table!r} has no column {name!r}")
        parts = self._keys[table]
        if composed and self._key_values(table, row[key]) != [str(row.get(name)) for name in parts]:
            raise ServerUnavailable(
                f"its table {table!r} has no column {key!r} and knows the row {row[key]!r} by "
                f"{BAR.join(parts)}: call it {BAR.join(str(row.get(name)) for name in parts)!r}"
            )
        values = [encoded(row.get(name)) for name in fields]
        for name, value in zip(fields, values, strict=True):
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise ServerUnavailable(
                    f"its table {table!r} cannot hold {name!r} of the row {row[key]!r}: "
                    "SQLite's integers have 64 bits, take a smaller one"
                )
        return values

    # Keys

    def _key(self, table: str, columns: Row) -> str:
        """The key of a row, of which every column of the key has a value."""
        return BAR.join(str(columns[name]) for name in self._keys[table])

    def _key_values(self, table: str, key: str) -> list[str]:
        """What the columns of the key hold; SQLite makes numbers of them where a column is of numbers."""
        return key.split(BAR, len(self._keys[table]) - 1)

    def _same_keys(self, database: sqlite3.Connection, table: str, keys: Iterable[str]) -> None:
        """Raise ServerUnavailable when the database holds one of the rows by another key than it was given."""
        names = ", ".join(map(quoted, self._keys[table]))
        missing = set(keys)
        for values in database.execute(f"SELECT {names} FROM {quoted(table)}"):  # noqa: S608
            missing.discard(BAR.join(map(str, values)))
        if missing:
            raise self._renamed(database, table, min(missing))

    def _keys_found(self, database: sqlite3.Connection, table: str, key: str) -> set[str]:
        """The keys of the rows that SQLite finds by this one: `01` finds 1 where a column is of numbers."""
        names = ", ".join(map(quoted, self._keys[table]))
        query = f"SELECT {names} FROM {quoted(table)} WHERE {self._where(table)}"  # noqa: S608
        found = database.execute(query, self._key_values(table, key)).fetchmany(100)
        return {BAR.join(map(str, values)) for values in found}

    def _renamed(self, database: sqlite3.Connection, table: str, key: str) -> ServerUnavailable:
        found = self._keys_found(database, table, key)
        if not found:
            return ServerUnavailable(f"its database does not keep the row {key!r} of {table}")
        return ServerUnavailable(
            f"its database knows the row {key!r} of {table} as {min(found)!r}: call it so"
        )

    def _where(self, table: str) -> str:
        return " AND ".join(f"{quoted(name)} = ?" for name in self._keys[table])

    # What differs

    def _differing(
        self, database: sqlite3.Connection
    ) -> Iterator[tuple[tuple[str, str], Row | None]]:
        for table in self.base.tables:
            fields = self._fields(database, table)
            names = compared(fields)
            key_names = compared(self._keys[table])
            changed = (
                f"SELECT {names} FROM main.{quoted(table)} "  # noqa: S608  # quoted names
                f"EXCEPT SELECT {names} FROM pristine.{quoted(table)}"
            )
            for values in _bounded(database.execute(changed)):
                columns = dict(zip(fields, values, strict=True))
                key = self._told_key(table, columns)
                yield (table, key), self._row(database, table, key, columns)
            gone = (
                f"SELECT {key_names} FROM pristine.{quoted(table)} "  # noqa: S608
                f"EXCEPT SELECT {key_names} FROM main.{quoted(table)}"
            )
            for values in _bounded(database.execute(gone)):
                yield (table, BAR.join(map(str, values))), None

    def _told_key(self, table: str, columns: Row) -> str:
        """The key of a row that the server made; NotJson where it has none that tells it from others."""
        parts = self._keys[table]
        for name in parts:
            if columns[name] is None:
                raise NotJson(f"a row of {table!r} has no {name!r}")
            if name != parts[-1] and BAR in str(columns[name]):
                raise NotJson(f"{columns[name]!r}, part of a key of {table!r}, has a {BAR!r}")
        return self._key(table, columns)

    def _row(self, database: sqlite3.Connection, table: str, key: str, columns: Row) -> Row:
        """A row from its columns; a column that nobody changed says what the base says."""
        before = self.base.tables[table].get(key)
        held = self._pristine(database, table, columns) if before is not None else {}
        properties = self.base.domain.tables[table].schema_.get("properties", {})
        row: Row = {self.base.domain.tables[table].key: key}
        for name, value in columns.items():
            if name in row:
                continue
            if before is not None and name in held and identical(held[name], value):
                if name in before:
                    row[name] = before[name]
                continue
            types = types_of(properties.get(name, {}))
            if value is not None or not types or "null" in types:
                row[name] = decoded(value, types)
        return row

    def _pristine(self, database: sqlite3.Connection, table: str, columns: Row) -> Row:
        fields = self._fields(database, table)
        names = ", ".join(map(quoted, fields))
        query = f"SELECT {names} FROM pristine.{quoted(table)} WHERE {self._where(table)}"  # noqa: S608
        found = database.execute(query, [columns[name] for name in self._keys[table]]).fetchone()
        return dict(zip(fields, found, strict=True)) if found else {}


def _count_on(database: sqlite3.Connection, table: str) -> None:
    """Let AUTOINCREMENT go on after the rows that are there: those taken back were never made."""
    kept = "SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_sequence'"
    counted = "SELECT name FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE"
    if database.execute(kept).fetchone() and database.execute(counted, (table,)).fetchone():
        highest = f"SELECT coalesce(max(rowid), 0) FROM {quoted(table)}"  # noqa: S608
        query = f"UPDATE main.sqlite_sequence SET seq = ({highest}) WHERE name = ? COLLATE NOCASE"  # noqa: S608
        database.execute(query, (table,))


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
