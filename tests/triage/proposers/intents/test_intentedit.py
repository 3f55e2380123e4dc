"""An intent with one place of it changed."""

from __future__ import annotations

from tests.triage.proposers.intents.broken import broken, sound
from triage.proposers.case import Spot
from triage.proposers.intents.intentedit import GONE, IntentEdit, Said, closest, edited


def test_a_place_that_is_left_out_is_made_and_all_else_stays() -> None:
    intent = sound().intent
    made = edited(intent, {("goal", "mentions"): ["so"]})
    assert made is not None
    assert made.content()["goal"].pop("mentions") == ["so"]
    assert edited(made, {("goal", "mentions"): GONE}) == intent


def test_what_cannot_be_is_no_intent() -> None:
    intent = sound().intent
    assert edited(intent, {("goal", "outcome"): "perhaps"}) is None
    assert edited(intent, {("plans", "default", 9, "call"): "x"}) is None
    assert edited(intent, {("goal", "nothing"): GONE}) is None


def test_an_edit_that_changes_nothing_is_no_candidate() -> None:
    case = broken(lambda intent: intent["goal"].update(outcome="refused"))
    edit = IntentEdit.of("x", case, case.spots[0])
    assert edit is not None
    assert list(edit.candidates({("goal", "outcome"): "refused"}, Said("Do nothing", 0.5))) == []
    assert IntentEdit.of("x", case, Spot("rule", "cancelling")) is None


def test_the_word_with_most_letters_in_common_comes_first() -> None:
    assert closest("statsu", ["state", "status", "total"]) == ["status", "state"]
