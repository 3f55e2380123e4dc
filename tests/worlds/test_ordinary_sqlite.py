"""Databases as people make them: keys that the database counts, join tables, unique columns, columns of its own."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from worlds.domain import Domain
from worlds.exchange import NotJson
from worlds.records import Base, Snapshot
from worlds.recordset import Recordset
from worlds.servers import ServerUnavailable
from worlds.sqlitestate import SqliteFile


def _table(key: str, **fields: Any) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in fields.items()}
    return {"key": key, "schema": {"type": "object", "properties": properties}}


DOMAIN = Domain.parse(
    {
        "tables": {
            "people": _table("id", id="string", name="string", boss_id=["string", "null"], age="integer"),
            "skills": _table("skill", skill="string", person_id="string", name="string", level="integer"),
        }
    }
)  # fmt: skip
CREATE = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE people (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, boss_id INTEGER REFERENCES people,
        age INTEGER, created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    );
    CREATE TABLE skills (
        person_id INTEGER NOT NULL REFERENCES people ON DELETE CASCADE, name TEXT NOT NULL, level INTEGER,
        PRIMARY KEY (person_id, name)
    ) WITHOUT ROWID;
    CREATE TABLE log (line TEXT);
"""
ANN = {"id": "7", "name": "Ann", "boss_id": None, "age": 50}
BO = {"id": "12", "name": "Bo", "boss_id": "7", "age": 30}
KNOT = {"skill": "12|knots", "person_id": "12", "name": "knots", "level": 2}


@contextmanager
def kept(*skills: dict[str, Any]) -> Iterator[SqliteFile]:
    """A database with Ann, Bo and skills."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "server.db"
        with closing(sqlite3.connect(path)) as database:
            database.executescript(CREATE)
        tables = {"people": [ANN, BO], "skills": [*skills]}
        base = Base(DOMAIN, Recordset.parse({"tables": tables}))
        state = SqliteFile(path, Path(folder) / "pristine.db", base)
        yield state
        state.close()


@contextmanager
def server(state: SqliteFile) -> Iterator[sqlite3.Connection]:
    """The server's own connection."""
    with closing(sqlite3.connect(state.path)) as database, database:
        database.execute("PRAGMA foreign_keys = ON")
        yield database


def test_keys_that_the_database_counts_are_texts_of_digits_in_rows_and_what_names_them() -> None:
    with kept(KNOT) as state:
        state.settle()
        assert state.read() == {}
        with server(state) as database:
            database.execute("INSERT INTO people (name, boss_id, age) VALUES ('Cy', 12, 20)")
            database.execute("UPDATE people SET boss_id = 13 WHERE id = 12")
        assert state.read() == {
            ("people", "12"): {**BO, "boss_id": "13"},
            ("people", "13"): {"id": "13", "name": "Cy", "boss_id": "12", "age": 20},
        }


def test_a_row_that_is_taken_back_has_never_been_counted() -> None:
    with kept() as state, server(state) as database:
        state.settle()
        for _ in range(2):
            database.execute("INSERT INTO people (name) VALUES ('Cy')")
            database.commit()
            assert set(state.read()) == {("people", "13")}
            state.write({("people", "13"): None})
        assert state.read() == {}


def test_a_join_table_has_the_values_of_its_key_between_bars_as_key() -> None:
    with kept(KNOT) as state:
        state.settle()
        with server(state) as database:
            database.execute("UPDATE skills SET level = 3")
            database.execute("INSERT INTO skills VALUES (7, 'chess | go', 1)")
        chess = {"skill": "7|chess | go", "person_id": "7", "name": "chess | go", "level": 1}
        assert state.read() == {
            ("skills", "12|knots"): {**KNOT, "level": 3},
            ("skills", "7|chess | go"): chess,
        }
        state.write(
            {("skills", "12|knots"): None, ("skills", "7|chess | go"): {**chess, "level": 9}}
        )
        with server(state) as database:
            assert database.execute("SELECT * FROM skills").fetchall() == [(7, "chess | go", 9)]
        assert state.read()["skills", "12|knots"] is None


def test_a_row_of_a_join_table_under_another_key_is_told_how_to_be_called() -> None:
    with kept({**KNOT, "skill": "K1"}) as state, pytest.raises(ServerUnavailable) as caught:
        state.settle()
    assert str(caught.value) == (
        "its table 'skills' has no column 'skill' and knows the row 'K1' by person_id|name: "
        "call it '12|knots'"
    )


def test_a_key_that_could_be_taken_apart_in_two_ways_is_none() -> None:
    with kept() as state:
        with closing(sqlite3.connect(state.path)) as database, database:
            database.executescript(
                "DROP TABLE skills; CREATE TABLE skills (person_id, name, level, PRIMARY KEY (name, person_id))"
            )
        state.settle()
        with server(state) as database:
            database.execute("INSERT INTO skills VALUES (7, 'chess|go', 1)")
        with pytest.raises(NotJson, match="part of a key of 'skills'"):
            state.read()


def test_what_must_be_unique_is_given_on_whatever_the_order_of_the_rows() -> None:
    with kept() as state:
        state.settle()
        state.write({("people", "12"): {**BO, "name": "Cy"}, ("people", "13"): {**BO, "id": "13"}})
        back: Snapshot = {("people", "12"): BO, ("people", "13"): {**BO, "id": "13", "name": "Dee"}}
        state.write(back)
        assert state.read() == {("people", "13"): {**BO, "id": "13", "name": "Dee"}}
        state.write({("people", "12"): {**BO, "name": "Dee"}, ("people", "13"): None})
        assert state.read() == {("people", "12"): {**BO, "name": "Dee"}}


def test_two_rows_that_must_not_be_alike_are_refused_and_leave_nothing() -> None:
    with kept() as state:
        state.settle()
        with pytest.raises(ServerUnavailable, match=r"UNIQUE constraint failed: people\.name"):
            state.write({("people", "12"): {**BO, "name": "Ann"}, ("people", "13"): None})
        assert state.read() == {}


def test_columns_and_tables_that_the_domain_does_not_know_stay_as_the_server_has_them() -> None:
    with kept() as state:
        state.settle()
        with server(state) as database:
            database.execute("UPDATE people SET age = 51, created_at = '2020-01-01' WHERE id = 7")
            database.execute("INSERT INTO log VALUES ('looked')")
        assert state.read() == {("people", "7"): {**ANN, "age": 51}}
        state.write({("people", "7"): ANN})
        with server(state) as database:
            query = "SELECT created_at FROM people WHERE id = 7"
            assert database.execute(query).fetchone() == ("2020-01-01",)
            assert database.execute("SELECT line FROM log").fetchall() == [("looked",)]
        again = SqliteFile(state.path, state.pristine, state.base)
        assert again.settle()
        again.close()
        with server(state) as database:
            assert database.execute("SELECT line FROM log").fetchall() == []
