"""worlds.relations.spelling"""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.relations.cases import FIND, case, checked, seen
from worlds.relations.spelling import respelled

READ = {**FIND, "as": "found"}
ASKED = "I am {user.name}. What does order {order.order_id} cost?"


def found(answer: dict[str, Any], finish: dict[str, Any], **goal: Any) -> set[Any]:
    plan = [READ, {"finish": finish}]
    made = case({"answer": answer, "changes": [], **goal}, plan, instruction=ASKED)
    return seen(checked(made))


def test_a_number_asked_for_as_text_is_sensitive_to_its_spelling() -> None:
    answer = {"total": {"type": "string", "equals": "order.total"}}
    assert found(answer, {"answer": {"total": "20"}}) == {
        ("spelling-sensitive", "warning", "goal other spelling")
    }


def test_a_number_asked_for_as_a_number_is_not() -> None:
    answer = {"total": {"type": "number", "equals": "order.total"}}
    assert found(answer, {"answer": {"total": "{found.total}"}}) == set()


def test_an_amount_with_its_unit_is_a_text_and_so_sensitive() -> None:
    fact, finish = "$20 in all", {"message": "That is $20 in all."}
    assert found({}, finish, mentions=[fact]) == {
        ("spelling-sensitive", "warning", "goal other spelling")
    }


def test_an_amount_by_itself_is_not() -> None:
    codes = {code for code, _, _ in found({}, {"message": "That is $20."}, mentions=["$20"])}
    assert "spelling-sensitive" not in codes


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("It costs $1234.50.", "It costs $1,234.50."),
        ("It costs 1,234.50 now", "It costs 1234.50 now"),
        ("12.5 and 12.50", "12.50 and 12.5"),
        ("$12", "$12.00"),
        ("-1234.5", "-1,234.5"),
        ("in 2025, room 12, order #W1234, on 2025-03-01 at 12:30", None),
    ],
)
def test_amounts_are_written_otherwise_and_nothing_else_is(text: str, other: str | None) -> None:
    assert respelled(text) == (other or text)
