"""A source with one place of it changed: all else stays byte for byte."""

from __future__ import annotations

import ast

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.shop import DOMAIN, SOURCE
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.domain import Domain

TEXT = '''LIMIT = 3  # ünïcode – before positions


def outer(a: int) -> int:
    """Döcumented."""
    # why it is so
    if a > LIMIT:
        raise ValueError("too much")
    elif a == 0:
        return 0
    total = (
        a
        + 1
    )
    return total


def other() -> int:
    return LIMIT
'''
DOMAIN_BODY = Domain.parse(DOMAIN)


def code(text: str = TEXT, **more: object) -> SourceCode:
    return SourceCode(text, DOMAIN_BODY, **more)  # type: ignore[arg-type]


def changed_lines(before: str, after: str) -> list[str]:
    one, other = before.split("\n"), after.split("\n")
    return [line for line in other if line not in one]


def test_an_expression_is_replaced_where_it_stands() -> None:
    made = code()
    (limit,) = [node for node in made.all(cst.Comparison) if made.code(node) == "a > LIMIT"]
    assert changed_lines(TEXT, made.replaced(limit, "a >= LIMIT")) == ["    if a >= LIMIT:"]


def test_statements_go_before_and_after_a_statement_at_its_indentation() -> None:
    made = code()
    (whole,) = [node for node in made.all(cst.If) if made.code(node).startswith("if a > LIMIT")]
    before, after = made.inserted(whole, "b = 1\nc = 2"), made.inserted(whole, "b = 1", after=True)
    assert before.split("\n")[6:9] == ["    b = 1", "    c = 2", "    if a > LIMIT:"]
    assert after.split("\n")[10:12] == ["    b = 1", "    total = ("]


def test_the_only_statement_of_a_block_leaves_a_pass() -> None:
    made = code()
    (refusal,) = [s for s in made.all(cst.SimpleStatementLine) if made.code(s).startswith("raise")]
    text = made.rewritten(refusal, "")
    assert text.split("\n")[7] == "        pass"
    ast.parse(text)


def test_a_statement_over_several_lines_goes_as_a_whole() -> None:
    made = code()
    (total,) = [s for s in made.all(cst.SimpleStatementLine) if made.code(s).startswith("total")]
    assert "    total = a\n    return total" in made.rewritten(total, "total = a")


def test_a_place_is_suspicious_where_failing_attempts_come() -> None:
    made = code(focus={"outer": 0.5}, lines={7: 1.0, 11: 0.5})
    by_line = {made.line(node): made.suspicion(node) for node in made.all(cst.SimpleStatementLine)}
    assert by_line[11] == 0.25
    assert by_line[15] == 0.0  # never executed where it fails
    assert by_line[19] == 0.0  # another function
    assert {made.function(node) for node in made.suspects(cst.Name)} == {"outer"}


def test_where_nobody_knows_what_ran_all_of_the_function_is_suspicious() -> None:
    made = code(focus={"outer": 0.5})
    assert {made.suspicion(each) for each in made.suspects(cst.Return)} == {0.5}


@given(st.data())
def test_whatever_is_replaced_the_rest_stays(data: st.DataObject) -> None:
    made = code(SOURCE)
    nodes = [node for node in made.all(cst.Name) if made.code(node)]
    node = data.draw(st.sampled_from(nodes))
    text = made.replaced(node, "«new»")
    before, _, after = text.partition("«new»")
    assert before + made.code(node) + after == SOURCE


@given(st.data())
def test_a_statement_written_anew_as_it_was_changes_nothing(data: st.DataObject) -> None:
    from textwrap import dedent

    made = code(TEXT)
    statements = list(made.all(cst.SimpleStatementLine))
    one = data.draw(st.sampled_from(statements))
    first, last = made._lines_of(one)
    said = dedent("\n".join(TEXT.split("\n")[first:last]))
    assert made.rewritten(one, said) == TEXT


def test_what_is_no_python_says_so_when_it_is_looked_at() -> None:
    with pytest.raises(cst.ParserSyntaxError):
        code("def x(:\n").module  # noqa: B018
