"""What a result is worth now, of an environment as it might be."""

from __future__ import annotations

from typing import Any

from tests.triage.shop import Shop
from tests.triage.suspects import strays
from tests.triage.test_counterexamples import checked
from tests.triage.trying import intent_of, proposed
from triage import counterexamples
from triage.models import Check, Episode, Finding, Label, Round, Trial
from triage.trials import attempt, run_inline


def status_of(made: Round) -> str:
    row: Any = Check.objects.with_status().get(round=made)
    return str(row.status)


def outcome_of(trial: Trial) -> tuple[str, str, str]:
    row = run_inline(trial).outcomes.get()
    return row.before_status, row.after_status, row.move


def test_what_a_person_calls_wrong_breaks_before_and_after_while_it_is_accepted(
    shop: Shop,
) -> None:
    environment = shop.sound("a")
    checked()
    passed = Episode.objects.get(agent__name="reference")
    counterexamples.make(None, passed, 0, "It should have asked first.")
    component, said = intent_of(environment, instruction="Do what a says, please.")
    trial = attempt(None, [proposed(None, {component: said})], queue=False)
    assert outcome_of(trial) == ("broken", "broken", "unchanged")
    row = trial.outcomes.get()
    assert row.after is not None
    assert row.after.status == "solvable"  # by its findings alone
    assert environment.counterexamples.get().judgements.count() == 1  # the candidate's is not kept


def test_what_a_person_calls_wrong_breaks_no_more_where_the_candidate_refuses_it(
    shop: Shop,
) -> None:
    environment = shop.lenient("a")
    key = strays(checked().checks.get()).pk
    counterexamples.make(None, Episode.objects.get(pk=key), 0, "It wrote to another note.")
    goal = {"require": ["get('notes', 'N1').text == 'a'"], "changes": ["notes/N1#text"]}
    component, said = intent_of(environment, goal=goal)
    trial = attempt(None, [proposed(None, {component: said})], queue=False)
    assert outcome_of(trial) == ("broken", "solvable", "fixed")
    row = trial.outcomes.get()
    assert row.strength_before is not None
    assert row.strength_after is not None
    assert row.strength_before < row.strength_after


def test_a_finding_that_was_dismissed_does_not_count(shop: Shop) -> None:
    environment = shop.vacuous("a")
    made = checked()
    assert status_of(made) == "broken"
    for found in Finding.objects.filter(severity="blocking"):
        Label.objects.create(
            domain=shop.domain,
            code=found.code,
            fingerprint=found.fingerprint,
            place=found.place,
            component=found.component,
            version=found.version,
            is_right=False,
        )
    assert status_of(made) == "solvable"
    component, said = intent_of(environment, instruction="Do it, please.")
    trial = attempt(None, [proposed(None, {component: said})], queue=False)
    assert outcome_of(trial)[0] == "solvable"
