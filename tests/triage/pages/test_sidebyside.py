from __future__ import annotations

import time

from hypothesis import assume, given
from hypothesis import strategies as st

from triage.pages.sidebyside import Diff, side_by_side

LINES = st.lists(st.sampled_from(["a", "b c", "b d", "", "return x"]), max_size=12).map("\n".join)


def texts(diff: Diff) -> tuple[str, str]:
    left = [row.one.text for row in diff.rows if row.one]
    right = [row.other.text for row in diff.rows if row.other]
    return "\n".join(left), "\n".join(right)


@given(LINES, LINES)
def test_each_side_is_its_text_and_its_lines_are_numbered(one: str, other: str) -> None:
    diff = side_by_side(one, other, around=99)
    assume(diff.removed or diff.added)
    left, right = texts(diff)
    assert left == one.removesuffix("\n")
    assert right == other.removesuffix("\n")
    numbers = [row.one.number for row in diff.rows if row.one]
    assert numbers == list(range(1, len(numbers) + 1))


@given(LINES)
def test_a_text_beside_itself_is_the_same(text: str) -> None:
    diff = side_by_side(text, text)
    assert (diff.removed, diff.added) == (0, 0)
    assert all(row.is_same or row.left_out for row in diff.rows)


def test_a_changed_line_stands_beside_what_became_of_it_with_its_words_marked() -> None:
    diff = side_by_side("a\nreturn x or y\n", "a\nlog(x)\nreturn x and y\n")
    changed = next(row for row in diff.rows if row.one and row.other and not row.is_same)
    assert changed.one is not None
    assert changed.other is not None
    assert [text for marked, text in changed.one.pieces if marked] == ["or"]
    assert [text for marked, text in changed.other.pieces if marked] == ["and"]
    assert (diff.removed, diff.added) == (1, 2)


def test_what_stays_is_left_out_but_a_few_lines_around() -> None:
    lines = [str(number) for number in range(40)]
    diff = side_by_side("\n".join(lines), "\n".join([*lines[:20], "new", *lines[21:]]))
    assert [row.left_out for row in diff.rows if row.left_out] == [17, 16]
    assert len(diff.rows) == 9


def test_hostile_texts_take_no_time_to_speak_of() -> None:
    began = time.perf_counter()
    side_by_side("x\n" * 20_000, "y\n" * 20_000)
    side_by_side("(\n" * 9_000, "(\n" * 8_000 + "y")
    side_by_side("\n".join("(" * 590 + str(n) for n in range(500)), "[" * 590)
    assert time.perf_counter() - began < 20
