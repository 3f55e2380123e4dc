"""worlds.uncounted"""

from __future__ import annotations

import pytest

from tests.worlds.shop import bundle
from worlds.uncounted import uncounted_findings
from worlds.world import World


def unused(volatile: list[str], changes: list[str]) -> list[tuple[str, str, str]]:
    intent = {"goal": {"changes": changes}}
    world = World(bundle(domain={"volatile": volatile}, intent=intent))
    return [
        (item.code, item.place, item.evidence["volatile"]) for item in uncounted_findings(world)
    ]


ORDER = "orders/{order.order_id}#status,reason"


@pytest.mark.parametrize(
    ("volatile", "place"),
    [
        ("refunds/*", "goal.changes[1]"),
        ("orders/*", "goal.changes[0]"),
        ("orders/*#reason", "goal.changes[0]"),
        ("*/*#reason", "goal.changes[0]"),
    ],
)
def test_what_is_volatile_cannot_be_counted(volatile: str, place: str) -> None:
    assert unused([volatile], [ORDER, "refunds/+1"]) == [("criteria-unused", place, volatile)]


@pytest.mark.parametrize("volatile", ["users/*", "orders/*#total", "*/*#total", "users/*#name"])
def test_what_the_goal_does_not_name_may_be_volatile(volatile: str) -> None:
    assert unused([volatile], [ORDER, "refunds/+1"]) == []


def test_a_field_may_be_volatile_where_a_whole_row_is_named() -> None:
    assert unused(["orders/*#reason"], ["orders/{order.order_id}", "refunds/+1"]) == []
