"""triage.proposers.conditions.conditiontext"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.triage.proposers.conditions.test_printed import LEAVES, WRITTEN, _grown, shape
from triage.proposers.conditions.conditiontext import ConditionText
from triage.proposers.conditions.printed import printed
from worlds.cel_tree import Node, parse, walk

ODD = [
    "( a )  ==( b )// why\n && ((c)) . d ( (e) , f )",
    "f((a)) && g(h((b)).i['(']) && (x in (ys))",
    "true && a.exists(x, true) || f(false, true) == [true, {'true': false}]",
    *WRITTEN,
]


@pytest.mark.parametrize("text", ODD)
def test_the_text_of_each_node_is_found(text: str) -> None:
    code = ConditionText(text)
    for node in walk(code.root):
        start, end = code.span(node)
        assert shape(parse(text[start:end])) == shape(node)


@pytest.mark.parametrize("text", ODD)
def test_a_node_put_in_the_place_of_another_stands_there_alone(text: str) -> None:
    code = ConditionText(text)
    other = parse("new || other")
    for node in walk(code.root):
        made = code.replaced(node, other)
        assert shape(parse(made)) == shape(_with(code.root, node, other))


def test_what_is_not_touched_stays_as_it_was_written() -> None:
    code = ConditionText("a  ==\n  b && c   // why not\n < d")
    left, _ = code.root.parts
    turned = replace(left, operators=("!=",))
    assert code.replaced(left, turned) == "a != b && c   // why not\n < d"


@settings(max_examples=80, deadline=None)
@given(st.recursive(LEAVES, _grown, max_leaves=8), st.data())
def test_replacing_any_node_by_any_other(tree: Node, data: st.DataObject) -> None:
    code = ConditionText(printed(tree))
    node = data.draw(st.sampled_from(list(walk(code.root))))
    other = data.draw(st.recursive(LEAVES, _grown, max_leaves=4))
    assert shape(parse(code.replaced(node, other))) == shape(_with(code.root, node, other))


def _with(root: Node, node: Node, other: Node) -> Node:
    if root is node:
        return other
    return replace(root, parts=tuple(_with(part, node, other) for part in root.parts))
