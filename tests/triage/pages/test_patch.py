"""Unified diffs, drawn."""

from __future__ import annotations

from difflib import unified_diff

from hypothesis import given
from hypothesis import strategies as st

from triage.pages.patch import Patch, patch_of

LINES = st.lists(st.text("ab-+@ \\", max_size=4), max_size=30)


def diff(one: list[str], other: list[str], name: str = "rule/refunds") -> str:
    return "\n".join(
        unified_diff(one, other, f"{name} (as it is)", f"{name} (proposed)", lineterm="")
    )


def sides(patch: Patch) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """The lines that are drawn at the left and at the right, with their numbers."""
    rows = [row for _, drawn in patch.files for row in drawn.rows]
    return (
        [(row.one.number, row.one.text) for row in rows if row.one],
        [(row.other.number, row.other.text) for row in rows if row.other],
    )


@given(LINES, LINES)
def test_each_line_that_is_drawn_stands_in_its_file_where_its_number_says(
    one: list[str], other: list[str]
) -> None:
    patch = patch_of(diff(one, other))
    before, after = sides(patch)
    assert all(one[number - 1] == text for number, text in before)
    assert all(other[number - 1] == text for number, text in after)
    assert patch.rest == ""


@given(LINES, LINES)
def test_with_the_lines_left_out_all_of_the_file_is_accounted_for(
    one: list[str], other: list[str]
) -> None:
    for _, drawn in patch_of(diff(one, other)).files:
        left_out = sum(row.left_out for row in drawn.rows)
        shown = sum(row.one is not None for row in drawn.rows)
        assert left_out + shown <= len(one)
        assert drawn.added - drawn.removed == len(other) - len(one)


def test_several_files_are_apart() -> None:
    text = diff(["a"], ["b"]) + "\n" + diff(["c"], ["c", "d"], "intent/book")
    names = [(name, drawn.removed, drawn.added) for name, drawn in patch_of(text).files]
    assert names == [("rule/refunds", 1, 1), ("intent/book", 0, 1)]


def test_one_that_was_cut_is_drawn_as_far_as_it_goes() -> None:
    whole = diff([str(n) for n in range(40)], [str(n) if n != 3 else "x" for n in range(40)])
    patch = patch_of(whole[: whole.index("+x") + 2] + "\n… and more")
    (_, drawn) = patch.files[0]
    assert (drawn.removed, drawn.added) == (1, 1)
    assert patch.rest == "… and more"


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    patch_of(text)
    patch_of(f"--- a\n+++ b\n@@ -1 +1 @@\n{text}")
