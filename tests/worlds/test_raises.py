"""Which raise statement of a source is behind an exception, from its place and its message."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.raises import FEWEST, Raise, Raises


def raises(source: str) -> Raises:
    text = dedent(source)
    return Raises.of(ast.parse(text), text)


def test_a_raise_is_found_where_what_it_raises_begins() -> None:
    known = raises("def f():\n    if 1: raise ValueError(int('x'))\n")
    found = known.behind((2, 17), "anything")
    assert found is not None
    assert found.function == "f"
    assert known.behind((2, 28), "invalid literal") is None  # int('x') within it
    assert known.behind((2, 11), "anything") is None  # the statement itself


def test_columns_are_counted_in_characters() -> None:
    known = raises("def f():\n    'é😀'; raise ValueError('x')\n")
    assert known.behind((2, 17), "") is not None


def test_either_branch_of_a_conditional_raise_counts() -> None:
    known = raises("raise ValueError('a') if x else KeyError('b')\n")
    assert known.behind((1, 7), "a") is not None
    assert known.behind((1, 33), "b") is not None


SOURCE = """
    def helper(name):
        raise ValueError(f"There is no {name}, look " + "again.")

    def tool():
        try:
            return helper("Ann")
        except KeyError:
            return None
        finally:
            done = 1

    def plain():
        return 1
"""


def test_within_a_try_the_words_of_the_message_find_the_statement() -> None:
    found = raises(SOURCE).behind((9, 16), "There is no Ann, look again.")
    assert found is not None
    assert (found.function, found.first[0]) == ("helper", 3)


@pytest.mark.parametrize(
    "message", ["", "There is no Ann", "look again.", "There is no Ann, look again. Now.", "other"]
)
def test_other_words_within_a_try_find_nothing(message: str) -> None:
    assert raises(SOURCE).behind((9, 16), message) is None


def test_outside_any_try_words_do_not_count() -> None:
    assert raises(SOURCE).behind((14, 12), "There is no Ann, look again.") is None


def test_a_message_without_fixed_words_is_never_recognised_by_them() -> None:
    known = raises("try:\n    raise ValueError(text)\nfinally:\n    pass\n")
    assert known.behind((4, 5), "anything") is None
    assert known.behind((2, 11), "anything") is not None


def test_a_bare_raise_is_no_statement_of_its_own() -> None:
    assert raises("try:\n    f()\nexcept ValueError:\n    raise\n").statements == ()


@given(
    st.lists(st.text("ab", max_size=3), min_size=1, max_size=5),
    st.lists(st.text("abc"), min_size=4),
)
def test_whatever_fills_the_gaps_the_words_are_recognised(
    words: list[str], gaps: list[str]
) -> None:
    message = words[0] + "".join(gap + word for gap, word in zip(gaps * 2, words[1:], strict=False))
    statement = Raise((1, 1), (1, 1), "", tuple(words))
    enough = sum(map(len, words)) >= FEWEST
    assert statement.says(message) is enough
    ends_open = words[0] == words[-1] == "" and len(words) > 1
    assert statement.says(f"z{message}z") is (enough and ends_open)
