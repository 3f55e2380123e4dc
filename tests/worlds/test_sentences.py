"""Which sentences of policy prose ask for something, and which of those nothing quotes."""

from __future__ import annotations

import time

import pytest

from worlds.sentences import demanding, sentences, uncovered

TEXT = """\
# Cancelling

Only pending orders can be
cancelled. You may look at any order.

- Never promise a date, e.g. a
  delivery day.
- Orders weigh 2 kg.
1. Addresses must be complete. They are shown.
"""


def test_a_heading_is_no_sentence_and_an_item_of_a_list_stands_by_itself() -> None:
    assert list(sentences(TEXT)) == [
        "Only pending orders can be cancelled.",
        "You may look at any order.",
        "Never promise a date, e.g. a delivery day.",
        "Orders weigh 2 kg.",
        "Addresses must be complete.",
        "They are shown.",
    ]


def test_words_tell_which_sentences_demand_or_forbid() -> None:
    assert list(demanding(TEXT)) == [
        "Only pending orders can be cancelled.",
        "Never promise a date, e.g. a delivery day.",
        "Addresses must be complete.",
    ]


@pytest.mark.parametrize(
    "text", ["There is no need to call.", "You can call.", "Mustard is there."]
)
def test_words_that_only_look_like_a_demand(text: str) -> None:
    assert list(demanding(text)) == []


@pytest.mark.parametrize(
    "quote",
    [
        "pending orders can be",
        "Only pending orders can be\n cancelled. You may look at any order",
        "Cancelling Only pending orders can be cancelled.",
    ],
)
def test_a_quote_within_a_sentence_or_around_it_covers_it(quote: str) -> None:
    assert "Only pending orders can be cancelled." not in uncovered(TEXT, (quote,))


def test_a_quote_of_another_sentence_covers_nothing() -> None:
    assert uncovered(TEXT, ("You may look at any order.",)) == tuple(demanding(TEXT))


@pytest.mark.parametrize(
    "text",
    [" " * 500_000, "e.g. A " * 50_000, "You must. " * 50_000, "A." + "'" * 50_000 + "x"],
)
def test_long_texts_take_no_longer_than_they_are(text: str) -> None:
    began = time.process_time()
    uncovered(text, ("never", "A"))
    assert time.process_time() - began < 5


def test_a_sentence_that_stands_twice_is_covered_where_either_is_quoted() -> None:
    assert uncovered("Stay. You must pay. Go. You must pay.", ("must pay. Go",)) == ()
    assert uncovered("You must pay. Go. You must pay.", ("Go",)) == ("You must pay.",)
