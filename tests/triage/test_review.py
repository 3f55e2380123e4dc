"""Deciding on proposals: all of one or nothing, and a clear answer to whoever comes second."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied

from components.load import load
from components.models import AuditEntry, Component, Domain, Environment, Version
from tests.triage.repairs import (
    in_line,
    now,
    outcome,
    policy,
    repair,
    says,
    source,
    tried,
    waiting,
)
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_claims import at_once
from tests.triage.trying import intent_of
from triage.models import Fault, Finding, Outcome, Proposal, Result, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Move, Stage
from triage.proposals import AlreadyDecided, Conflict, ProposalInvalid, edit
from triage.review import (
    OverrideNeeded,
    Untried,
    approve,
    approve_many,
    auto,
    best_of,
    defer,
    reject,
)
from triage.staleness import Stale
from worlds.domain import Domain as Contract
from worlds.folder import DomainFolder, File
from worlds.rule import Rule
from worlds.toolserver_body import ToolServerBody


def state(made: Proposal) -> str:
    return Proposal.objects.get(pk=made.pk).state


def loaded(shop: Shop) -> None:
    """The domain's files, whose tool server says `loaded`."""
    contract = File("domain", Contract.parse(says(Component.objects.get(slug="domain")).content()))
    folder = DomainFolder("notes", contract, toolservers={"pen": File("pen", source("loaded"))})
    load([folder], None, source="library")


def test_approving_makes_what_was_proposed_current(shop: Shop, reviewer: User) -> None:
    made = waiting(reviewer, shop)
    trial = made.trials.get()
    (version,) = approve(reviewer, made, 1, "well done")
    assert (version.number, version.author, version.source) == (2, reviewer, str(made))
    assert (version.reason, now(shop.server).current) == ("Mend the pen", version)
    assert says(shop.server) == source("better")
    row = Proposal.objects.get()
    assert (row.state, row.decided_by, row.comment) == ("approved", reviewer, "well done")
    assert row.changes.get().version == version
    entry = AuditEntry.objects.get(action="proposal.approve")
    assert entry.detail == {
        "revision": 1,
        "trial": trial.pk,
        "versions": [version.pk],
        "comment": "well done",
    }


def test_several_changes_are_approved_together(shop: Shop, reviewer: User) -> None:
    rule = policy(shop)
    made = waiting(reviewer, shop, (rule, Rule(text="b")), (shop.server, source("b")))
    versions = approve(reviewer, made, 1)
    assert [version.component for version in versions] == [shop.server, rule]
    assert says(rule) == Rule(text="b")


@pytest.mark.parametrize("state_", [JobState.RUNNING, JobState.FAILED, JobState.CANCELLED])
def test_without_a_full_trial_that_is_done_nothing_is_approved(
    shop: Shop, reviewer: User, state_: JobState
) -> None:
    made = repair(reviewer, shop)
    with pytest.raises(Untried, match="is draft, not waiting for review"):
        approve(reviewer, made, 1)
    trial = tried(made, stage=Stage.SAMPLE)
    with pytest.raises(Untried, match="no full trial speaks for"):
        approve(reviewer, made, 1)
    Trial.objects.filter(pk=trial.pk).update(stage=Stage.FULL, state=state_)
    with pytest.raises(Untried, match="no full trial speaks for"):
        approve(reviewer, made, 1)


def test_a_trial_of_another_body_speaks_for_nothing(shop: Shop, reviewer: User) -> None:
    made = waiting(reviewer, shop)
    edit(reviewer, made, 1, changes=[(shop.server, source("other"))])
    Proposal.objects.update(state=ProposalState.WAITING)
    with pytest.raises(Untried, match=r"as it is \(revision 2\)"):
        approve(reviewer, made, 2)


@pytest.mark.parametrize(
    ("report", "why"),
    [
        ({"regressed": 2}, "2 environments that it breaks"),
        ({"regressed": 1}, "1 environment that it breaks"),
        ({"errors": 3}, "could say nothing of 3 environments"),
        ({"weakens": True}, "weakens a verifier"),
        ({"redefines": True}, "redefines a task"),
    ],
)
def test_what_stands_against_it_needs_an_override_with_a_reason(
    shop: Shop, reviewer: User, report: dict[str, Any], why: str
) -> None:
    made = repair(reviewer, shop)
    tried(made, **report)
    with pytest.raises(OverrideNeeded, match=why):
        approve(reviewer, made, 1, override=" ")
    approve(reviewer, made, 1, override="it must be")
    assert Proposal.objects.get().override == "it must be"
    assert AuditEntry.objects.get(action="proposal.approve").detail["override"] == "it must be"


