"""SQL inside of a source: mended by its tables, its values and what other statements ask for."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.sql import sql
from triage.proposers.sourceedits.sqltext import Query, Schema, tokens
from worlds.domain import Domain

SCHEMA = '''SCHEMA = """
CREATE TABLE IF NOT EXISTS meetings (
    meeting_id TEXT PRIMARY KEY, room_id TEXT REFERENCES rooms (room_id), start TEXT NOT NULL,
    "end" TEXT NOT NULL, status TEXT NOT NULL, first_day TEXT, last_day TEXT,
    FOREIGN KEY (room_id) REFERENCES rooms
);
CREATE TABLE rooms (room_id TEXT PRIMARY KEY, name TEXT, seats INTEGER DEFAULT (1));
"""
'''
OTHER = """
def going(c):
    return c.execute("SELECT * FROM meetings WHERE status = 'scheduled' AND start > ?", (1,))


def coming(c):
    return c.execute("SELECT * FROM meetings WHERE status = 'scheduled' ORDER BY start")
"""
DOMAIN = Domain.parse(
    {
        "tables": {
            "meetings": {
                "key": "meeting_id",
                "schema": {
                    "properties": {"status": {"enum": ["scheduled", "cancelled"], "type": "string"}}
                },
            }
        }
    }
)


def source(line: str, *neighbours: str) -> SourceCode:
    text = f"def f(c, a):\n    {line}\n"
    return SourceCode(text, DOMAIN, {"f": 1.0}, {}, [SCHEMA, *neighbours])


def edits(line: str, *neighbours: str) -> dict[str, Edit]:
    """Second line → edit."""
    return {each.source.split("\n")[1].strip(): each for each in sql(source(line, *neighbours))}


def best(line: str, *neighbours: str) -> Edit:
    return max(sql(source(line, *neighbours)), key=lambda each: each.likelihood)


@pytest.mark.parametrize(
    ("wrong", "right", "authority"),
    [
        (
            'c.execute("SELECT * FROM meeting WHERE start > ?", a)',
            'c.execute("SELECT * FROM meetings WHERE start > ?", a)',
            "CREATE TABLE meetings",
        ),
        (
            "c.execute('SELECT * FROM rooms WHERE roomid = ?', a)",
            "c.execute('SELECT * FROM rooms WHERE room_id = ?', a)",
            "the columns of room_id",
        ),
        (
            "c.execute(\"SELECT * FROM meetings WHERE status = 'canceled'\")",
            "c.execute(\"SELECT * FROM meetings WHERE status = 'cancelled'\")",
            "values of status: scheduled, cancelled",
        ),
        (
            'c.execute("UPDATE meetings SET status = ?", (1, 2))',
            'c.execute("UPDATE meetings SET status = ? WHERE meeting_id = ?", (1, 2))',
            "PRIMARY KEY meeting_id",
        ),
        (
            'c.execute("DELETE FROM rooms;", (1,))',
            'c.execute("DELETE FROM rooms WHERE room_id = ?;", (1,))',
            "PRIMARY KEY room_id",
        ),
    ],
)
def test_the_right_edit_is_the_likeliest_and_says_why(
    wrong: str, right: str, authority: str
) -> None:
    found = best(wrong)
    assert found.source.split("\n")[1].strip() == right
    assert found.authority == authority
    assert (found.function, found.line) == ("f", 2)
    assert found.says.endswith("in the SQL of `f`")


def test_a_comparison_that_other_statements_have_is_asked_for_too() -> None:
    found = edits('c.execute("SELECT * FROM meetings WHERE start > ?", a)', OTHER)
    right = """c.execute("SELECT * FROM meetings WHERE status = 'scheduled' AND start > ?", a)"""
    assert found[right].authority.startswith("`status = 'scheduled'`, as 2 of ")
    assert found[right].likelihood == max(each.likelihood for each in found.values())


def test_what_a_statement_asks_for_already_or_otherwise_is_not_asked_for() -> None:
    line = "c.execute(\"SELECT * FROM meetings WHERE status = 'cancelled'\")"
    assert not any("scheduled' AND" in code for code in edits(line, OTHER))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('x = "start < ? AND last_day >= ?"', 'x = "start <= ? AND last_day >= ?"'),
        ('x = "start < ? AND last_day >= ?"', 'x = "start < ? AND first_day >= ?"'),
        ('x = "start < ? AND last_day >= ?"', 'x = "start < ? OR last_day >= ?"'),
        ('x = "room_id IS NULL"', 'x = "room_id IS NOT NULL"'),
        ('x = "room_id IS NOT NULL"', 'x = "room_id IS NULL"'),
        (
            "x = \"start > ? AND status = 'scheduled'\"",
            "x = \"start > ? AND status = 'cancelled'\"",
        ),
        ("x = \"start > ? AND status = 'scheduled'\"", 'x = "start > ? "'),
        (
            'x = f"SELECT * FROM {a} WHERE start < ? ORDER BY start DESC"',
            'x = f"SELECT * FROM {a} WHERE start < ? ORDER BY start ASC"',
        ),
        (
            'x = f"SELECT * FROM {a} WHERE start < ? ORDER BY start DESC"',
            'x = f"SELECT * FROM {a} WHERE start <= ? ORDER BY start DESC"',
        ),
        ('x = "start < ? AND \'x\' < \\"end\\""', 'x = "start <= ? AND \'x\' < \\"end\\""'),
    ],
)
def test_pieces_of_statements_are_edited_too(line: str, wanted: str) -> None:
    assert wanted in edits(line)


@pytest.mark.parametrize(
    "line",
    [
        '"""Look: start < 5 and status = done."""',
        'x = "name it in the list, or like it"',
        'raise ValueError("The room is closed.")',
        'x = "CREATE TABLE rooms (room_id TEXT)"',
        'c.execute("UPDATE meetings SET status = ? WHERE meeting_id = :key" if a else "")',
        'x = "start BETWEEN ? AND ?"',
    ],
)
def test_prose_is_none_of_its_matters_nor_are_assignments_and_between(line: str) -> None:
    changed = [code for code in edits(line) if "OR" in code or "<>" in code.split("WHERE")[0]]
    assert not changed
    if "WHERE" not in line and "BETWEEN" not in line:
        assert not edits(line)


def test_nothing_is_edited_outside_of_what_is_suspected() -> None:
    code = SourceCode('def g(c):\n    c.execute("DELETE FROM room")\n', DOMAIN, {"f": 1.0})
    assert not list(sql(code))


@given(st.text(max_size=60))
def test_all_of_a_text_is_in_its_tokens_at_their_places(text: str) -> None:
    assert all(text[each.start : each.end] == each.text for each in tokens(text))


WORDS = re.findall(
    r"\S+",
    "SELECT * FROM meetings rooms WHERE status start = < 'x' ? AND OR NOT IS NULL IN EXISTS ( ) "
    "ORDER BY DESC UPDATE SET DELETE min max 5 , ; :a",
)
SQLISH = st.lists(
    st.sampled_from(
        WORDS,
    ),
    max_size=14,
).map(" ".join)


@given(SQLISH)
def test_edits_parse_and_change_nothing_but_the_sql(said: str) -> None:
    line = f'c.execute("{said}", (1, a))'
    made = list(sql(source(line, OTHER)))
    for each in made:
        ast.parse(each.source)
        assert each.source.startswith("def f(c, a):\n    c.execute(")
        assert each.source.endswith(", (1, a))\n")
        assert each.source != source(line).text
        assert 0 < each.likelihood <= 1
    assert made == list(sql(source(line, OTHER)))


def test_tables_are_told_by_their_statements_and_else_by_the_contract() -> None:
    schema = Schema.of([SCHEMA], Domain.parse({"tables": {"extra": {"key": "id", "schema": {}}}}))
    assert list(schema.tables["rooms"]) == ["room_id", "name", "seats"]
    assert "end" in schema.tables["meetings"]
    assert "foreign" not in schema.tables["meetings"]
    assert schema.key("rooms") == "room_id"
    assert "extra" in schema.tables
    assert Query("start < ?", schema).tables == ["meetings"]
