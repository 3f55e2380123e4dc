"""Rows in an SQLite database: what is written is what is read, and only what differs is told."""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from worlds import sqlitestate
from worlds.diff import same
from worlds.domain import Domain
from worlds.exchange import NotJson
from worlds.records import Base, Snapshot
from worlds.recordset import Recordset
from worlds.servers import ServerUnavailable
from worlds.sqlitestate import SqliteFile

DOMAIN = Domain.parse(
    {
        "tables": {
            "things": {
                "key": "id",
                "schema": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string"},
                        "name": {"type": "string"},
                        "size": {"type": "integer"},
                        "price": {"type": "number"},
                        "new": {"type": "boolean"},
                        "tags": {"type": "array"},
                        "owner": {"type": ["string", "null"]},
                        "more": {"type": "object"},
                    },
                    "required": ["id", "name", "size", "price", "new", "tags", "owner"],
                },
            }
        }
    }
)
CREATE = (
    "CREATE TABLE things (serial INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, "
    "name TEXT COLLATE NOCASE, size INTEGER, price REAL, new INTEGER, tags TEXT, owner TEXT, more TEXT)"
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
ROWS = st.fixed_dictionaries(
    {
        "name": TEXT,
        "size": st.integers(-(2**62), 2**62),
        "price": st.floats(allow_nan=False, allow_infinity=False),
        "new": st.booleans(),
        "tags": st.lists(st.one_of(TEXT, st.integers(-9, 9), st.booleans()), max_size=3),
        "owner": st.none() | TEXT,
    },
    optional={"more": st.dictionaries(TEXT, st.none() | TEXT, max_size=2)},
)
KEYS = st.sampled_from(["a", "b", "c", "d'; --"])


def row(key: str, **fields: Any) -> dict[str, Any]:
    plain = {"name": "N", "size": 1, "price": 1.5, "new": False, "tags": [], "owner": None}
    return {"id": key, **plain, **fields}


def numbered(kind: str) -> str:
    """The table, with keys that are numbers to the database."""
    return CREATE.replace(
        "serial INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL", f"id {kind}"
    )


@contextmanager
def kept(rows: list[dict[str, Any]], create: str = CREATE) -> Iterator[SqliteFile]:
    """A database that holds the rows, as a server would find it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "server.db"
        with closing(sqlite3.connect(path)) as database:
            database.execute(create)
        base = Base(DOMAIN, Recordset.parse({"tables": {"things": rows}}))
        state = SqliteFile(path, Path(folder) / "pristine.db", base)
        yield state
        state.close()


@contextmanager
def other(state: SqliteFile) -> Iterator[sqlite3.Connection]:
    """The server's own connection."""
    with closing(sqlite3.connect(state.path)) as database, database:
        yield database


@hypothesis_settings(max_examples=60)
@given(
    rows=st.dictionaries(KEYS, ROWS, max_size=3),
    changes=st.dictionaries(KEYS, st.none() | ROWS, max_size=4),
)
def test_what_is_written_is_what_is_read(
    rows: dict[str, dict[str, Any]], changes: dict[str, dict[str, Any] | None]
) -> None:
    with kept([{"id": key, **fields} for key, fields in rows.items()]) as state:
        assert state.settle()
        assert state.read() == {}
        wanted = {
            ("things", key): None if fields is None else {"id": key, **fields}
            for key, fields in changes.items()
        }
        state.write(wanted)
        found = state.read()
    for place, fields in wanted.items():
        before = state.base.tables["things"].get(place[1])
        assert same(found.get(place, before), fields)
    assert set(found) <= set(wanted)


def test_a_field_that_nobody_wrote_says_what_the_records_say() -> None:
    odd = row("a", price=2, more={"x": 1})  # an integer, where a column of REAL gives 2.0
    with kept([odd]) as state:
        state.settle()
        with other(state) as database:
            database.execute("UPDATE things SET size = 9")
        (found,) = state.read().values()
    assert found is not None
    assert repr(found) == repr({**odd, "size": 9})


def test_a_change_of_case_alone_is_seen_where_the_column_does_not_tell_cases_apart() -> None:
    with kept([row("a", name="Ann")]) as state:
        state.settle()
        with other(state) as database:
            database.execute("UPDATE things SET name = 'ANN'")
        assert state.read()["things", "a"] == row("a", name="ANN")


def test_a_database_that_nobody_wrote_to_is_not_compared_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with kept([row("a")]) as state:
        state.settle()
        state.read()
        with monkeypatch.context() as patch:
            patch.delattr(SqliteFile, "_differing")
            assert state.read() == {}
        with other(state) as database:
            database.execute("DELETE FROM things")
        assert state.read() == {("things", "a"): None}


def test_a_database_in_use_is_put_back_with_its_counters() -> None:
    with kept([row("a")]) as state, other(state) as database:
        state.settle()
        database.execute("INSERT INTO things (id) VALUES ('z')")
        database.commit()
        again = SqliteFile(state.path, state.pristine, state.base)
        assert again.settle()
        assert again.read() == {}
        database.execute("INSERT INTO things (id) VALUES ('z')")
        assert database.execute("SELECT max(serial) FROM things").fetchone() == (2,)
        database.rollback()
        again.close()


@pytest.mark.parametrize(
    ("create", "said"),
    [
        ("CREATE TABLE others (id TEXT)", "no table 'things'"),
        ("CREATE TABLE things (name TEXT)", "no column 'id'"),
        ("CREATE TABLE things (id TEXT, name TEXT)", "no column 'new'"),
        (f"{CREATE[:-1]}, CHECK (size > 5))", "CHECK constraint failed"),
    ],
)
def test_a_database_that_cannot_hold_the_rows_is_told_by_what_it_lacks(
    create: str, said: str
) -> None:
    with kept([row("a")], create) as state, pytest.raises(ServerUnavailable, match=said):
        state.settle()


def test_a_write_that_fails_half_way_leaves_nothing() -> None:
    with kept([row("a")], f"{CREATE[:-1]}, CHECK (size < 5))") as state:
        state.settle()
        with pytest.raises(ServerUnavailable):
            state.write({("things", "a"): row("a", name="M"), ("things", "b"): row("b", size=9)})
        assert state.read() == {}


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
VIEW = f"CREATE VIEW things AS {ENDLESS} SELECT i AS id FROM n"  # noqa: S608
TRIGGER = f"CREATE TRIGGER t AFTER UPDATE ON things BEGIN INSERT INTO more {ENDLESS} SELECT sum(i) FROM n; END"  # noqa: S608


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        ("ALTER TABLE things DROP COLUMN name", "has other columns than before"),
        ("DROP TABLE things", "no table 'things'"),
        (f"DROP TABLE things; {VIEW}", "no table 'things'"),
    ],
)
def test_rows_that_the_server_took_out_of_reach_are_trouble_and_no_change_of_theirs(
    statements: str, said: str
) -> None:
    with kept([row("a")]) as state:
        state.settle()
        with other(state) as database:
            database.executescript(statements)
        with pytest.raises(ServerUnavailable, match=said):
            state.read()


