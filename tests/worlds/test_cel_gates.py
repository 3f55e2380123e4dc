"""worlds.cel_gates"""

from __future__ import annotations

import pytest

from tests.worlds.orders import DOMAIN, ORDER, compiled
from worlds.conditions import ConditionInvalid, NameUnknown, compile_condition

LOOPS_REFUSED = [
    "other.map(a, other.filter(b, other.exists(c, c == a)))",
    "other.all(a, other.all(b, other.all(c, true)))",
    "other.map(a, sum(other.map(b, size(other.filter(c, c == a)))))",
    "other.all(a, other.filter(b, other.exists_one(c, c == b)).map(d, d) == [])",
    "other.exists(a, true ? [other.map(b, {'x': other.existsOne(c, c == 1)})] == [] : false)",
    "other.map(a, find('orders', {'status': other.map(b, other.map(c, c))[0]}))",
    "[1].map(a, [a, a]).map(b, [b, b]).map(c, [c, c])",
    "[1].map(a, {'x': a, 'y': a}).map(b, {'x': b, 'y': b}).exists(c, c == 1)",
]
LOOPS_ALLOWED = [
    "other.map(a, other.exists(b, b == a))",
    "other.filter(a, a > 1).map(a, a * 2).filter(a, a > 3).exists(a, a == 4)",
    "other.map(a, other.filter(b, b > a).map(c, c * 2))",
    "other.all(a, true) && other.all(b, other.all(c, true)) || other.exists(d, true)",
    "other.map(a, other.exists(b, true)).all(c, c)",
    "sum(sort_by(other.filter(a, a.x > 1), 'x').map(b, b.x)) > 3.0",
]


@pytest.mark.parametrize("text", LOOPS_REFUSED)
def test_three_loops_inside_one_another_are_refused(text: str) -> None:
    with pytest.raises(ConditionInvalid, match="at most one inside another"):
        compiled(text)


@pytest.mark.parametrize("text", LOOPS_ALLOWED)
def test_two_loops_and_any_row_of_loops_are_allowed(text: str) -> None:
    assert compiled(text).text == text


def test_literals_and_sums_that_could_grow_are_bounded() -> None:
    constants = "order.status in [" + ", ".join(f"'{number}'" for number in range(200)) + "]"
    numbers = " + ".join(["order.total"] * 100) + " > 0.0"
    assert [compiled(text).variables for text in (constants, numbers)] == [{"order"}, {"order"}]
    with pytest.raises(ConditionInvalid, match="at most 32 entries"):
        compiled("other == [" + ", ".join(["other"] * 33) + "]")
    with pytest.raises(ConditionInvalid, match="at most 16 terms, this one 17"):
        compiled(" + ".join(["other"] * 17) + " == ''")


UNKNOWN = [
    ("statsu == 'x'", "unknown name 'statsu'.*order, other", 1),
    ("order.statsu == 'x'", "unknown field 'statsu'.*status", 1),
    ("order['statsu'] == 'x'", "unknown field 'statsu'", 7),
    ("has(order.statsu)", "unknown field 'statsu'", 5),
    ("order.items.all(i, i.prise > 1.0)", "unknown field 'prise' .there are item_id, price", 20),
    ("order.items[0].prise > 1.0", "'prise'", 1),
    ("order.items.filter(i, true).map(i, i.prise)", "'prise'", 36),
    ("order.items.map(i, i)[0].prise", "'prise'", 1),
    ("sort_by(order.items, 'prise')", "'prise'", 22),
    ("min(order.items.map(i, i.price), i)", "unknown name 'i'", 34),
    ("order.items.all(i, true) && i.price > 1.0", "unknown name 'i'", 29),
    ("get('order', 'o1') == null", "unknown table 'order'.*notes, orders", 5),
    ("get('orders', 'o1').statsu", "'statsu'", 1),
    ("start_get('orders', 'o1').statsu", "'statsu'", 1),
    ("find('orders', {'statsu': 'x'}).size()", "'statsu'", 17),
    ("find('orders', {'itms[].price': 1.0}).size()", "'itms'", 17),
    ("find('orders', {'status': 'x'}).exists(o, o.statsu == 1)", "'statsu'", 43),
    ("start_find('orders', {'status': 'x'})[0].statsu", "'statsu'", 1),
    ("count('order') > 1", "unknown table", 7),
    ("count('orders', {'statsu': 1}) > 1", "'statsu'", 18),
    ("changed('order', 'o1')", "unknown table", 9),
    ("changed('orders', 'o1', 'statsu')", "'statsu'", 25),
    ("upper('a')", "unknown function 'upper'", 1),
    ("other.foo(1)", "unknown function 'foo'", 1),
    ("cel.bind(x, 1, x)", "unknown function 'bind'", 1),
    ("optional.of(1)", "unknown function 'of'", 1),
    ("other.exists(i, _tick())", "unknown function '_tick'", 17),
    ("local(now(), 'UTC').wekday", "'wekday'", 1),
]


@pytest.mark.parametrize(("text", "message", "column"), UNKNOWN)
def test_a_name_that_does_not_exist_is_refused_with_its_place(
    text: str, message: str, column: int
) -> None:
    with pytest.raises(NameUnknown, match=message) as caught:
        compiled(text)
    assert f"at column {column}," in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "other.anything.at[0].all",
        "order.open.unlisted",
        "order.either.unlisted",
        "order.prices.unlisted > 1.0",
        "order.prices[order.status] > 1.0",
        "order.order_id == 'o1'",
        "order[order.status] == 1",
        "get('notes', 'n1').whatever == 1",
        "find('notes', {'whatever.a': 1}).exists(n, n.b)",
        "get(order.status, 'o1').whatever",
        "find(order.status, {'a': 1})[0].whatever",
        "find('orders', {order.status: 1})[0].status",
        "find('orders', {'items[].price': 1.0}).size() == 0",
        "changed('orders', 'o1', order.status)",
        "order.items.all(order, order.price > 1.0)",
        "[order, other][0].whatever",
        "(order.total > 1.0 ? order : other).whatever",
        "order.prices.all(name, name != '')",
        "type(order.total) == double",
        "timestamp(now()).getHours() == 10",
    ],
)
def test_what_is_not_known_may_be_called_anything(text: str) -> None:
    assert compiled(text).text == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size(order, other)", "size takes 1 argument, not 2"),
        ("order.items.size(1)", "size takes 1 argument, not 2"),
        ("get('orders')", "get takes 2 arguments, not 1"),
        ("changed('orders')", "changed takes 2 or 3 arguments, not 1"),
        ("now(1)", "now takes 0 arguments, not 1"),
        ("min()", "min takes at least 1 arguments, not 0"),
        ("find('orders', {})", "find needs at least one field"),
        ("has(order)", "does not compile"),
        ("order.status.package == 1 || package", "unknown|does not compile"),
    ],
)
def test_a_call_that_cannot_work_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConditionInvalid, match=message):
        compiled(text)


def test_the_callers_functions_take_what_they_take() -> None:
    condition = compile_condition(
        "refused('x') && !refused()", DOMAIN, {"order": ORDER}, ["refused"]
    )
    assert condition.functions == {"refused"}
    with pytest.raises(NameUnknown, match="'refused'"):
        compile_condition("refused('x')", DOMAIN, {"order": ORDER})


def test_a_condition_knows_what_it_needs() -> None:
    condition = compiled("order.items.all(other, other.price > 1.0 && count('orders') > 0)")
    assert condition.variables == {"order"}
    assert condition.functions == {"count"}
