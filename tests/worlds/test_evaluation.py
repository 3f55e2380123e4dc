"""worlds.evaluation"""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.worlds.orders import compiled, order, records, value, view
from worlds.conditions import ConditionFailed, ConditionSpent


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("get('orders', 'o7').total", 7.0),
        ("get('orders', 'none') == null", True),
        ("find('orders', {'status': 'done'}).map(o, o.order_id)", ["o1", "o2", "o3"]),
        ("find('orders', {'status': 'done', 'total': 2.0})[0].order_id", "o2"),
        ("find('orders', {'total': 2})[0].total", 2.0),
        ("find('orders', {'items[].item_id': '9-3'})[0].order_id", "o9"),
        ("find('orders', {'order_id': order.order_id}).size()", 1),
        ("find('notes', {'price': 25.5})[0].text", "Hello"),
        ("count('orders')", 300),
        ("count('orders', {'status': 'done'}) * 2", 6),
        ("count('orders', {'status': 'nothing'})", 0),
    ],
)
def test_records_are_read(text: str, expected: Any) -> None:
    assert repr(value(text)) == repr(expected)


def test_the_start_and_what_changed_are_seen() -> None:
    state = records()
    state.put("orders", "o1", order(1, status="gone"))
    state.put("orders", "o2", order(2, status="done", total=2.0))
    state.delete("orders", "o3")
    state.put("orders", "new", order(9, order_id="new"))
    truths = {
        "get('orders', 'o1').status": "gone",
        "start_get('orders', 'o1').status": "done",
        "start_get('orders', 'new') == null": True,
        "start_find('orders', {'status': 'done'}).size()": 3,
        "find('orders', {'status': 'done'}).size()": 1,
        "changed('orders', 'o1')": True,
        "changed('orders', 'o1', 'status')": True,
        "changed('orders', 'o1', 'total')": False,
        "changed('orders', 'o2')": False,
        "changed('orders', 'o3') && changed('orders', 'o3', 'status')": True,
        "changed('orders', 'new', 'status')": True,
        "changed('orders', 'nowhere')": False,
    }
    assert {text: value(text, state=state) for text in truths} == truths


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("find('orders', {'status': 'pending'}).size()", "297 rows of orders match; at most 200"),
        ("find('orders', other).size()", "at least one field"),
        ("find(order.status, {'a': 1}).size()", "no table 'pending'"),
        ("count(order.status)", "no table 'pending'"),
        ("count('orders', order.status)", "fields and their values"),
        ("get('orders', 7)", "a key is text, not 7"),
        ("get('orders', other)", "a key is text, not None"),
    ],
)
def test_misuse_fails_with_a_sentence(text: str, why: str) -> None:
    with pytest.raises(ConditionFailed, match=why):
        value(text)


BIG = [
    {"id": str(n), "a": n * 1.5, "b": ["x", "y"], "c": {"d": "e"}, "s": "word"} for n in range(1000)
]
ENDLESS = [
    "other.all(a, other.all(b, a.a + b.a >= 0.0))",
    "other.map(a, other.map(b, a)).size() > 0",
    "other.all(a, other.all(b, other == other))",
    " || ".join(["other.exists(a, other.exists(b, a.id == 'x'))"] * 80),
    " || ".join(["other.map(a, other.map(b, b)).size() < 0"] * 90),
    "other.exists(a, sort_by(other, 'a') == [])",
    "other.map(a, [a, a, a, a, a, a, a, a]).map(b, [b, b, b, b, b, b, b, b]).size() > 0",
]


@pytest.mark.parametrize("text", ENDLESS, ids=range(len(ENDLESS)))
def test_the_worst_conditions_that_the_gates_allow_end_in_seconds(text: str) -> None:
    condition = compiled(text)
    began = time.thread_time()
    with pytest.raises(ConditionFailed, match="more than"):
        condition.evaluate(view(), {"other": BIG})
    assert time.thread_time() - began < 5


def test_no_or_hides_that_the_budget_is_gone() -> None:
    numbers = {"other": list(range(1000))}
    with pytest.raises(ConditionFailed, match="more than 100000 rounds"):
        value("other.all(a, other.all(b, a + b >= 0)) || true", numbers)
    with pytest.raises(ConditionFailed, match="more than 200000 values"):
        value(
            "other.exists(a, other.exists(b, size('x' + b) < 0)) || true",
            {"other": ["x" * 60_000] * 20},
        )


def test_a_spent_budget_is_not_the_next_evaluations() -> None:
    with pytest.raises(ConditionFailed):
        value("other.all(a, other.all(b, true))", {"other": list(range(1000))})
    assert value("other.all(a, other.all(b, true))", {"other": list(range(300))}) is True


def test_a_typical_condition_is_cheap() -> None:
    looked_at = view()
    names = {"order": looked_at.records.get("orders", "o7")}
    condition = compiled(
        "get('orders', order.order_id).status == 'pending' && sum(order.items.map(i, i.price)) > 5.0"
    )
    condition.holds(looked_at, names)
    began = time.thread_time()
    for _ in range(500):
        condition.holds(looked_at, names)
    assert (time.thread_time() - began) / 500 < 0.001


def test_conditions_share_an_allowance_so_that_many_costly_ones_end_together() -> None:
    looked_at = view()
    costly = compiled("other.all(a, other.all(b, true))")
    names = {"other": list(range(300))}
    began = time.thread_time()

    def all_of_them() -> None:
        for _ in range(200):
            assert costly.evaluate(looked_at, names)

    with pytest.raises(ConditionSpent, match="all of an attempt may use together"):
        all_of_them()
    assert time.thread_time() - began < 10
    with pytest.raises(ConditionSpent):
        costly.evaluate(looked_at, names)
    assert costly.evaluate(view(), names)


def test_rows_that_do_not_match_are_counted_too() -> None:
    text = "other.all(a, count('orders', {'status': 'pending', 'total': -1.0 - double(a)}) == 0)"
    state = records()
    for number in range(400):
        state.put("orders", f"n{number}", order(number, order_id=f"n{number}"))
    with pytest.raises(ConditionFailed, match="more than 200000 values"):
        value(text, {"other": list(range(1000))}, state=state)


def test_a_pattern_that_is_large_is_not_compiled_for_long() -> None:
    text = r"other.all(a, 'a'.matches('(((a{30}){30}){30}|\\w{900})') || true)"
    began = time.thread_time()
    with pytest.raises(ConditionFailed, match="seconds"):
        value(text, {"other": list(range(1000))})
    assert time.thread_time() - began < 2
