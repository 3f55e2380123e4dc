"""Rows that are otherwise than all others of their table."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import DOMAIN, checked
from worlds.domain import Domain
from worlds.findings import Finding
from worlds.oddrows import odd_rows
from worlds.records import Base
from worlds.recordset import Recordset

USERS: list[dict[str, Any]] = [
    {"user_id": "ann", "name": "Ann", "desk": 1},
    {"user_id": "bob", "name": "Bob", "desk": 2.5},
    *({"user_id": f"u{n}", "name": "Someone", "desk": n} for n in range(18)),
]
SCHEMA = {"type": "object", "required": ["user_id", "name"]}


def found(rows: list[dict[str, Any]], schema: dict[str, Any] = SCHEMA) -> list[Finding]:
    domain = Domain.parse({"tables": {"users": {"key": "user_id", "schema": schema}}})
    base = Base(domain, Recordset.parse({"tables": {"users": rows}}))
    return [item for items in odd_rows(base, "small").values() for item in items]


def with_bob(**changes: Any) -> list[dict[str, Any]]:
    bob = {name: value for name, value in {**USERS[1], **changes}.items() if value is not ...}
    return [USERS[0], bob, *USERS[2:]]


@pytest.mark.parametrize(
    ("desk", "said"), [(..., "lacks desk"), (None, "has null in desk"), ("12", "has '12' in desk")]
)
def test_the_only_row_that_is_otherwise_is_a_warning(desk: Any, said: str) -> None:
    (item,) = found(with_bob(desk=desk))
    assert (item.code, item.severity, item.component) == ("row-invalid", "warning", "small")
    assert (item.place, item.symbol) == ("users/bob#desk", "users.desk")
    assert item.message == (
        f"users/bob {said}, where every other row of users has a value of type number."
    )


def test_rows_that_are_alike_are_sound() -> None:
    assert found(USERS) == []


def test_two_rows_are_a_habit_and_few_rows_show_none() -> None:
    rows = with_bob(desk=...)
    assert found([*rows, {"user_id": "eve", "name": "Eve"}]) == []
    assert found(rows[:19]) == []


def test_a_field_that_only_one_row_has_is_no_habit_of_the_others() -> None:
    assert found([{**USERS[0], "vip": True}, *USERS[1:]]) == []


def test_null_that_the_schema_speaks_of_is_meant() -> None:
    allowed = {**SCHEMA, "properties": {"desk": {"type": ["number", "null"]}}}
    assert found(with_bob(desk=None), allowed) == []
    assert len(found(with_bob(desk=...), allowed)) == 1


def test_an_environment_that_touches_the_row_is_warned() -> None:
    users = [dict(user) for user in USERS]
    del users[0]["desk"]
    schema = {**DOMAIN["tables"]["users"]["schema"], "additionalProperties": True}
    changes = {"tables": {"users": {"schema": schema}}}
    result = checked(records={"tables": {"users": users}}, domain=changes)
    assert [(item.code, item.place) for item in result.findings] == [
        ("row-invalid", "users/ann#desk")
    ]
    assert result.status == "solvable"


def test_a_row_that_breaks_its_schema_is_told_of_once() -> None:
    schema = {**DOMAIN["tables"]["users"]["schema"], "additionalProperties": True}
    strict = {**schema, "required": ["user_id", "name", "desk"]}
    users = [{"user_id": "ann", "name": "Ann"}, *USERS[1:]]
    result = checked(
        records={"tables": {"users": users}}, domain={"tables": {"users": {"schema": strict}}}
    )
    assert [(item.code, item.severity) for item in result.findings] == [("row-invalid", "blocking")]
