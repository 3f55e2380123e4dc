"""Which environments a trial runs, stage by stage."""

from __future__ import annotations

from django.utils import timezone

from components.models import Environment
from tests.triage.shop import Shop
from tests.triage.test_counterexamples import checked
from tests.triage.trying import WRITES, forgetful, proposed
from triage.models import Fault, Proposal, Result, Round, Sighting, Trial
from triage.models.check import State
from triage.rounds import create_round
from triage.trials import attempt
from triage.trialscope import PROBED, SAMPLED, TrialScope


def unplayed() -> Round:
    """A round over everything, of which nobody played a check."""
    made = create_round(None, queue=False)
    made.checks.update(state=State.DONE)
    Round.objects.filter(pk=made.pk).update(gathered=timezone.now())
    return made


def trial_of(proposal: Proposal) -> Trial:
    return attempt(None, [proposal], queue=False)


def test_the_cheapest_that_show_the_fault_are_probed(shop: Shop) -> None:
    fault = forgetful(shop, "a", "b", "c", "d", "e")
    cheap = Environment.objects.get(slug="d")
    Result.objects.filter(checks__environment=cheap).update(seconds=0)
    scope = TrialScope.of(trial_of(proposed(fault, {shop.server: WRITES})))
    assert scope.probe[0] == cheap.pk
    assert len(scope.probe) == PROBED
    assert scope.affected == set(scope.full)


def test_what_its_newest_check_does_not_show_any_more_is_not_affected(shop: Shop) -> None:
    fault = forgetful(shop, "a", "b")
    Round.objects.filter(pk=checked().pk).update(gathered=timezone.now())
    assert not TrialScope.of(trial_of(proposed(fault, {shop.server: WRITES}))).affected


def test_a_check_that_did_not_end_says_nothing(shop: Shop) -> None:
    fault = forgetful(shop, "a")
    checked().checks.update(state=State.ERROR)
    assert len(TrialScope.of(trial_of(proposed(fault, {shop.server: WRITES}))).affected) == 1


def test_without_a_fault_the_first_that_use_the_component_are_probed(shop: Shop) -> None:
    made = [shop.sound(f"task-{number}").pk for number in range(5)]
    scope = TrialScope.of(trial_of(proposed(None, {shop.server: WRITES})))
    assert list(scope.probe) == made[:PROBED]
    assert list(scope.full) == made


def test_the_sample_is_half_affected_where_there_are_enough_and_the_same_each_time(
    shop: Shop,
) -> None:
    made = [shop.sound(f"task-{number:02}") for number in range(40)]
    shown = made[:15]
    fault = Fault.objects.create(domain=shop.domain, code="x", title="x")
    for check in unplayed().checks.filter(environment__in=shown):
        Sighting.objects.create(fault=fault, check_row=check)
    trial = trial_of(proposed(fault, {shop.server: WRITES}))
    scope = TrialScope.of(trial)
    assert len(set(scope.sample)) == SAMPLED
    assert len(scope.affected.intersection(scope.sample)) == SAMPLED // 2
    assert {*scope.probe} <= {*scope.sample} <= {*scope.full}
    assert TrialScope.of(trial) == scope


def test_few_unaffected_ones_leave_their_places_to_affected_ones(shop: Shop) -> None:
    made = [shop.sound(f"task-{number:02}") for number in range(25)]
    fault = Fault.objects.create(domain=shop.domain, code="x", title="x")
    for check in unplayed().checks.filter(environment__in=made[:22]):
        Sighting.objects.create(fault=fault, check_row=check)
    scope = TrialScope.of(trial_of(proposed(fault, {shop.server: WRITES})))
    assert len(scope.affected.intersection(scope.sample)) == 17
    assert len(scope.sample) == SAMPLED
