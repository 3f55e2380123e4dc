"""Literals that a field can never have, as far as schemas prove it."""

from __future__ import annotations

import pytest

from tests.worlds.shop import DOMAIN, checked
from worlds.conditions import row_shape
from worlds.domain import Domain
from worlds.literals import impossible

SHOP = Domain.parse(DOMAIN)
ORDER = {"order": row_shape(SHOP, "orders")}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("order.status == 'canceled'", "order.status is never 'canceled'"),
        ("'canceled' == order.status", "order.status is never 'canceled'"),
        ("order.status in ['lost', 'canceled']", "order.status is never 'lost' or 'canceled'"),
        ("get('orders', 'W1').status == 'canceled'", "get(…).status is never 'canceled'"),
        ("size(find('orders', {'status': 'canceled'})) > 0", "orders.status is never 'canceled'"),
        ("find('orders', {'user_id': 'a'}).exists(o, o.status == 'x')", "o.status is never 'x'"),
    ],
)
def test_a_text_outside_the_enum_is_told_with_what_is_inside(text: str, what: str) -> None:
    (why,) = impossible(text, SHOP, ORDER)
    assert why == f"{what}: its schema allows pending, delivered, cancelled"


@pytest.mark.parametrize(
    "text",
    [
        "order.status == 'pending'",
        "order.status in ['pending', 'lost']",
        "order.status != 'canceled'",
        "order.user_id == 'canceled'",
        "order.status == order.user_id",
        "order.status == 'canceled",
    ],
)
def test_what_may_be_and_what_cannot_be_told_is_not(text: str) -> None:
    assert list(impossible(text, SHOP, ORDER)) == []


def test_a_goal_that_asks_for_such_a_value_has_a_warning() -> None:
    goal = {"goal": {"require": ["get('orders', order.order_id).status == 'canceled'"]}}
    found = [
        (item.severity, item.place)
        for item in checked(intent=goal).findings
        if item.code == "condition-invalid"
    ]
    assert found == [("warning", "goal.require[0]")]
    defined = {"define": {"gone": goal["goal"]["require"][0]}, "goal": {"require": ["gone"]}}
    messages = [item.message for item in checked(intent=defined).findings]
    assert "get(…).status is never 'canceled': its schema allows" in messages[0]