def test_an_environment_that_came_since_the_trial_stands_against_it(
    shop: Shop, reviewer: User
) -> None:
    made = waiting(reviewer, shop)
    shop.sound("late")
    with pytest.raises(OverrideNeeded, match="1 environment came since, and its trial did not run"):
        approve(reviewer, made, 1)
    assert says(shop.server) != source("better")


def test_a_given_component_is_changed_with_an_override_only(shop: Shop, reviewer: User) -> None:
    Component.objects.filter(pk=shop.server.pk).update(about={"authority": "given"})
    made = waiting(reviewer, shop)
    with pytest.raises(OverrideNeeded, match="notes/pen is given"):
        approve(reviewer, made, 1)
    approve(reviewer, made, 1, override="the product changed")


def test_an_override_that_nothing_asked_for_is_not_kept(shop: Shop, reviewer: User) -> None:
    approve(reviewer, waiting(reviewer, shop), 1, override="just in case")
    assert Proposal.objects.get().override == ""


def test_who_may_not_review_and_who_does_not_see_it(
    shop: Shop, viewer: User, reviewer: User
) -> None:
    made = waiting(reviewer, shop)
    for act in (approve, reject, defer):
        with pytest.raises(PermissionDenied, match="viewer may not"):
            act(viewer, made, 1, "no")
    Domain.objects.get().readers.add(Group.objects.create(name="secret"))
    for act in (approve, reject, defer):
        with pytest.raises(ProposalInvalid, match="there is no proposal"):
            act(reviewer, made, 1, "no")
    assert state(made) == "waiting"


def test_rejecting_wants_a_reason_and_is_for_good(
    shop: Shop, reviewer: User, curator: User
) -> None:
    made = repair(reviewer, shop)
    with pytest.raises(ProposalInvalid, match="say why it is wrong"):
        reject(reviewer, made, 1, " ")
    reject(reviewer, made, 1, "it hides the cause")
    assert (state(made), Proposal.objects.get().comment) == ("rejected", "it hides the cause")
    with pytest.raises(AlreadyDecided, match=r"was rejected by reviewer at .*: it hides the cause"):
        approve(curator, made, 1)
    assert AuditEntry.objects.filter(action="proposal.reject").count() == 1


def test_a_deferred_one_can_be_approved_later(shop: Shop, reviewer: User) -> None:
    made = waiting(reviewer, shop)
    defer(reviewer, made, 1, "after the release")
    assert (state(made), Proposal.objects.get().comment) == ("deferred", "after the release")
    approve(reviewer, made, 1)
    with pytest.raises(ProposalInvalid, match="is draft: only one that waits"):
        defer(reviewer, repair(reviewer, shop, (policy(shop), Rule(text="b"))), 1)


def test_a_moved_base_makes_it_stale_and_names_who_moved_it(
    shop: Shop, reviewer: User, curator: User
) -> None:
    rule = policy(shop)
    made = waiting(reviewer, shop, (rule, Rule(text="b")), (shop.server, source("b")))
    approve(curator, waiting(curator, shop, (shop.server, source("first"))), 1)
    assert state(made) == "stale"
    with pytest.raises(
        Stale, match=r"curator moved notes/pen from v1 to v2 at .* \(proposal \d+\)"
    ):
        approve(reviewer, made, 1)
    assert (says(rule), says(shop.server)) == (Rule(text="Be kind."), source("first"))


def test_a_load_that_moved_the_base_is_found_out_by_the_approval(
    shop: Shop, reviewer: User
) -> None:
    made = waiting(reviewer, shop)
    loaded(shop)
    assert state(made) == "waiting"
    with pytest.raises(
        Stale, match=r"the command line moved notes/pen .*library notes/toolservers"
    ):
        approve(reviewer, made, 1)
    assert state(made) == "stale"
    assert says(shop.server) == source("loaded")


def test_findings_of_the_trial_are_of_the_version_that_it_became(
    shop: Shop, reviewer: User
) -> None:
    made = repair(reviewer, shop)
    trial = tried(made)
    after, other = (
        Result.objects.create(key=key * 64, bundle=key * 64, status="broken", seconds=1.0)
        for key in "ab"
    )
    environment = shop.sound("a")
    Outcome.objects.create(
        trial=trial,
        environment=environment,
        stage=Stage.FULL,
        bundle="a" * 64,
        after=after,
        before_status="broken",
        after_status="broken",
        move=Move.UNCHANGED,
    )
    rows = [
        Finding.objects.create(
            result=result, component=component, code="tool-crash", severity="blocking"
        )
        for result, component in ((after, shop.server), (after, shop.records), (other, shop.server))
    ]
    (version,) = approve(reviewer, made, 1)
    for row in rows:
        row.refresh_from_db()
    assert [row.version for row in rows] == [version, None, None]