def test_a_database_that_never_ends_with_a_question_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sqlitestate, "ASKED_SECONDS", 0.3)
    with kept([row("a")]) as state:
        state.settle()
        with other(state) as database:
            database.execute("CREATE TABLE more (i)")
            database.execute(TRIGGER)
        with pytest.raises(ServerUnavailable, match="interrupted"):
            state.write({("things", "a"): row("a", name="M")})


def test_a_database_that_is_held_is_not_waited_for_to_put_it_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sqlitestate, "PATIENCE", 0.3)
    with kept([row("a")]) as state, other(state) as database:
        state.settle()
        database.execute("BEGIN EXCLUSIVE")
        again = SqliteFile(state.path, state.pristine, state.base)
        with pytest.raises(ServerUnavailable, match="not copied"):
            again.settle()
        again.close()


def test_a_server_that_fills_its_tables_when_it_starts_still_begins_with_the_records() -> None:
    with kept([row("a")]) as state:
        state.settle()
        with other(state) as database:  # as it would do with the copy that it finds
            database.execute("UPDATE things SET name = 'seed'")
        again = SqliteFile(state.path, state.pristine, state.base, is_copy=True)
        assert again.settle()
        assert again.read() == {}
        assert not SqliteFile(state.path, state.pristine, state.base, is_copy=True).settle()
        again.close()


