"""Pieces of conditions as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.proposers.intents.celtext import conjuncts, literal, sides, tree
from worlds.cel_tree import literal_text

PARTS = st.sampled_from(
    ["a == 'x && y'", "b.exists(c, c.d && c.e)", "!f", "(g || h)", "i in ['&&']", "j > 2"]
)


@given(st.text(max_size=60))
def test_a_literal_says_its_text_or_is_none(text: str) -> None:
    said = literal(text)
    node = tree(said) if said is not None else None
    assert node is None or literal_text(node) == text


@given(st.lists(PARTS, min_size=1, max_size=5))
def test_conjuncts_joined_again_are_the_condition(parts: list[str]) -> None:
    text = " && ".join(parts)
    assert conjuncts(text) == (parts if len(parts) > 1 else [text])
    assert " && ".join(conjuncts(text)) == text


def test_sides_are_those_of_the_comparison_and_not_of_one_inside() -> None:
    both = "find('a', {'b': c}).exists(d, d.e == 1) == f.g"
    assert sides(both) == ("find('a', {'b': c}).exists(d, d.e == 1)", "f.g")
    assert sides("a == 1 && b == 2") is None
    assert sides("a ==") is None
