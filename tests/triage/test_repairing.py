"""Repairs that propose themselves, from end to end: a pen forgets to save; what would mend it is found and tried."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied

from components.models import AuditEntry
from tests.triage.shop import Shop
from tests.triage.test_attribution import MANY, fault
from tests.triage.trying import FORGETS, WRITES
from triage import jobs, repairing, review
from triage.heldout import is_held_out
from triage.models import Fault, Proposal, Repair
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.repair import Fate
from triage.repairing import RepairRefused, advance, repair, run_inline
from triage.standins import Sources
from triage.trials import latest_trial

__all__ = ["fault"]


def searched(fault: Fault, *, parents: bool = True) -> Repair:
    """A search, and trials of what it proposed, to their end."""
    held = run_inline(repair(None, fault, sources=Sources(parents, False), queue=False))
    assert (held.state, held.error) == (JobState.DONE, "")
    return held


def test_the_version_before_is_proposed_where_it_worked_and_tried_on_all_that_uses_it(
    fault: Fault,
) -> None:
    held = searched(fault)
    proposal = held.proposals.order_by("pk")[0]
    (change,) = proposal.changes.all()
    assert change.body.parsed() == WRITES
    assert proposal.title == "Take pen back to version 1"
    assert "with which environments were solvable" in proposal.authority
    trial = latest_trial(proposal)
    assert trial is not None
    assert (trial.report["fixed"], trial.report["regressed"]) == (MANY, 0)
    assert review.best_of(fault) == proposal


def test_nothing_that_proposers_saw_judges_what_they_say(fault: Fault) -> None:
    held = searched(fault)
    trial = latest_trial(held.proposals.order_by("pk")[0])
    assert trial is not None
    judging = set(trial.outcomes.filter(is_held_out=True).values_list("environment", flat=True))
    assert held.looked_at
    assert judging
    assert not judging & set(held.looked_at)
    slugs = trial.outcomes.filter(is_held_out=True).values_list("environment__slug", flat=True)
    assert all(map(is_held_out, slugs))


def test_what_was_tried_is_kept_with_why_it_lost(fault: Fault) -> None:
    held = searched(fault)
    first = held.alternatives.order_by("rank")[0]
    assert (first.fate, first.proposal) == (Fate.PROPOSED, held.proposals.order_by("pk")[0])
    assert "-    " in first.diff
    assert "+    " in first.diff
    assert first.cured
    for each in held.alternatives.exclude(fate__in=(Fate.PROPOSED, Fate.OUTRANKED)):
        assert each.because, each.says
    assert sum(held.counts.values()) >= held.alternatives.count()
    assert list(held.alternatives.values_list("rank", flat=True)) == list(
        range(1, held.alternatives.count() + 1)
    )


def test_a_second_proposal_is_tried_only_where_the_first_is_not_clean(fault: Fault) -> None:
    held = searched(fault)
    first, *others = held.proposals.order_by("pk")
    assert first.state == ProposalState.WAITING
    assert [each.state for each in others] == [ProposalState.DRAFT] * len(others)
    second = Proposal.objects.create(
        domain=fault.domain, fault=fault, title="Otherwise", repair=held
    )
    change = first.changes.get()
    other = FORGETS.model_copy(update={"source": FORGETS.source + "\n\nOTHER = 1\n"})
    from components.versions import keep

    second.changes.create(component=change.component, base=change.base, body=keep(other))
    assert advance(held, queue=False) is None
    trial = latest_trial(first)
    assert trial is not None
    trial.report["regressed"] = 1
    trial.save()
    Proposal.objects.filter(pk__in=[each.pk for each in others]).delete()
    asked = advance(held, queue=False)
    assert asked is not None
    assert list(asked.proposals.all()) == [second]


def test_one_search_of_a_fault_runs_at_a_time(fault: Fault) -> None:
    one = repair(None, fault, queue=False)
    assert repair(None, fault, queue=False) == one
    repairing.cancel(None, one)
    one.refresh_from_db()
    assert one.state == JobState.CANCELLED
    assert repair(None, fault, queue=False) != one
    assert AuditEntry.objects.filter(action="repair.cancel", detail__repair=one.pk).exists()


def test_a_cancelled_search_proposes_nothing(fault: Fault) -> None:
    held = repair(None, fault, queue=False)
    working = jobs.claim(Repair, held.pk, "here")
    assert working is not None
    for number, _ in enumerate(repairing.work(working)):
        if number == 1:
            repairing.cancel(None, held)
            break
    run_inline(held)
    assert not held.proposals.exists()


def test_who_may_not_propose_is_told_and_nothing_is_asked_for(fault: Fault) -> None:
    viewer = User.objects.create_user("vera")
    with pytest.raises(PermissionDenied):
        repair(viewer, fault)
    assert not Repair.objects.exists()


def test_a_time_that_makes_no_sense_is_refused(fault: Fault) -> None:
    for seconds in (0, -1, 10_000):
        with pytest.raises(RepairRefused, match="seconds: give a number up to 600"):
            repair(None, fault, seconds=seconds)


def test_a_fault_that_no_environment_shows_as_it_is_now_is_told_so(
    fault: Fault, shop: Shop
) -> None:
    shop.component("pen", WRITES)
    held = run_inline(repair(None, fault, queue=False))
    assert held.state == JobState.FAILED
    assert "no environment shows" in held.error


def test_a_draft_that_nobody_tried_is_gone_on_with_by_whoever_comes(fault: Fault) -> None:
    held = repair(None, fault, sources=Sources(True, False), queue=False)
    jobs.run(Repair, held.pk, "here", repairing.work)
    assert list(repairing.resting()) == [held]
    searched_on = run_inline(held)
    assert searched_on.proposals.filter(state=ProposalState.WAITING).exists()
    assert list(repairing.resting()) == []