# Several together


def test_many_are_approved_after_a_joint_trial_of_exactly_these(shop: Shop, reviewer: User) -> None:
    rule = policy(shop)
    one, two = repair(reviewer, shop), repair(reviewer, shop, (rule, Rule(text="b")))
    trial = tried(one, two)
    with pytest.raises(Untried, match="not of proposal"):
        approve_many(reviewer, [(one, 1)], trial)
    made = approve_many(reviewer, [(two, 1), (one, 1)], trial)
    assert {pk: [str(version) for version in versions] for pk, versions in made.items()} == {
        one.pk: ["notes/pen v2"],
        two.pk: ["notes/policy v2"],
    }
    assert AuditEntry.objects.filter(action="proposal.approve", detail__trial=trial.pk).count() == 2


def test_many_want_an_override_where_their_joint_trial_speaks_against_them(
    shop: Shop, reviewer: User
) -> None:
    one, two = repair(reviewer, shop), repair(reviewer, shop, (policy(shop), Rule(text="b")))
    trial = tried(one, two, regressed=2)
    with pytest.raises(OverrideNeeded):
        approve_many(reviewer, [(one, 1), (two, 1)], trial)
    assert {state(one), state(two)} == {"waiting"}
    approve_many(reviewer, [(one, 1), (two, 1)], trial, override="known")


def test_of_many_with_one_moved_base_none_is_approved(shop: Shop, reviewer: User) -> None:
    rule = policy(shop)
    one, two = repair(reviewer, shop), repair(reviewer, shop, (rule, Rule(text="b")))
    trial = tried(one, two)
    shop.component("policy", Rule(text="moved"))
    with pytest.raises(Stale, match=f"proposal {two.pk} is stale: .* notes/policy from v1 to v2"):
        approve_many(reviewer, [(one, 1), (two, 1)], trial)
    assert (state(one), state(two)) == ("waiting", "stale")
    assert Version.objects.filter(component=shop.server).count() == 1
    assert not AuditEntry.objects.filter(action="proposal.approve").exists()


def test_a_joint_trial_of_what_they_said_before_is_refused(shop: Shop, reviewer: User) -> None:
    one, two = repair(reviewer, shop), repair(reviewer, shop, (policy(shop), Rule(text="b")))
    trial = tried(one, two)
    edit(reviewer, one, 1, changes=[(shop.server, source("other"))])
    tried(one)
    with pytest.raises(Untried, match="said before"):
        approve_many(reviewer, [(one, 2), (two, 1)], trial)
    for wrong in ([], [(one, 2), (one, 2)]):
        with pytest.raises(ProposalInvalid, match="each of the proposals"):
            approve_many(reviewer, wrong, trial)


# By itself


@pytest.fixture
def fault(shop: Shop) -> Fault:
    return Fault.objects.create(domain=shop.domain, code="tool-crash", title="It breaks")


def test_the_best_has_an_authority_no_regression_and_is_small(
    shop: Shop, reviewer: User, fault: Fault
) -> None:
    assert best_of(fault) is None
    long = (shop.server, ToolServerBody(source=SOURCE + "\nA = 1" * 9))
    made = [
        repair(reviewer, shop, fault=fault),
        repair(reviewer, shop, fault=fault, authority="docstring"),
        repair(reviewer, shop, long, fault=fault, authority="docstring"),
        repair(reviewer, shop, fault=fault, authority="docstring"),
    ]
    for one, regressed, lines in zip(made, (0, 1, 0, 0), (1, 1, 9, 1), strict=True):
        tried(one, regressed=regressed, edit_size=lines)
    assert best_of(fault) == made[3]


def test_by_itself_the_best_that_nothing_stands_against_is_approved(
    shop: Shop, reviewer: User, fault: Fault
) -> None:
    rule = policy(shop)
    doubtful: list[tuple[Proposal, dict[str, Any]]] = [
        (repair(reviewer, shop, (rule, Rule(text="b")), fault=fault), {}),
        (repair(reviewer, shop, fault=fault), {"regressed": 1}),
        (repair(reviewer, shop, fault=fault), {"weakens": True}),
        (repair(reviewer, shop, fault=fault), {"redefines": True}),
        (repair(reviewer, shop, fault=fault), {"fixed": 0}),
        (repair(reviewer, shop, fault=fault), {"errors": 1}),
    ]
    for one, report in doubtful:
        tried(one, **report)
    assert auto(reviewer) == []
    good = repair(reviewer, shop, (shop.server, source("good")), fault=fault)
    tried(good)
    (told,) = auto(reviewer)
    assert (told.fault, told.proposal, told.refused) == (fault, good, "")
    assert says(shop.server) == source("good")
    assert [str(version) for version in told.versions] == ["notes/pen v2"]


