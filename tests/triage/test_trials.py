"""Trials, with the real sandbox on a desk of notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext

from components.models import AuditEntry
from tests.triage.shop import SOURCE, Shop
from tests.triage.trying import FORGETS, WRITES, forgetful, gathered, intent_of, proposed
from triage import trials
from triage.candidates import CandidateInvalid
from triage.jobs import JobOver
from triage.models import Outcome, Proposal, Result, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Move, Stage
from triage.rounds import create_round
from triage.trials import TrialRefused, attempt, latest_trial, proposal_digest, run_inline
from worlds.rule import Rule
from worlds.toolserver_body import ToolServerBody


def tried(*proposals: Proposal, until: Stage = Stage.FULL, force: bool = False) -> Trial:
    trial = run_inline(attempt(None, proposals, until, queue=False, force=force))
    assert trial.error == ""
    for each in proposals:
        each.refresh_from_db()
    return trial


def test_a_write_that_was_dropped_is_mended_wherever_the_pen_is_used(shop: Shop) -> None:
    fault = forgetful(shop, "a", "b", "c", "d", "e")
    mine = proposed(fault, {shop.server: WRITES})
    trial = tried(mine)
    assert (trial.state, trial.stage) == (JobState.DONE, Stage.FULL)
    said = trial.report
    assert (said["environments"], said["fixed"], said["cured"], said["affected"]) == (5, 5, 5, 5)
    assert (said["regressed"], said["errors"], said["weakens"], said["redefines"]) == (
        0,
        0,
        False,
        False,
    )
    assert said["fixed_environments"] == ["a", "b", "c", "d", "e"]
    assert {name: each["environments"] for name, each in said["stages"].items()} == {
        "probe": 3,
        "sample": 2,
    }
    assert said["edit_size"] == 2
    assert said["strength_before"] == said["strength_after"]
    assert said["rejected_to_accepted"] == 0  # the reference, which knows the plan, is not asked
    assert said["rejudged"]["rejected_to_accepted"] == 5
    assert mine.state == ProposalState.WAITING
    assert latest_trial(mine) == trial
    assert {row.move for row in trial.outcomes.all()} == {Move.FIXED}


def test_what_mends_nothing_fails_at_the_probe(shop: Shop) -> None:
    fault = forgetful(shop, "a", "b", "c", "d")
    other = ToolServerBody(source=FORGETS.source.replace("Read a note.", "Read one note."))
    mine = proposed(fault, {shop.server: other})
    trial = tried(mine)
    assert (trial.state, trial.stage) == (JobState.DONE, Stage.PROBE)
    assert trial.report["stopped"] == trials.HOPELESS
    assert trial.outcomes.count() == 3
    assert mine.state == ProposalState.FAILED
    again = tried(mine, force=True)
    assert (again.stage, again.outcomes.count()) == (Stage.FULL, 4)
    assert mine.state == ProposalState.WAITING


def test_what_cannot_even_be_played_any_more_is_no_cure(shop: Shop) -> None:
    fault = forgetful(shop, "a")
    mine = proposed(fault, {shop.server: ToolServerBody(source="import socket\n" + SOURCE)})
    assert tried(mine).report["cured"] == 0
    assert mine.state == ProposalState.FAILED


def test_a_goal_that_lets_everything_pass_weakens(shop: Shop) -> None:
    environment = shop.refused("a")
    fault = gathered(shop)
    component, said = intent_of(environment, goal={"require": ["true"]})
    trial = tried(proposed(fault, {component: said}), force=True)
    assert trial.report["weakens"]
    assert trial.report["weakened_environments"] == ["a"]
    assert "noop, attempt 0" in trial.outcomes.get().weakened
    assert trial.report["rejected_to_accepted"] > 0


def test_another_instruction_is_a_redefinition_with_both_texts(shop: Shop) -> None:
    component, said = intent_of(shop.sound("a"), instruction="Do something else.")
    trial = tried(proposed(None, {component: said}))
    assert trial.report["redefines"]
    assert trial.report["drifted"] == 1
    assert trial.outcomes.get().drift == [
        {"what": "instruction", "before": "Do what a says.", "after": "Do something else."}
    ]
    assert not trial.report["weakens"]


def test_a_repair_that_breaks_another_environment_says_which(shop: Shop) -> None:
    fault = forgetful(shop, "a", "b")
    relies = shop.environment(
        "relies",
        [
            {"call": "write", "args": {"note_id": "N1", "text": "x"}},
            {"finish": {"outcome": "done", "answer": {"said": ""}}},
        ],
        [],
    )
    goal = {"answer": {"said": {"type": "string", "equals": "get('notes', 'N1').text"}}}
    component, said = intent_of(relies, goal=goal)
    shop.component(component.slug, said)
    trial = tried(proposed(fault, {shop.server: WRITES}))
    assert (trial.report["fixed"], trial.report["regressed"]) == (2, 1)
    assert trial.report["regressed_environments"] == ["relies"]
    row = trial.outcomes.get(environment=relies)
    assert (row.before_status, row.after_status) == ("solvable", "broken")
    assert (row.move, row.is_affected, row.is_cured) == (Move.REGRESSED, False, False)


def test_a_goal_that_nothing_met_is_mended_without_being_weakened(shop: Shop) -> None:
    write = {"call": "write", "args": {"note_id": "N1", "text": "a"}}
    environment = shop.environment("a", [write], ["get('notes', 'N1').text == 'other'"])
    fault = gathered(shop)
    right = {"require": ["get('notes', 'N1').text == 'a'"], "changes": ["notes/N1#text"]}
    component, said = intent_of(environment, goal=right)
    trial = tried(proposed(fault, {component: said}))
    assert (trial.report["fixed"], trial.report["weakens"]) == (1, False)
    assert trial.report["strength_after"] == 1.0


def test_an_environment_that_a_candidate_breaks_regressed(shop: Shop) -> None:
    shop.sound("a")
    shop.sound("b")
    trial = tried(proposed(None, {shop.server: FORGETS}))
    assert trial.report["regressed"] == 2
    assert trial.report["regressed_environments"] == ["a", "b"]
    assert trial.report["accepted_to_rejected"] == 2


def test_no_check_is_run_twice_and_the_next_round_finds_all_known(shop: Shop) -> None:
    fault = forgetful(shop, "a", "b", "c", "d")
    results = Result.objects.count()
    mine = proposed(fault, {shop.server: WRITES})
    probe = tried(mine, until=Stage.PROBE)
    assert (probe.stage, probe.outcomes.count()) == (Stage.PROBE, 3)
    assert mine.state == ProposalState.DRAFT
    assert Result.objects.count() == results + 3
    ran = dict(Result.objects.values_list("pk", "created"))
    full = tried(mine)
    assert full.outcomes.count() == 4
    assert Result.objects.count() == results + 4
    now = dict(Result.objects.values_list("pk", "created"))
    assert {pk: now[pk] for pk in ran} == ran
    shop.component("pen", WRITES)
    made = create_round(None, queue=False)
    assert set(made.checks.values_list("was_known", flat=True)) == {True}


def test_another_worker_goes_on_with_what_one_left(shop: Shop) -> None:
    fault = forgetful(shop, "a", "b", "c", "d", "e")
    trial = attempt(None, [proposed(fault, {shop.server: WRITES})], queue=False)
    steps: Iterator[tuple[int, int]] = trials.work(trial)
    assert [next(steps) for _ in range(2)] == [(1, 5), (2, 5)]
    kept = dict(trial.outcomes.values_list("environment", "pk"))
    assert run_inline(trial).stage == Stage.FULL
    now = dict(trial.outcomes.values_list("environment", "pk"))
    assert len(now) == 5
    assert kept.items() <= now.items()


def test_who_asks_again_while_it_runs_gets_the_same_trial(shop: Shop) -> None:
    fault = forgetful(shop, "a")
    mine = proposed(fault, {shop.server: WRITES})
    first = attempt(None, [mine], queue=False)
    assert attempt(None, [mine], Stage.PROBE, queue=False) == first
    assert Trial.objects.count() == 1
    mine.changes.all().delete()
    other = ToolServerBody(source=SOURCE + "\n")
    mine.changes.add(*proposed(None, {shop.server: other}).changes.all(), bulk=False)
    second = attempt(None, [mine], queue=False)
    first.refresh_from_db()
    assert first.state == JobState.CANCELLED
    assert second.digest == proposal_digest(mine) != first.digest


def test_a_cancelled_trial_leaves_a_draft(shop: Shop) -> None:
    mine = proposed(forgetful(shop, "a", "b"), {shop.server: WRITES})
    trial = attempt(None, [mine], queue=False)
    mine.refresh_from_db()
    assert mine.state == ProposalState.TRYING
    steps = trials.work(trial)
    next(steps)
    trials.cancel(None, trial)
    mine.refresh_from_db()
    assert mine.state == ProposalState.DRAFT
    assert run_inline(trial).state == JobState.CANCELLED
    assert latest_trial(mine) is None
    with pytest.raises(JobOver):
        trials.cancel(None, trial)
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert [each for each in actions if each.startswith("trial")] == [
        "trial.create",
        "trial.cancel",
    ]


def test_a_cancelled_second_trial_leaves_what_the_first_showed(shop: Shop) -> None:
    mine = proposed(forgetful(shop, "a"), {shop.server: WRITES})
    tried(mine)
    trials.cancel(None, attempt(None, [mine], queue=False))
    mine.refresh_from_db()
    assert mine.state == ProposalState.WAITING


def test_several_are_tried_together_as_one_candidate(shop: Shop) -> None:
    fault = forgetful(shop, "a", "b")
    pen = proposed(fault, {shop.server: WRITES})
    component, said = intent_of(shop.domain.environments.get(slug="b"), instruction="Write b.")
    words = proposed(None, {component: said})
    trial = tried(pen, words)
    assert trial.proposals.count() == 2
    assert len(trial.changes) == 2
    assert (trial.report["fixed"], trial.report["drifted"]) == (2, 1)
    assert latest_trial(pen, words) == trial
    assert latest_trial(pen) is None
    assert pen.state == ProposalState.DRAFT  # it was not tried alone
    tried(pen)
    tried(pen, words)
    assert pen.state == ProposalState.WAITING


def test_two_that_want_one_component_to_say_different_things_are_refused(shop: Shop) -> None:
    fault = forgetful(shop, "a")
    one = proposed(fault, {shop.server: WRITES})
    other = proposed(fault, {shop.server: ToolServerBody(source=SOURCE + "\n\nLEFT = 1\n")})
    with pytest.raises(
        CandidateInvalid, match=rf"proposals {one.pk} and {other.pk} want notes/pen"
    ):
        attempt(None, [one, other], queue=False)
    assert not Trial.objects.exists()


def test_proposals_of_two_domains_are_not_one_candidate(shop: Shop) -> None:
    other = Shop("memos")
    both = [proposed(None, {each.server: FORGETS}) for each in (shop, other)]
    with pytest.raises(TrialRefused, match="are of several domains"):
        attempt(None, both, queue=False)


def test_a_domain_that_is_kept_for_others_has_no_proposals(shop: Shop, reviewer: User) -> None:
    mine = proposed(None, {shop.server: FORGETS})
    shop.domain.readers.add(Group.objects.create(name="auditors"))
    with pytest.raises(TrialRefused, match=f"there is no proposal {mine.pk}"):
        attempt(reviewer, [mine], queue=False)


def test_a_base_that_moved_makes_a_proposal_stale(shop: Shop) -> None:
    fault = forgetful(shop, "a")
    mine = proposed(fault, {shop.server: WRITES})
    shop.component("pen", ToolServerBody(source=FORGETS.source + "\n\nLEFT = 1\n"))
    with pytest.raises(TrialRefused, match="is not the current one any more"):
        attempt(None, [mine], queue=False)
    mine.refresh_from_db()
    assert mine.state == ProposalState.STALE
    assert not Trial.objects.exists()


def test_a_base_that_moves_while_it_runs_ends_the_trial(shop: Shop) -> None:
    mine = proposed(forgetful(shop, "a", "b"), {shop.server: WRITES})
    trial = attempt(None, [mine], queue=False)
    shop.component("pen", ToolServerBody(source=FORGETS.source + "\n\nLEFT = 1\n"))
    assert run_inline(trial).state == JobState.FAILED
    assert "notes/pen has moved on" in trial.error
    mine.refresh_from_db()
    assert mine.state == ProposalState.STALE


def test_a_fourth_proposal_of_a_fault_waits_until_one_of_three_is_decided(shop: Shop) -> None:
    fault = forgetful(shop, "a")
    four = [
        proposed(fault, {shop.server: ToolServerBody(source=SOURCE + f"\n\nLEFT = {n}\n")})
        for n in range(4)
    ]
    for each in four[:2]:
        tried(each)
    attempt(None, [four[2]], queue=False)
    named = f"proposal {four[0].pk}, proposal {four[1].pk} and proposal {four[2].pk} wait"
    with pytest.raises(TrialRefused, match=named):
        attempt(None, [four[3]], queue=False)
    assert tried(four[3], until=Stage.SAMPLE).stage == Stage.SAMPLE
    Proposal.objects.filter(pk=four[0].pk).update(state=ProposalState.DEFERRED)
    assert tried(four[3]).stage == Stage.FULL


def test_what_is_decided_is_not_tried_again(shop: Shop) -> None:
    mine = proposed(forgetful(shop, "a"), {shop.server: WRITES})
    Proposal.objects.update(state=ProposalState.REJECTED)
    with pytest.raises(TrialRefused, match="is rejected already"):
        attempt(None, [mine], queue=False)


def test_who_may_only_read_may_not_try(shop: Shop, viewer: User, reviewer: User) -> None:
    mine = proposed(forgetful(shop, "a"), {shop.server: WRITES})
    with pytest.raises(PermissionDenied, match="may not try proposals"):
        attempt(viewer, [mine], queue=False)
    trial = attempt(reviewer, [mine], queue=False)
    assert trial.author == reviewer
    with pytest.raises(PermissionDenied):
        trials.cancel(viewer, trial)


def test_trouble_of_ours_concludes_nothing(shop: Shop) -> None:
    environment = shop.astray("a")
    component, said = intent_of(environment, instruction="Do it.")
    trial = tried(proposed(None, {component: said}))
    row = trial.outcomes.get()
    assert (row.move, row.before_status, row.after) == (Move.ERROR, "error", None)
    assert "far" in row.error
    assert trial.report["errors"] == 1


def test_a_lost_trial_fails_its_proposal_at_the_next_settling(shop: Shop) -> None:
    mine = proposed(forgetful(shop, "a"), {shop.server: WRITES})
    trial = attempt(None, [mine], queue=False)
    Trial.objects.filter(pk=trial.pk).update(state=JobState.FAILED)
    trials.settle()
    mine.refresh_from_db()
    assert mine.state == ProposalState.FAILED


def test_a_contract_concerns_the_whole_domain(shop: Shop) -> None:
    shop.sound("a")
    shop.sound("b")
    contract = shop.domain.components.get(kind="domain")
    assert contract.current is not None
    parsed = contract.current.body.parsed()
    said = type(parsed).parse({**contract.current.body.content, "volatile": ["notes/*#seen"]})
    trial = tried(proposed(None, {contract: said}))
    assert (trial.report["environments"], trial.report["unchanged"]) == (2, 2)
    assert Outcome.objects.count() == 2


def test_a_failed_trial_of_a_component_that_was_pruned_meanwhile_is_settled(shop: Shop) -> None:
    unused = shop.component("unused", Rule(text="Be kind."))
    mine = proposed(None, {unused: Rule(text="Be brief.")})
    trial = attempt(None, [mine], queue=False)
    Trial.objects.filter(pk=trial.pk).update(state=JobState.FAILED)
    unused.delete()
    trials.settle()
    mine.refresh_from_db()
    assert mine.state == ProposalState.FAILED


def test_who_asks_for_a_trial_locks_what_is_tried_with_it_in_one_order(shop: Shop) -> None:
    """Else who concludes the joint trial meanwhile, and who cancels it here, wait for each other."""
    first = proposed(None, {shop.component("one", Rule(text="a")): Rule(text="b")})
    second = proposed(None, {shop.component("two", Rule(text="a")): Rule(text="b")})
    attempt(None, [first, second], queue=False)
    with CaptureQueriesContext(connection) as queries:
        attempt(None, [second], queue=False)
    of_proposals = 'FROM "triage_proposal"'
    locks = [
        one["sql"] for one in queries if "FOR NO KEY" in one["sql"] and of_proposals in one["sql"]
    ]
    assert {str(first.pk), str(second.pk)} <= set(re.findall(r"\d+", locks[0]))
