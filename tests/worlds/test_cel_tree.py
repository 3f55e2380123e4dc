"""worlds.cel_tree"""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.cel_errors import ConditionInvalid
from worlds.cel_tree import DEPTH_LIMIT, TEXT_LIMIT, literal_text, parse, walk


def test_one_node_stands_for_one_thing_said() -> None:
    root = parse("get('orders', a.b).items.exists(i, i.price + 1 - 2 > -x[0])")
    assert [node.kind for node in walk(root)] == [
        "macro", "field", "call", "literal", "field", "name",
        "chain", "chain", "field", "name", "literal", "literal", "sign", "index", "name", "literal",
    ]  # fmt: skip
    assert root.variable == "i"
    assert root.parts[1].operators == (">",)
    assert root.parts[1].parts[0].operators == ("+", "-")


def test_the_receiver_of_a_method_is_its_first_argument() -> None:
    root = parse("a.close(b, 1)")
    assert (root.kind, root.text, [part.text for part in root.parts]) == (
        "call",
        "close",
        ["a", "b", "1"],
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a b", "unexpected 'b' at column 3"),
        ("a ==", "ends too early at column 5"),
        ("", "ends too early"),
        ("a &&\n  )", r"unexpected '\)' at line 2, column 3"),
        ("'open", 'unexpected "\'" at column 1'),
        ("a ? b", "ends too early"),
        ("Thing{a: 1}", "no such expression at column 1"),
        ("a || .b", "no such expression at column 6"),
        ("xs.map(1, 2)", "map takes a new name"),
        ("xs.exists(x)", "exists takes a new name"),
        ("xs.all(x, y, z)", "all takes a new name"),
    ],
)
def test_wrong_syntax_is_refused_with_its_position(text: str, place: str) -> None:
    with pytest.raises(ConditionInvalid, match=place):
        parse(text)


@pytest.mark.parametrize(
    "text", ["r'a'", 'R"a"', "b'a'", "'''a'''", '"""a"""', "'\\q'", "'a' + r'\\'"]
)
def test_text_that_two_parsers_might_read_differently_is_refused(text: str) -> None:
    with pytest.raises(ConditionInvalid, match=r"written plainly|syntax"):
        parse(text)


def test_a_control_character_is_refused() -> None:
    with pytest.raises(ConditionInvalid, match="control character at column 3"):
        parse("a \r// b")


def test_a_long_text_is_refused_and_a_just_fitting_one_is_not() -> None:
    assert parse("a" * TEXT_LIMIT).kind == "name"
    with pytest.raises(ConditionInvalid, match="at most 4000 characters, this one 4001"):
        parse("a" * (TEXT_LIMIT + 1))


@pytest.mark.parametrize(
    "text", ["x" + ".y" * 60, "!" * 60 + "x", "[" * 60 + "]" * 60, "f(" * 60 + ")" * 60]
)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(ConditionInvalid, match=f"at most {DEPTH_LIMIT} levels"):
        parse(text)


def test_a_long_chain_is_not_deep() -> None:
    assert len(parse(" && ".join(["a"] * 500)).parts) == 500


@pytest.mark.parametrize(
    ("text", "said"), [("'a b'", "a b"), ('"a"', "a"), ("'a\\'b'", None), ("1", None), ("a", None)]
)
def test_literal_text_is_what_stands_between_the_quotes(text: str, said: str | None) -> None:
    assert literal_text(parse(text)) == said


@given(st.text(max_size=60))
def test_any_text_is_a_tree_or_refused(text: str) -> None:
    with contextlib.suppress(ConditionInvalid):
        assert list(walk(parse(text)))