def test_a_database_that_another_file_took_the_place_of_is_read_anew() -> None:
    with kept([row("a")]) as state:
        state.settle()
        state.read()
        draft = state.path.with_name("draft")
        shutil.copyfile(state.path, draft)
        with closing(sqlite3.connect(draft)) as database, database:
            database.execute("UPDATE things SET name = 'M'")
        draft.replace(state.path)
        assert state.read() == {("things", "a"): row("a", name="M")}


def test_a_row_without_its_key_can_be_no_record() -> None:
    with kept([row("a")], CREATE.replace("NOT NULL, name", ", name")) as state:
        state.settle()
        with other(state) as database:
            database.execute("INSERT INTO things (name) VALUES ('N')")
        with pytest.raises(NotJson, match="a row of 'things' has no 'id'"):
            state.read()


@pytest.mark.parametrize(
    ("kind", "key", "known"),
    [
        ("INTEGER PRIMARY KEY", "01", "1"),
        ("INTEGER PRIMARY KEY", " 1", "1"),
        ("INTEGER PRIMARY KEY", "+1", "1"),
        ("INTEGER PRIMARY KEY", "1.0", "1"),
        ("INTEGER PRIMARY KEY", "1e3", "1000"),
        ("REAL UNIQUE NOT NULL", "1", "1.0"),
    ],
)
def test_a_key_that_the_database_writes_otherwise_is_told_and_not_renamed(
    kind: str, key: str, known: str
) -> None:
    create = numbered(kind)
    said = re.escape(f"knows the row {key!r} of things as {known!r}: call it so")
    with kept([row(key)], create) as state, pytest.raises(ServerUnavailable, match=said):
        state.settle()
    with kept([row(known)], create) as state:
        state.settle()
        assert state.read() == {}
        with pytest.raises(ServerUnavailable, match=said):
            state.write({("things", key): row(key, name="M")})
        assert state.read() == {}


def test_a_row_that_a_trigger_takes_away_is_told() -> None:
    with kept([row("a")]) as state:
        with other(state) as database:
            database.execute(
                "CREATE TRIGGER t AFTER INSERT ON things BEGIN DELETE FROM things; END"
            )
        with pytest.raises(ServerUnavailable, match="does not keep the row 'a' of things"):
            state.settle()


@pytest.mark.parametrize("size", [2**63, -(2**63) - 1, 10**30])
def test_a_number_that_sqlite_cannot_hold_is_told_with_its_row(size: int) -> None:
    said = "table 'things' cannot hold 'size' of the row 'a'"
    with kept([row("a", size=size)]) as state, pytest.raises(ServerUnavailable, match=said):
        state.settle()
    with kept([row("a", size=2**63 - 1)]) as state:
        state.settle()
        with pytest.raises(ServerUnavailable, match=said):
            state.write({("things", "a"): row("a", size=size)})
        assert state.read() == {}


def test_a_text_that_sqlite_cannot_hold_is_told() -> None:
    with kept([row("a", name="\ud800")]) as state, pytest.raises(ServerUnavailable, match="surrog"):
        state.settle()


def test_rows_that_exchange_what_must_be_unique_keep_their_other_columns() -> None:
    create = CREATE.replace("size INTEGER", "size INTEGER UNIQUE, note TEXT DEFAULT 'new'")
    with kept([row("a", size=1), row("b", size=2), row("c", size=3)], create) as state:
        state.settle()
        with other(state) as database:
            database.execute("UPDATE things SET note = 'of ' || id")
            asked = "SELECT id, size, serial, note FROM things ORDER BY id"
            before = database.execute(asked).fetchall()
        exchanged: Snapshot = {
            ("things", "a"): row("a", size=2),
            ("things", "b"): row("b", size=1),
        }
        state.write(exchanged)
        assert state.read() == exchanged
        state.write({("things", "a"): row("a", size=1), ("things", "b"): row("b", size=2)})
        assert state.read() == {}
        with other(state) as database:
            assert database.execute(asked).fetchall() == before


def test_rows_that_take_what_a_third_one_keeps_are_left_as_they_were() -> None:
    create = CREATE.replace("size INTEGER", "size INTEGER UNIQUE")
    with kept([row("a", size=1), row("b", size=2), row("c", size=3)], create) as state:
        state.settle()
        with pytest.raises(ServerUnavailable, match="UNIQUE constraint failed"):
            state.write({("things", "a"): row("a", size=3), ("things", "b"): row("b", size=3)})
        assert state.read() == {}
