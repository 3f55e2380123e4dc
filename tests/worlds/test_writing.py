"""Reading tools that write, and writing ones that change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents import panel
from tests.worlds.outside import bundle, install, settings
from tests.worlds.shop import INTENT, Whole, checked, codes
from worlds.check import check
from worlds.servers import Servers

PLAN = INTENT["plans"]["default"]


def planned(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"plans": Whole(default=[*steps, *PLAN])}


def idle(**changes: Any) -> list[tuple[str, str]]:
    return [(i.severity, i.place) for i in checked(**changes).findings if i.code == "idle-step"]


PENDING: dict[str, Any] = {
    "call": "set_status",
    "args": {"order_id": "{order.order_id}", "status": "pending"},
}


def test_a_call_that_writes_what_is_there_already_is_idle() -> None:
    assert idle(intent=planned(PENDING)) == [("warning", "plans.default[0]")]


def test_a_read_that_changes_nothing_is_not_idle() -> None:
    assert idle(intent=planned({"call": "list_users"})) == []


def test_a_write_that_only_leaves_a_trace_is_not_idle() -> None:
    goal = {"goal": {"changes": None}}
    done = {**PENDING, "args": {**PENDING["args"], "status": "cancelled"}}
    undone = planned(done, PENDING)
    assert idle(intent={**undone, **goal}) == []


@pytest.fixture
def outside() -> Iterator[None]:
    install(shop=settings())
    yield
    Servers.install(None)


def peeking(how: str) -> dict[str, Any]:
    cancel = {"call": "cancel_order", "args": {"order_id": "{order.order_id}", "reason": "changed"}}
    peek = {"call": "peek", "args": {"how": how}}
    finish = {"finish": {"answer": {"refund": 20}}}
    return {
        "plans": Whole(default=[peek, cancel, finish]),
        "goal": {"changes": ["orders/*", "refunds/+1"]},
        "open": ["peek.how", "cancel_order.reason"],
    }


@pytest.mark.usefixtures("outside")
def test_a_tool_that_is_declared_to_read_only_and_writes_is_named() -> None:
    result = check(bundle(intent=peeking("write")), panel())
    assert codes(result)["read-writes"] == "blocking"
    item = next(each for each in result.findings if each.code == "read-writes")
    assert (item.kind, item.symbol) == ("toolserver", "peek")
    assert "orders/W3" in item.message


@pytest.mark.usefixtures("outside")
def test_what_the_domain_calls_volatile_may_change_in_a_read() -> None:
    made = bundle(intent=peeking("write"), domain={"volatile": ["orders/*#total"]})
    assert check(made, panel()).findings == []


@pytest.mark.usefixtures("outside")
def test_a_tool_that_says_nothing_of_itself_may_change_nothing() -> None:
    calm = peeking("nothing")
    calm["plans"]["default"][0]["call"] = "misbehave"
    calm["open"][0] = "misbehave.how"
    assert check(bundle(intent=calm), panel()).findings == []
