"""triage.proposers.rules.quotes"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from triage.proposers.rules.quotes import nearest
from worlds.sentences import plain

TEXT = (
    "Only pending orders can be\n  cancelled, by their owner. Guests ask first; nobody ships twice."
)


def test_the_passage_is_found_across_lines_without_the_stop_that_was_not_quoted() -> None:
    assert nearest(TEXT, "Only open orders can be cancelled") == (
        "Only pending orders can be cancelled",
        nearest(TEXT, "Only open orders can be cancelled")[1],  # type: ignore[index]
    )


def test_what_speaks_of_something_else_has_no_passage() -> None:
    assert nearest(TEXT, "zzz qqq xxx") is None
    assert nearest("", "Only pending") is None


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(codec="utf-8", categories=("L", "P", "Z")), max_size=60),
    st.text(max_size=30),
)
def test_a_passage_always_stands_in_the_text(text: str, quote: str) -> None:
    found = nearest(text, quote)
    if found is not None:
        assert found[0] in plain(text)
        assert 0 <= found[1] <= 1
