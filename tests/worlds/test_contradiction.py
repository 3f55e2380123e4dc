"""worlds.contradiction"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.orders import DOMAIN, records
from worlds.cel_errors import ConditionFailed
from worlds.cel_tree import parse
from worlds.conditions import View, compile_condition
from worlds.contradiction import contradictory


def excludes(one: str, other: str) -> bool:
    return contradictory(parse(one), parse(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "!a"),
        ("a.b(1)", "!(a.b( 1 ))"),
        ("x == 'p'", "x == 'q'"),
        ("x == 'p'", "'q' == x"),
        ("x == 'p'", 'x != "p"'),
        ("x['a'] == 1", "x.a == 2"),
        ("x < 5", "x >= 5"),
        ("x < 5", "x > 5.0"),
        ("x < 5", "5 < x"),
        ("x <= 4", "!(x < 5)"),
        ("x < 'b'", "x >= 'c'"),
        ("x == 5", "x < 5"),
        ("x == 5", "x == '5'"),
        ("x == -1", "x > 0"),
        ("x == null", "x == 'p'"),
        ("x in ['p', 'q']", "x == 'r'"),
        ("x in ['p', 'q']", "x in ['r']"),
        ("x in ['p', 'q']", "!(x in ['q', 'p', 's'])"),
        ("x in []", "y"),
        ("x < y", "y <= x"),
        ("x == y", "y != x"),
        ("x == y", "x < y"),
        ("a && x == 'p'", "b && x == 'q'"),
        ("x == 'p' || x == 'q'", "x == 'r'"),
        ("x == 'p' || x == 'q'", "!(x == 'p') && x != 'q'"),
        ("a ? x == 'p' : x == 'q'", "x == 'r'"),
        ("a ? x == 'p' : x == 'q'", "!a && x == 'p'"),
        ("get('t', k) == null", "get('t', k).status == 'done'"),
        ("xs.exists(i, i.a == 1)", "!xs.exists(j, j.a == 1)"),
        ("false", "x"),
        ("x < 1 && x > 2", "true"),
    ],
)
def test_what_excludes_each_other_is_found(one: str, other: str) -> None:
    assert excludes(one, other)
    assert excludes(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "b"),
        ("a", "a"),
        ("x == 'p'", "y == 'q'"),
        ("x.a == 'p'", "x.b == 'q'"),
        ("x != 'p'", "x != 'q'"),
        ("x < 5", "x > 4"),
        ("x <= 5", "x >= 5"),
        ("!(x < 5)", "!(x >= 5)"),  # a number that is none meets both
        ("x in ['p', 'q']", "x in ['q', 'r']"),
        ("x in xs", "x in ys"),
        ("x <= y", "y <= x"),
        ("x == 'p' || a", "x == 'q'"),
        ("x == 'p' || x == 'q'", "x == 'r' || x == 'q'"),
        ("a ? x == 'p' : x == 'q'", "x == 'q'"),
        ("get('t', k) == null", "get('t', other).status == 'done'"),
        ("x == null", "has(x.a) || b"),
        ("x == 9007199254740993", "x == 9007199254740992"),
        ("x == 1", "x == 1.0"),
        ("xs.exists(i, i == 1)", "xs.exists(i, i == 2)"),
        ("x == '\\u0041'", "x == 'A'"),
        ("true", "true"),
    ],
)
def test_what_can_both_hold_is_not_said_to_exclude(one: str, other: str) -> None:
    assert not excludes(one, other)
    assert not excludes(other, one)


def test_too_many_alternatives_prove_nothing() -> None:
    some = " && ".join(f"(a{number} || b{number})" for number in range(12))
    assert not excludes(some, "x == 1 && x == 2")


NAMES = ("x", "y")
VALUES: list[Any] = [None, True, False, 0, 1, 2, 1.5, "p", "q", ""]
LITERALS = ["null", "true", "false", "0", "1", "2", "1.5", "'p'", "'q'", "''"]
TERM = st.sampled_from(NAMES)
ORDERS = ["==", "!=", "<", "<=", ">", ">="]
ATOM = st.one_of(
    TERM,
    st.tuples(TERM, st.sampled_from(ORDERS), st.sampled_from([*LITERALS, *NAMES])).map(" ".join),
    st.tuples(st.sampled_from(LITERALS), st.sampled_from(["==", "<", ">="]), TERM).map(" ".join),
    st.tuples(TERM, st.lists(st.sampled_from(LITERALS), max_size=3)).map(
        lambda it: f"{it[0]} in [{', '.join(it[1])}]"
    ),
)
CONDITION = st.recursive(
    ATOM,
    lambda inner: st.one_of(
        inner.map(lambda text: f"!({text})"),
        st.tuples(inner, st.sampled_from(["&&", "||"]), inner).map(
            lambda it: f"({it[0]}) {it[1]} ({it[2]})"
        ),
        st.tuples(inner, inner, inner).map(lambda it: f"({it[0]}) ? ({it[1]}) : ({it[2]})"),
    ),
    max_leaves=4,
)
VIEW = View(records(), datetime(2025, 1, 1, tzinfo=UTC))


def _holds(text: str, names: dict[str, Any]) -> bool:
    condition = compile_condition(text, DOMAIN, dict.fromkeys(NAMES))
    try:
        return condition.holds(View(VIEW.records, VIEW.now), names)
    except ConditionFailed:
        return False


@given(CONDITION, CONDITION)
def test_no_values_meet_both_of_what_is_said_to_exclude_each_other(one: str, other: str) -> None:
    if excludes(one, other):
        for values in product(VALUES, repeat=2):
            names = dict(zip(NAMES, values, strict=True))
            assert not (_holds(one, names) and _holds(other, names)), names


@given(CONDITION, CONDITION)
def test_it_does_not_matter_which_is_named_first(one: str, other: str) -> None:
    assert excludes(one, other) == excludes(other, one)


@given(ATOM)
def test_nothing_holds_together_with_its_own_negation(text: str) -> None:
    assert excludes(text, f"!({text})")
