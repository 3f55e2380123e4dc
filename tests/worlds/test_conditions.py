"""worlds.conditions"""

from __future__ import annotations

import logging
from typing import Any

import pytest

from tests.worlds.orders import DOMAIN, ORDER, compiled, value, view
from worlds.conditions import ConditionFailed, ConditionInvalid, NameUnknown, compile_condition
from worlds.domain import Domain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("order.total == 7 && order.total == 7.0", True),
        ("order.total * 2 == 14", True),
        ("order.total + order.count", 10.0),
        ("order.total / 2", 3.5),
        ("order.count / 2", 1),
        ("order.items.map(i, i.price * 2)", [6.0, 2.0, 4.0]),
        ("sum(order.items.map(i, i.price)) / 3", 2.0),
        ("max(order.items.map(i, i.price)) - 1", 2.0),
        ("order.prices.a + 1", 3.0),
        ("order.prices['a'] == 2", True),
        ("order.refund == null", True),
        ("'1' + string(order.count)", "13"),
        ("order.status in ['pending', 'done']", True),
        ("other == 25.0", True),
        ("-order.total + 1 < 0", True),
    ],
)
def test_numbers_do_what_people_expect(text: str, expected: Any) -> None:
    assert repr(value(text, {"other": 25})) == repr(expected)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("get('orders', 'none').status == 'x'", "does not fit its values"),
        ("order.open.c == 1", "there is no field 'c'"),
        ("order.items[9].price > 1.0", "out of bounds"),
        ("1 / (order.count - 3) > 0", "divides by zero"),
        ("order.status > 3", "does not fit"),
        ("other.x == 1", "does not fit"),
        ("order.status.getHours() == 1", "getHours does not take such a value"),
        ("timestamp('noon') == timestamp('noon')", "timestamp"),
    ],
)
def test_an_error_is_a_failure_with_a_short_sentence(text: str, why: str) -> None:
    with pytest.raises(ConditionFailed, match=why) as caught:
        value(text)
    assert text in str(caught.value)
    assert len(str(caught.value)) < 250


def test_an_error_that_the_other_side_makes_up_for_is_none(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert value("min([]) == 1 || order.total > 1.0") is True
        assert value("!(other.x == 1 && order.total < 1.0)") is True
    assert caplog.records == []


def test_only_true_and_false_hold() -> None:
    looked_at = view()
    assert compiled("1 == 1").holds(looked_at, {}) is True
    assert compiled("1 == 2").holds(looked_at, {}) is False
    with pytest.raises(ConditionFailed, match="neither true nor false, but a int"):
        compiled("1").holds(looked_at, {})


def test_a_name_without_a_value_is_a_failure() -> None:
    with pytest.raises(ConditionFailed, match="nothing was given for the name 'order'"):
        compiled("order.total > 1.0").holds(view(), {"other": 1})


def test_names_that_are_not_used_cost_nothing_and_may_be_anything() -> None:
    assert compiled("order.total > 1.0").holds(view(), {"order": {"total": 2}, "other": [0] * 5000})


def test_a_value_that_is_too_large_is_a_failure_that_names_it() -> None:
    with pytest.raises(ConditionFailed, match="other: a list of 5000 elements"):
        value("size(other) > 0", {"other": [0] * 5000})


def test_the_callers_functions_are_called_and_their_errors_told() -> None:
    condition = compile_condition("twice(2) == 4", DOMAIN, {}, ["twice"])
    assert condition.holds(view(), {}, {"twice": lambda number: number * 2})

    def broken(_number: int) -> int:
        raise ValueError("not today")

    with pytest.raises(ConditionFailed, match="twice: not today"):
        condition.holds(view(), {}, {"twice": broken})


def test_a_condition_can_be_evaluated_inside_itself() -> None:
    condition = compile_condition(
        "depth == 0 || inner(depth - 1)", DOMAIN, {"depth": None}, ["inner"]
    )
    looked_at = view()

    def inner(depth: int) -> bool:
        return condition.holds(looked_at, {"depth": depth}, {"inner": inner})

    assert inner(5)


def test_evaluating_changes_no_row() -> None:
    looked_at = view()
    row = looked_at.records.get("orders", "o7")
    before = repr(row)
    value("sort_by(order.items, 'price').map(i, i.price * 2)", {"order": row})
    assert repr(row) == before
    assert looked_at.records.diff() == []


def test_the_same_condition_is_compiled_once_for_each_scope() -> None:
    text = "order.total > 1.0"
    assert compiled(text) is compiled(text)
    assert compile_condition(text, DOMAIN, {"order": ORDER}) is not compiled(text)
    with pytest.raises(NameUnknown):
        compile_condition(text, DOMAIN, {})
    other = Domain.parse({"tables": {}})
    with pytest.raises(NameUnknown, match="unknown table"):
        compile_condition("get('orders', 'o1') == null", other, {})


def test_a_condition_that_was_built_never_to_end_is_refused() -> None:
    with pytest.raises(ConditionInvalid, match="one inside another"):
        compiled("other.all(a, other.all(b, other.all(c, a + b + c >= 0)))")


@pytest.mark.parametrize(
    "text", ["package == 1", "order.total == 99999999999999999999", "order.for == 1", "1. == 1"]
)
def test_what_only_the_evaluator_refuses_is_invalid_too(text: str) -> None:
    with pytest.raises(ConditionInvalid):
        compiled(text, package=None)
