"""worlds.criteria"""

from __future__ import annotations

from typing import Any

import pytest

from agents import panel
from tests.worlds.shop import Whole, bundle, checked, codes
from worlds.bundle import Pin
from worlds.check import check
from worlds.criteria import PINNED, criteria_findings
from worlds.world import World

NOTHING = "goal.changes lets nothing change that it looks at"
CANCELLED = "get('orders', order.order_id).status == 'cancelled'"


def conflicts(goal: dict[str, Any], **changes: Any) -> list[tuple[str, str]]:
    """Place and message of every conflict in the shop's intent with another goal."""
    world = World(bundle(intent={"goal": Whole({"outcome": "done", **goal})}, **changes))
    return [(item.place, item.message) for item in criteria_findings(world)]


def test_the_shops_goal_has_no_conflict() -> None:
    assert criteria_findings(World(bundle())) == []


def test_two_conditions_that_exclude_each_other_are_named_once_at_the_later_one() -> None:
    found = conflicts({"require": [CANCELLED, "order.total > 0", f"!({CANCELLED})"]})
    assert found == [
        (
            "goal.require[2]",
            f"No state satisfies both “{CANCELLED}” and “!({CANCELLED})”.",
        )
    ]


def test_a_condition_that_excludes_itself_is_named_alone() -> None:
    both = f"{CANCELLED} && get('orders', order.order_id).status == 'pending'"
    assert conflicts({"require": [CANCELLED, both]}) == [
        ("goal.require[1]", f"No state at all satisfies “{both}”.")
    ]


def test_what_definitions_hide_is_seen_all_the_same() -> None:
    goal = {"goal": Whole({"require": ["gone", "!gone"], "changes": []})}
    world = World(bundle(intent={"define": {"gone": CANCELLED}, **goal}))
    found = [item.message for item in criteria_findings(world)]
    assert "No state satisfies both “gone” and “!gone”." in found
    assert any(f"“gone” is false at the start, and {NOTHING}" in message for message in found)


@pytest.mark.parametrize(
    ("changes", "looked_at"),
    [
        ([], "orders#status"),
        (["refunds/+1"], "orders#status"),
        (["orders/{order.order_id}#reason", "refunds/+1"], "orders#status"),
        (["orders/+1"], "orders#status"),
    ],
)
def test_a_condition_on_what_may_not_change_is_a_conflict(
    changes: list[str], looked_at: str
) -> None:
    assert conflicts({"require": [CANCELLED], "changes": changes}) == [
        (
            "goal.require[0]",
            f"“{CANCELLED}” is false at the start, and {NOTHING} ({looked_at}).",
        )
    ]


@pytest.mark.parametrize(
    ("require", "changes"),
    [
        (CANCELLED, ["orders/{order.order_id}#status"]),
        (CANCELLED, ["orders/{order.order_id}"]),
        (CANCELLED, ["orders/*"]),
        (CANCELLED, None),
        ("find('orders', {'status': 'cancelled'}).size() == 1", ["orders/{order.order_id}#status"]),
        ("count('refunds') == 1", ["refunds/+1"]),
        ("get('refunds', 'R1').amount == 20.0", ["refunds/+1"]),  # an error at the start, not false
        ("has(get('orders', 'W9').status)", ["orders/+1"]),
        ("now() > '2025-03-02'", []),  # time passes
        ("order.status == 'pending'", []),  # true already
        (
            "start_get('orders', order.order_id).status == 'cancelled'",
            ["orders/*"],
        ),  # the plan's fault
    ],
)
def test_what_may_change_or_is_not_known_is_no_conflict(
    require: str, changes: list[str] | None
) -> None:
    assert conflicts({"require": [require], "changes": changes}) == []


def test_a_volatile_table_may_always_change() -> None:
    goal = {"require": [CANCELLED], "changes": []}
    assert conflicts(goal, domain={"volatile": ["orders/*"]}) == []


STATUS = {"status": {"before": "pending", "after": "cancelled"}}
EFFECT = [{"table": "orders", "key": "W1", "op": "update", "fields": STATUS}]
REFUND = {"table": "refunds", "key": "+refunds:1", "op": "insert"}
FRESH = [*EFFECT, {**REFUND, "row": {"refund_id": "+refunds:1"}}]
W1 = Pin(binding={"order": "W1", "user": "ann"}, effect=EFFECT)
W1_FRESH = Pin(binding={"order": "W1", "user": "ann"}, effect=FRESH)


def test_a_pinned_effect_that_may_not_be_made_is_a_conflict() -> None:
    found = conflicts({"matches_plan": True, "changes": ["refunds/+1"]}, pinned=W1)
    assert found == [
        (
            "goal.changes",
            f"{PINNED} changes what goal.changes does not allow: orders/W1#status.",
        )
    ]


def test_a_pinned_effect_that_does_not_satisfy_a_condition_is_a_conflict() -> None:
    wanted = "get('orders', order.order_id).status == 'delivered'"
    assert conflicts({"matches_plan": True, "require": [CANCELLED, wanted]}, pinned=W1) == [
        (
            "goal.require[1]",
            f"No state satisfies both “{CANCELLED}” and “{wanted}”.",
        ),
        (
            "goal.require[1]",
            f"{PINNED} does not satisfy “{wanted}”.",
        ),
    ]


@pytest.mark.parametrize(
    "require", [CANCELLED, "count('refunds') == 7", "get('refunds', 'R1').amount == 20.0"]
)
def test_a_pinned_effect_says_nothing_of_new_rows_whose_keys_it_masks(require: str) -> None:
    assert conflicts({"matches_plan": True, "require": [require]}, pinned=W1_FRESH) == []


def test_a_pinned_effect_on_rows_that_are_gone_says_nothing() -> None:
    gone = Pin(binding=W1.binding, effect=[{**EFFECT[0], "key": "W9"}])
    goal = {"matches_plan": True, "require": ["get('orders', 'W9').total == 1.0"]}
    assert conflicts(goal, pinned=gone) == []


def test_a_check_names_the_conflict_beside_the_plan_that_misses_the_goal() -> None:
    result = checked(intent={"goal": {"changes": ["refunds/+1"]}})
    assert codes(result) == {"criteria-conflict": "blocking", "plan-misses-goal": "blocking"}
    assert {item.component for item in result.findings} == {"cancel"}


def test_a_check_names_the_conflict_where_there_is_no_plan() -> None:
    goal = {"goal": {"require": [CANCELLED, f"!({CANCELLED})"]}, "plans": Whole({})}
    result = check(bundle(intent=goal), panel())
    assert codes(result) == {"criteria-conflict": "blocking"}
