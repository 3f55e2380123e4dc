"""Titles of faults."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.faulttitles import LONGEST, TITLES, code_of, title_of
from triage.observations import Location, Sign
from worlds.findings import CODES, Severity

WORDS = st.text(max_size=400)
SIGNS = st.builds(
    Sign,
    st.sampled_from([*CODES, "gone-code"]),
    st.sampled_from(["blocking", "warning"]),
    st.sampled_from(["", "domain", "intent", "records", "rule", "toolserver"]),
    *[WORDS] * 5,
)
SUSPECTS = st.none() | st.builds(
    Location, st.sampled_from(["intent", "records", "rule", "toolserver", "domain"]), WORDS, WORDS
)
BOOK = Location("toolserver", "desk", "book_room")


def sign(code: str, at: str, message: str = "", severity: Severity = "blocking") -> Sign:
    """A sign at `kind/slug/symbol`."""
    kind, slug, symbol = at.split("/", 2)
    place = f"people/#1#{symbol}" if kind == "records" else symbol
    return Sign(code, severity, kind, slug, place, symbol, at[:16], message)


def titled(*signs: Sign, suspect: Location | None = None) -> str:
    return title_of(signs[0].code, suspect, signs)


def test_every_code_has_a_title() -> None:
    assert TITLES.keys() == CODES.keys()


@pytest.mark.parametrize("code", CODES)
def test_every_title_names_what_the_finding_blames(code: str) -> None:
    title = titled(sign(code, "intent/reset/save_it by", "…"))
    assert "reset" in title or "save_it" in title


@given(st.lists(SIGNS, min_size=1, max_size=4), SUSPECTS)
def test_whatever_signs_say_their_title_is_one_line_that_fits(
    signs: list[Sign], suspect: Location | None
) -> None:
    code = code_of(suspect, signs)
    title = title_of(code, suspect, signs)
    assert 0 < len(title) <= LONGEST
    assert title.splitlines() == [title]
    assert title == title_of(code, suspect, signs[::-1])


UNSAVED = "After the plan, the goal “x” is not met: it is y. book_room answered without an error and changed no row."


@pytest.mark.parametrize(
    ("signs", "suspect", "title"),
    [
        (
            [sign("plan-misses-goal", "intent/book/goal.require[0]", UNSAVED)],
            BOOK,
            "`book_room` answers success but saves nothing",
        ),
        (
            [
                sign(
                    "plan-misses-goal",
                    "intent/book/goal.require[0]",
                    "the goal “a” is not met: no.",
                )
            ],
            BOOK,
            "`book_room` does not do what plans rely on",
        ),
        (
            [
                sign(
                    "plan-misses-goal",
                    "intent/book/goal.require[0]",
                    "the goal “a” is not met: no.",
                )
            ],
            None,
            "book's plan is carried out and misses the goal: a",
        ),
        (
            [
                sign(
                    "arguments-invalid",
                    "intent/reset-second-factor/plan reset",
                    "reset takes no argument 'account_id'; it takes account.",
                )
            ],
            None,
            "reset-second-factor's plan calls `reset` with arguments that it refuses: `account_id` is unknown",
        ),
        (
            [
                sign(
                    "row-invalid",
                    "records/company/people",
                    'people/#1: "email" is a required property.',
                )
            ],
            None,
            "rows of `people` in the records company lack the field email",
        ),
        (
            [
                sign("plan-refused", "intent/a/plan book_room", "Step 1 is refused: no room."),
                sign("plan-refused", "intent/b/plan book_room", "Step 2 is refused: no room."),
            ],
            BOOK,
            "`book_room` refuses what plans rightly ask of it: no room",
        ),
        (
            [
                sign("plan-refused", "intent/a/plan book_room", "Step 1 is refused: no room 1."),
                sign("plan-refused", "intent/b/plan book_room", "Step 2 is refused: no room 2."),
            ],
            None,
            "`book_room` refuses a step of a plan",
        ),
        (
            [sign("goal-blind", "intent/book/goal stray write")],
            None,
            "the goal of book accepts a write that nobody asked for",
        ),
        (
            [
                sign("goal-vacuous", "intent/a/goal"),
                sign("goal-vacuous", "intent/b/goal"),
            ],
            None,
            "doing nothing meets the goal of several intents",
        ),
        (
            [
                sign(
                    "rule-unenforced",
                    "toolserver/desk/book_room hours/late",
                    "what “Not at night” (x)",
                )
            ],
            BOOK,
            "`book_room` lets through what `hours/late` forbids: Not at night",
        ),
        (
            [sign("tool-crash", "toolserver/desk/book_room.room_id", "crashes when …", "warning")],
            BOOK,
            "`book_room` crashes when `room_id` names what no row has",
        ),
    ],
)
def test_a_title_says_what_happens(signs: list[Sign], suspect: Any, title: str) -> None:
    assert titled(*signs, suspect=suspect) == title


def test_the_code_is_that_of_the_findings_that_block_point_and_are_most() -> None:
    crash = sign("tool-crash", "toolserver/desk/book_room")
    missed = sign("plan-misses-goal", "intent/book/goal")
    idle = sign("idle-step", "toolserver/desk/book_room", severity="warning")
    assert code_of(BOOK, [missed, missed, crash]) == "tool-crash"
    assert code_of(None, [missed, missed, crash]) == "plan-misses-goal"
    assert code_of(BOOK, [idle, idle, missed]) == "plan-misses-goal"
    assert code_of(None, [missed, crash]) == "plan-misses-goal"
