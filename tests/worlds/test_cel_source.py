"""worlds.cel_source"""

from __future__ import annotations

from typing import Any

import cel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.orders import DOMAIN, value
from worlds.cel_gates import Names
from worlds.cel_source import Source
from worlds.cel_tree import parse
from worlds.contract import contract_of


def rewritten(text: str) -> str:
    """What is given to the evaluator."""
    root = parse(text)
    names = Names(
        text,
        contract_of(DOMAIN),
        {"x": None, "n": {"type": "number"}, "i": {"type": "integer"}},
        (),
    )
    names.check(root)
    return Source(names.shapes).write(root)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("n * 2 > 3", "(n * 2.0) > 3"),
        ("i * 2", "i * 2"),
        ("i + n", "double(i) + n"),
        ("n - -3", "n - double(-3)"),
        ("x.exists(a, a > 1)", "x.exists(a, _tick() ? (a > 1) : false)"),
        ("x.map(a, a > 1, a)", "_over(x).map(a, _tick() ? (a > 1) : false, _keep(a))"),
        ("[1].map(a, a)", "[1].map(a, _keep(a))"),
        ("x + 'a'", "_keep(x + 'a')"),
        ("i + 1", "i + 1"),
        ("(x || true) && !(x == 1)", "(x || true) && !(x == 1)"),
        ("x.contains('a').size()", "x.contains('a').size()"),
        ("x.sum()", "sum(x)"),
        ("x ? 1 : {'a': [x]}", "x ? 1 : {'a': [x]}"),
    ],
)
def test_what_is_evaluated(text: str, source: str) -> None:
    assert rewritten(text) == source


expressions: st.SearchStrategy[str] = st.recursive(
    st.sampled_from(["1", "2", "7", "-3", "true", "false", "(1 == 1)"]),
    lambda inner: st.one_of(
        st.builds(
            "({} {} {})".format,
            inner,
            st.sampled_from(["+", "-", "*", "/", "%", "<", "==", "&&", "||"]),
            inner,
        ),
        st.builds(
            "{} {} {}".format,
            inner,
            st.sampled_from(["+", "-", "*", "<=", "!=", "&&", "||"]),
            inner,
        ),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
        st.builds("!({} == {})".format, inner, inner),
        st.builds("[{}, {}][0]".format, inner, inner),
    ),
    max_leaves=8,
)


def outcome(text: str, functions: dict[str, Any]) -> str:
    try:
        return repr(cel.compile(text).execute(cel.Context({}, functions)))
    except (ValueError, TypeError, ZeroDivisionError, OverflowError, RuntimeError) as error:
        return type(error).__name__


@given(expressions)
def test_rewriting_changes_no_meaning(text: str) -> None:
    assert outcome(rewritten(text), {"_keep": lambda kept: kept}) == outcome(text, {})


def test_an_objects_keys_are_gone_through_in_order() -> None:
    names = {"other": {f"k{number:02}": number for number in range(50)}}
    assert value("other.map(k, k)", names) == sorted(names["other"])
    assert value("other.filter(k, k != 'k00')", names) == sorted(names["other"])[1:]


def test_the_deepest_condition_that_is_read_can_also_be_written() -> None:
    text = "(x - " * 18 + "i" + ")" * 18
    assert callable(cel.compile(rewritten(f"x.all(a, x.exists(b, {text} == 1))")).execute)
