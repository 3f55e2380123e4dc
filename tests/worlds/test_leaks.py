"""What tools keep beside the records, and what they leave to chance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents import panel
from tests.worlds.outside import bundle, install, settings
from tests.worlds.shop import INTENT, SOURCE, Whole, checked, codes
from worlds.check import check
from worlds.servers import Servers

HELPER = """
_SEEN = []


def _note(store: list, order_id: str) -> int:
    store.append(order_id)
    return len(store)
"""
CLOSURE = """
def _counter():
    seen = []

    def count(order_id: str) -> int:
        seen.append(order_id)
        return len(seen)

    return count


_count = _counter()
"""
PLAN = INTENT["plans"]["default"]


def leaking(module: str, how: str) -> str:
    """The shop's source whose `find_order` tells how often it was called."""
    return module + SOURCE.replace(
        "    return order\n", f'    return {{**order, "calls": {how}}}\n', 1
    )


@pytest.mark.parametrize(
    "source",
    [leaking(HELPER, "_note(_SEEN, order_id)"), leaking(CLOSURE, "_count(order_id)")],
    ids=["a list handed on", "a closure"],
)
def test_a_tool_that_counts_its_calls_beside_the_records_leaks(source: str) -> None:
    result = checked(source=source)
    assert codes(result) == {"state-leak": "blocking"}
    (item,) = result.findings
    assert (item.kind, item.component, item.symbol) == ("toolserver", "shop", "find_order")
    assert "find_order gave calls 1 and " in item.message
    assert item.evidence["line"] > 1


def test_what_an_earlier_call_of_the_same_episode_left_is_a_leak_though_every_replay_is_alike() -> (
    None
):
    module = (
        "\n_LAST = {}\n\n\ndef _keep(store: dict, value: str) -> None:\n    store['is'] = value\n"
    )
    source = (
        module
        + SOURCE.replace("    return order\n", "    _keep(_LAST, order_id)\n    return order\n", 1)
        + '\n\ndef last() -> str:\n    """The order looked at last."""\n    return _LAST.get("is", "")\n'
    )
    steps = [PLAN[0], {"call": "last"}, *PLAN[1:]]
    (item,) = checked(source=source, intent={"plans": Whole(default=steps)}).findings
    assert (item.code, item.symbol, item.evidence["again"]) == ("state-leak", "last", "")


def test_a_constant_handed_on_and_a_list_of_the_call_s_own_are_no_leak() -> None:
    module = HELPER.replace("_SEEN = []", "_SEEN = [1]").replace("store.append(order_id)", "pass")
    source = leaking(module, "_note(_SEEN, order_id) + _note([], order_id)")
    assert checked(source=source).findings == []


@pytest.fixture
def outside() -> Iterator[None]:
    install(shop=settings())
    yield
    Servers.install(None)


def planned(how: str) -> dict[str, Any]:
    cancel = {"call": "cancel_order", "args": {"order_id": "{order.order_id}", "reason": "changed"}}
    finish = {"finish": {"answer": {"refund": 20}}}
    steps = [{"call": "misbehave", "args": {"how": how}}, cancel, finish]
    return {"plans": Whole(default=steps), "open": ["misbehave.how", "cancel_order.reason"]}


@pytest.mark.usefixtures("outside")
def test_a_server_that_answers_by_chance_is_named_with_the_tool() -> None:
    result = check(bundle(intent=planned("count")), panel())
    assert codes(result) == {"nondeterministic": "blocking"}
    (item,) = result.findings
    assert (item.kind, item.component, item.symbol) == ("toolserver", "shop", "misbehave")


@pytest.mark.usefixtures("outside")
def test_a_server_that_always_answers_the_same_is_not() -> None:
    assert check(bundle(intent=planned("nothing")), panel()).findings == []
