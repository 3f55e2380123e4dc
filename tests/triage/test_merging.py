"""Three texts made one: both changes where they lie apart, nothing where they meet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from triage.merging import merged

BASE = "a\nb\nc\nd\ne\nf\n"
TEXTS = some.lists(some.sampled_from("abc"), max_size=8).map("\n".join)


@pytest.mark.parametrize(
    ("ours", "theirs", "made"),
    [
        ("a\nB\nc\nd\ne\nf\n", "a\nb\nc\nd\nE\nf\n", "a\nB\nc\nd\nE\nf\n"),
        ("a\nb\nc\nd\ne\nf\ng\n", "x\na\nb\nc\nd\ne\nf\n", "x\na\nb\nc\nd\ne\nf\ng\n"),
        ("a\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\n", "a\nc\nd\ne\n"),
        ("a\nB\nc\nd\ne\nf\n", "a\nX\nc\nd\ne\nf\n", None),
        ("a\nB\nc\nd\ne\nf\n", "a\nb\nC\nd\ne\nf\n", None),
        ("a\nB\nc\nd\ne\nf\n", "a\nB\nc\nd\ne\nF\n", "a\nB\nc\nd\ne\nF\n"),
    ],
)
def test_changes_that_lie_apart_are_both_made(ours: str, theirs: str, made: str | None) -> None:
    assert merged(BASE, ours, theirs) == made
    assert merged(BASE, theirs, ours) == made


@given(TEXTS, TEXTS)
def test_with_one_side_unchanged_it_is_the_other(base: str, changed: str) -> None:
    assert merged(base, changed, base) == changed
    assert merged(base, base, changed) == changed
    assert merged(base, changed, changed) == changed
