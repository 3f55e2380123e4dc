"""worlds.definitions"""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.cel_errors import ConditionInvalid
from worlds.cel_tree import Node, parse
from worlds.definitions import Definitions


def written(text: str, **define: str) -> str:
    return Definitions(define).written_out(text)


def test_a_name_stands_for_its_condition_wherever_it_is_used() -> None:
    text = written("cancels && !(cancels || free)", cancels="after.status == 'cancelled'")
    assert text == "(after.status == 'cancelled') && !((after.status == 'cancelled') || free)"


def test_a_definition_may_use_others_in_any_order() -> None:
    define = {"late": "!early", "early": "hour < noon", "noon": "12"}
    assert written("late", **define) == "(!(hour < (12)))"


def test_fields_functions_texts_and_bound_variables_are_no_uses() -> None:
    text = "row.paid && paid() && x['paid'] && all.exists(paid, paid > 0)"
    assert written(text, paid="1 == 1") == text


def test_what_a_comprehension_runs_over_is_outside_of_it() -> None:
    assert written("paid.all(paid, paid > 0)", paid="[1]") == "([1]).all(paid, paid > 0)"


@pytest.mark.parametrize("define", [{"a": "a"}, {"a": "b + 1", "b": "c", "c": "!a"}])
def test_what_is_defined_by_itself_is_refused(define: dict[str, str]) -> None:
    with pytest.raises(ConditionInvalid, match="'a' is defined by itself"):
        written("a", **define)


def test_a_variable_that_hides_what_a_definition_stands_on_is_refused() -> None:
    with pytest.raises(ConditionInvalid, match="'after' hides a name that 'cancels' stands on"):
        written("rows.all(after, cancels)", cancels="after.status == 'cancelled'")


def test_a_definition_of_wrong_syntax_is_refused() -> None:
    with pytest.raises(ConditionInvalid, match="ends too early"):
        written("cancels", cancels="after.status ==")


def chain(length: int) -> dict[str, str]:
    return {**{f"a{n}": f"!a{n + 1}" for n in range(length)}, f"a{length}": "true"}


@pytest.mark.parametrize("first", ["a0", "a999"])
def test_definitions_that_stand_too_deep_on_one_another_are_refused_in_any_order(
    first: str,
) -> None:
    definitions = Definitions(chain(1_000))
    for name in (first, *(f"a{n}" for n in range(999, 960, -1))):
        with suppress(ConditionInvalid):
            definitions.written_out(name)
    with pytest.raises(ConditionInvalid, match="at most 40 deep"):
        definitions.written_out("a900")


def test_a_definition_is_written_out_once_however_often_others_use_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def noting(text: str) -> Node:
        seen.append(text)
        return parse(text)

    monkeypatch.setattr("worlds.definitions.parse", noting)
    define = {**{f"a{n}": f"a{n + 1} && a{n + 1}" for n in range(8)}, "a8": "true"}
    written("a0 || a0 || a0", **define)
    assert seen.count("true") < 10


def test_a_comment_at_the_end_of_a_definition_ends_there() -> None:
    out = parse(written("(paid || (free\n))", paid="x == 1 // by card"))
    assert shape(out, {}) == shape(parse("(x == 1) || free"), {})


def shape(node: Node, define: dict[str, Node]) -> tuple[object, ...]:
    """A tree without positions, definitions put in their places."""
    if node.kind == "name" and node.text in define:
        return shape(define[node.text], {})
    inner = {name: each for name, each in define.items() if name != node.variable}
    parts = [shape(part, define) for part in node.parts[:1]]
    parts += [shape(part, inner) for part in node.parts[1:]]
    return (node.kind, node.text, node.operators, node.variable, tuple(parts))


LEAVES = st.sampled_from(["p", "q", "x.p", "f(p)", "1", "'p'"])
TEXTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds("({} && {})".format, inner, inner),
        st.builds("!({})".format, inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
        st.builds("xs.exists(p, {})".format, inner),
    ),
    max_leaves=8,
)


@given(TEXTS, st.sampled_from(["1 < 2 || f", "[1, 2]", "-y", "a.b"]))
def test_writing_out_puts_the_tree_of_a_definition_in_the_place_of_its_name(
    text: str, meaning: str
) -> None:
    out = parse(written(text, p=meaning))
    assert shape(out, {}) == shape(parse(text), {"p": parse(f"({meaning})")})
