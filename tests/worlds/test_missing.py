"""Calls with ids that no row has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents import panel
from tests.worlds.outside import BLIND, JSON, bundle, install, settings
from tests.worlds.shop import INTENT, SOURCE, Whole, checked, codes
from worlds.check import check
from worlds.servers import Servers

UNGUARDED = SOURCE.replace(
    "    order = find_order(order_id)\n", '    order = db.get("orders", order_id)\n'
)
PLAN = INTENT["plans"]["default"]


@pytest.fixture
def outside() -> Iterator[None]:
    yield
    Servers.install(None)


def test_a_tool_without_a_guard_crashes_on_an_id_that_no_row_has() -> None:
    result = checked(source=UNGUARDED)
    (item,) = result.findings
    assert (item.code, item.severity) == ("tool-crash", "warning")
    assert result.status == "solvable"
    line = UNGUARDED[: UNGUARDED.index('order["status"]')].count("\n") + 1
    assert (item.place, item.symbol) == (f"cancel_order:{line}", "cancel_order.order_id")
    assert item.message == (
        "cancel_order crashes when order_id names what no row has, such as 'W4': "
        "TypeError: 'NoneType' object is not subscriptable"
    )
    assert item.evidence["args"] == {"order_id": "W4", "reason": "changed"}


def test_a_crash_that_an_episode_shows_is_told_of_once() -> None:
    source = SOURCE.replace("    if order is None:\n", "    if False:\n", 1)
    source = source.replace("    return order\n", '    return {**order, "seen": True}\n', 1)
    assert [item.severity for item in checked(source=source).findings] == ["blocking"]


def test_a_refusal_and_an_empty_answer_are_right() -> None:
    empty = SOURCE.replace('raise ValueError("There is no such order.")', "return {}", 1)
    empty = empty.replace('if order["status"]', 'if order.get("status")', 1)
    assert checked().findings == []
    assert checked(source=empty).findings == []


def test_an_id_inside_an_argument_is_exchanged_too() -> None:
    source = (
        SOURCE
        + '''

def close(order_ids: list[str]) -> list:
    """Close several orders."""
    return [db.update("orders", order_id, {}) for order_id in order_ids]
'''
    )
    look = {"call": "close", "args": {"order_ids": ["{order.order_id}"]}}
    result = checked(source=source, intent={"plans": Whole(default=[look, *PLAN])})
    assert ("tool-crash", "close.order_ids") in {
        (item.code, item.symbol) for item in result.findings
    }


def test_what_a_guard_stops_or_no_row_has_is_not_tried() -> None:
    forced = {"call": "set_status", "args": {"order_id": "W3", "status": "delivered"}}
    result = checked(intent={"plans": Whole(default=[forced, *PLAN])})
    assert "tool-crash" not in codes(result)


@pytest.mark.usefixtures("outside")
def test_outside_servers_are_asked_where_their_state_can_be_put_back() -> None:
    crash = (
        "import outside_shop; was = outside_shop.called; "
        "outside_shop.called = lambda store, name, args: "
        "exec('import os; os._exit(1)') if name == 'cancel_order' and "
        "args['order_id'] not in store.read()['orders'] else was(store, name, args); "
    )
    python, flag, _, kind, path = JSON["command"]
    start = f"{crash}outside_shop.main({kind!r}, {path!r})"
    command = [python, flag, "-c", start]
    install(shop=settings(command=command, env={"PYTHONPATH": "tests/worlds"}))
    result = check(bundle(), panel())
    assert ("tool-crash", "cancel_order.order_id") in {
        (item.code, item.symbol) for item in result.findings
    }
    install(shop=settings(BLIND))
    assert "tool-crash" not in codes(check(bundle(), panel()))
