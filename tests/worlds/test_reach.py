"""Goals that nobody can meet, proven without a search."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import INTENT, SOURCE, Whole, checked

READS = SOURCE[: SOURCE.index("def cancel_order")] + SOURCE[SOURCE.index("def list_users") :]


def found(require: str, **changes: Any) -> list[tuple[str, str, str]]:
    result = checked(intent={"goal": {"require": [require]}}, **changes)
    return [(item.code, item.severity, item.place) for item in result.findings]


@pytest.mark.parametrize(
    "require",
    [
        "order.status == 'delivered'",
        "start_get('orders', order.order_id).status == 'delivered'",
        "size(start_find('orders', {'user_id': order.user_id})) > 9",
    ],
)
def test_a_requirement_of_the_start_that_is_false_can_never_be_met(require: str) -> None:
    assert found(require) == [("goal-unreachable", "blocking", "goal.require[0]")]


@pytest.mark.parametrize(
    "require",
    [
        "get('orders', order.order_id).status == 'cancelled'",
        "order.status == 'pending'",
        "changed('orders', order.order_id)",
    ],
)
def test_one_that_is_true_or_that_a_call_can_make_true_is_left_to_the_plan(require: str) -> None:
    assert "goal-unreachable" not in {code for code, _, _ in found(require)}


def _without_writes(require: str, plans: dict[str, Any]) -> list[str]:
    intent = {"plans": Whole(plans), "goal": Whole(require=[require])}
    return [item.code for item in checked(intent=intent, source=READS).findings]


def test_where_no_tool_writes_what_is_false_stays_false() -> None:
    wanted = "get('orders', order.order_id).status == 'cancelled'"
    assert _without_writes(wanted, {}) == ["goal-unreachable"]
    assert _without_writes("now() > '2025-03-01T10:00:00+00:00'", {}) == []


def test_a_plan_that_cannot_be_right_is_told_by_what_it_did() -> None:
    plan = {"default": [INTENT["plans"]["default"][0], {"finish": {}}]}
    wanted = "get('orders', order.order_id).status == 'cancelled'"
    assert _without_writes(wanted, plan) == ["plan-misses-goal"]
