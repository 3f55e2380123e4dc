"""Typed answers, put back or corrected by what the plan answers."""

from __future__ import annotations

from tests.triage.proposers.intents.broken import broken, first_sound, proposed
from triage.proposers.intents.answers import typed_answers

REFUND = "sum(order.items.map(x, x.price))"


def test_an_answer_that_the_plan_gives_and_nobody_asks_for_is_asked_for() -> None:
    case = broken(lambda intent: intent["goal"].pop("answer"))
    said = first_sound(typed_answers, case)["goal"]["answer"]
    assert said == {"refund": {"type": "number", "equals": REFUND}}


def test_the_instruction_that_asks_for_it_is_cited() -> None:
    case = broken(lambda intent: intent["goal"].pop("answer"))
    first = proposed(typed_answers, case)[0]
    assert "How much do I get back?" in first.authority


def test_a_constant_is_replaced_by_where_it_comes_from() -> None:
    case = broken(lambda intent: intent["goal"]["answer"]["refund"].update(equals="40.0"))
    assert first_sound(typed_answers, case)["goal"]["answer"]["refund"]["equals"] == REFUND


def test_an_answer_of_another_type_takes_the_type_of_what_is_answered() -> None:
    case = broken(lambda intent: intent["goal"]["answer"]["refund"].update(type="date"))
    assert first_sound(typed_answers, case)["goal"]["answer"]["refund"]["type"] == "number"


def test_where_the_answers_are_right_nothing_is_said() -> None:
    case = broken(lambda intent: intent["goal"].update(outcome="refused"))
    assert proposed(typed_answers, case) == []


def test_the_same_is_said_twice_in_the_same_order() -> None:
    case = broken(lambda intent: intent["goal"].pop("answer"))
    one, other = (list(typed_answers(case, case.spots[0])) for _ in range(2))
    assert [each.digests for each in one] == [each.digests for each in other]
