"""triage.proposers.conditions.printed"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.proposers.conditions.printed import printed
from worlds.cel_tree import Node, parse

WRITTEN = [
    "row.status == 'open' && (row.a || !(row.b in ['x', 'y']))",
    "find('notes', {'id': n.id, 'by': null}).exists(x, x.at < now() && x.n - (1 - 2) > -(3))",
    "a ? b : c ? d : e",
    "(a ? b : c) ? d : (e ? f : g)",
    "sum(rows.filter(r, r.n > 0).map(r, r.n * 2.0)) / 3.0 <= 10.5",
    "!!a && -(-1) == --b && (-1).c == [1, {'k': v}][0]['k']",
    "(a < b) == (c in d) && ('x' + 'y').size() == 2",
    "xs.all(x, x in (a || b ? c : d))",
]


def shape(node: Node) -> Any:
    """What a tree says, wherever it stands."""
    said = (node.kind, node.text, node.operators, node.variable, node.method)
    return said, [shape(part) for part in node.parts]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_printed_tree_is_read_as_the_same_tree(text: str) -> None:
    assert shape(parse(printed(parse(text)))) == shape(parse(text))


@pytest.mark.parametrize("text", WRITTEN[:2] + WRITTEN[4:5])
def test_it_is_written_as_authors_do_with_no_bracket_too_many(text: str) -> None:
    assert printed(parse(text)) == text


def _chain(parts: list[Node], operators: list[str]) -> Node:
    return Node("chain", "", tuple(parts), 0, tuple(operators[: len(parts) - 1]))


def _grown(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    levels = [["||"] * 3, ["&&"] * 3, ["<", "==", "in"], ["+", "-", "+"], ["*", "/", "%"]]
    several = st.lists(inner, min_size=2, max_size=4)
    return st.one_of(
        st.builds(_chain, several, st.sampled_from(levels)),
        st.builds(lambda s, n: Node("sign", s, (n,)), st.sampled_from("!-"), inner),
        st.builds(lambda n: Node("field", "f", (n,)), inner),
        st.builds(lambda a, b: Node("index", "", (a, b)), inner, inner),
        st.builds(lambda a, b, c: Node("choice", "", (a, b, c)), inner, inner, inner),
        st.builds(lambda p: Node("call", "size", tuple(p)), several),
        st.builds(lambda p: Node("call", "size", tuple(p), method=True), several),
        st.builds(lambda a, b: Node("macro", "all", (a, b), variable="x"), inner, inner),
        st.builds(lambda p: Node("list", "", tuple(p)), several),
        st.builds(lambda a, b: Node("map", "", (a, b)), inner, inner),
    )


LEAVES = st.one_of(
    st.sampled_from(["a", "b", "inner"]).map(lambda name: Node("name", name)),
    st.sampled_from(["1", "-1", "2.5", "'t'", "null", "true", "3u"]).map(
        lambda text: Node("literal", text)
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.recursive(LEAVES, _grown, max_leaves=12))
def test_any_tree_printed_is_read_as_itself(tree: Node) -> None:
    assert shape(parse(printed(tree))) == shape(tree)
