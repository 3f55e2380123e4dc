"""worlds.relations.arguments"""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.relations.cases import DONE, FIND, call, case
from tests.worlds.relations.subjects import subject_of
from worlds.relations.arguments import Arguments, made
from worlds.relations.subject import Subject

PLAN = [FIND, call("set_status", order_id="{order.order_id}", status="cancelled"), DONE]


@pytest.fixture(scope="module")
def subject() -> Subject:
    goal = {"require": ["get('orders', order.order_id).status == 'cancelled'"]}
    return subject_of(case(goal, PLAN, instruction="Cancel order {order.order_id}."))


def args(subject: Subject, tool: str, *, own: bool) -> dict[str, Any]:
    first = next(Arguments(subject, own=own).calls(subject.world.tools[tool][2]))
    return first.args


def test_keys_are_those_of_the_rows_that_were_changed_or_of_others(subject: Subject) -> None:
    assert args(subject, "explain", own=True)["order_id"] == "W1"
    assert args(subject, "explain", own=False)["order_id"] != "W1"


def test_values_that_were_seen_under_the_same_name_come_first(subject: Subject) -> None:
    assert args(subject, "set_status", own=True) == {"order_id": "W1", "status": "cancelled"}


def test_every_call_fits_the_schema_of_its_tool(subject: Subject) -> None:
    for _, _, tool in subject.world.tools.values():
        calls = list(Arguments(subject, own=False).calls(tool))
        assert calls
        assert [tool.refuse(each.args) for each in calls] == [None] * len(calls)


@pytest.mark.parametrize(
    ("description", "value"),
    [("the day, YYYY-MM-DD", "2025-03-15"), ("YYYY-MM-DDTHH:MM, in tz", "2025-03-15T10:00")],
)
def test_a_day_is_given_where_the_description_asks_for_one(
    subject: Subject, description: str, value: str
) -> None:
    schema = {"type": "string", "description": description}
    assert Arguments(subject, own=False).values("when", schema)[0] == value


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"enum": ["a", "b"]}, ["a", "b"]),
        ({"const": 3}, [3]),
        ({"type": ["integer", "null"], "minimum": 5}, [5]),
        ({"type": "object", "required": ["n"], "properties": {"n": {"const": 1}}}, [{"n": 1}]),
        ({"type": "object", "required": ["n"], "properties": {"n": {"type": "null"}}}, []),
    ],
)
def test_the_plainest_values_of_a_schema_are_made_up(schema: Any, values: list[Any]) -> None:
    assert made(schema) == values