def test_by_itself_a_plan_is_changed_and_nothing_else_of_an_intent(
    shop: Shop, reviewer: User, fault: Fault
) -> None:
    shop.sound("a")
    _, said = intent_of(Environment.objects.get(slug="a"))
    component = shop.component("wish", said)
    other = said.model_copy(update={"plans": {"pen": said.plans["default"]}})
    for body in (said.model_copy(update={"instruction": "Otherwise."}), other):
        tried(repair(reviewer, shop, (component, body), fault=fault))
    (told,) = auto(reviewer)
    assert says(component) == other
    assert told.refused == ""


def test_by_itself_nothing_given_and_no_closed_fault_is_touched(
    shop: Shop, viewer: User, reviewer: User, fault: Fault
) -> None:
    tried(repair(reviewer, shop, fault=fault))
    with pytest.raises(PermissionDenied):
        auto(viewer)
    Component.objects.filter(pk=shop.server.pk).update(about={"authority": "given"})
    assert auto(reviewer) == []
    Component.objects.update(about={})
    Fault.objects.update(status="archived")
    assert auto(reviewer) == []


# At once


@pytest.mark.django_db(transaction=True)
def test_of_two_who_approve_at_once_one_does_and_the_other_is_told(
    shop: Shop, reviewer: User, curator: User
) -> None:
    made = waiting(reviewer, shop)
    first, second = in_line(
        made, lambda: approve(curator, made, 1), lambda: approve(reviewer, made, 1)
    )
    assert [str(version) for version in first] == ["notes/pen v2"]
    assert isinstance(second, AlreadyDecided)
    assert "was approved by curator at" in str(second)
    assert shop.server.versions.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_proposals_for_one_component_one_is_approved_and_the_other_stale(
    shop: Shop, reviewer: User, curator: User
) -> None:
    one, two = waiting(reviewer, shop), waiting(reviewer, shop, (shop.server, source("two")))
    first, second = in_line(
        one, lambda: approve(curator, one, 1), lambda: approve(reviewer, two, 1)
    )
    assert len(first) == 1
    assert isinstance(second, Stale)
    assert "curator moved notes/pen from v1 to v2" in str(second)
    assert (state(two), shop.server.versions.count()) == ("stale", 2)


@pytest.mark.django_db(transaction=True)
def test_an_edit_before_the_approval_wins(shop: Shop, reviewer: User, curator: User) -> None:
    made = waiting(reviewer, shop)
    changes = [(shop.server, source("edited"))]
    _, approval = in_line(
        made,
        lambda: edit(curator, made, 1, changes=changes),
        lambda: approve(reviewer, made, 1),
    )
    assert isinstance(approval, Conflict)
    assert "was edited by curator at" in str(approval)
    assert (state(made), shop.server.versions.count()) == ("draft", 1)


@pytest.mark.django_db(transaction=True)
def test_an_edit_after_the_approval_is_told(shop: Shop, reviewer: User, curator: User) -> None:
    made = waiting(reviewer, shop)
    changes = [(shop.server, source("edited"))]
    versions, late = in_line(
        made,
        lambda: approve(reviewer, made, 1),
        lambda: edit(curator, made, 1, changes=changes),
    )
    assert len(versions) == 1
    assert isinstance(late, AlreadyDecided)
    assert made.changes.get().body.parsed() == source("better")


@pytest.mark.django_db(transaction=True)
def test_a_load_that_waits_for_an_approval_follows_it(shop: Shop, reviewer: User) -> None:
    made = waiting(reviewer, shop)
    approval, load_ = in_line(made, lambda: approve(reviewer, made, 1), lambda: loaded(shop))
    assert (len(approval), load_) == (1, None)
    assert says(shop.server) == source("loaded")
    numbers = shop.server.versions.order_by("number").values_list("number", "parent__number")
    assert list(numbers) == [(1, None), (2, 1), (3, 2)]


@pytest.mark.django_db(transaction=True)
def test_those_who_decide_at_the_same_moment_come_to_one_decision(
    shop: Shop, reviewer: User
) -> None:
    made = waiting(reviewer, shop)
    works = [
        lambda: approve(reviewer, made, 1),
        lambda: reject(reviewer, made, 1, "no"),
        lambda: defer(reviewer, made, 1),
        lambda: approve(reviewer, made, 1),
    ]
    told = at_once(4, lambda number: outcome(works[number]))
    assert sum(isinstance(one, (list, Proposal)) for one in told) in (1, 2)
    assert shop.server.versions.count() == (2 if state(made) == "approved" else 1)
    assert all(isinstance(one, (list, Proposal, AlreadyDecided)) for one in told)
