"""Proposals: made, edited by the revision that was read, taken back."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied

from components.models import AuditEntry, Component, Domain
from tests.triage.repairs import now, policy, repair, source, tried, waiting
from tests.triage.shop import SOURCE, Shop
from triage.models import Fault, Proposal, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.proposals import AlreadyDecided, Conflict, ProposalInvalid, edit, propose, withdraw
from triage.review import reject
from worlds.rule import Rule
from worlds.toolserver_body import ToolServerBody


def running(*proposals: Proposal) -> Trial:
    """A trial of them that is under way."""
    made = tried(*proposals)
    Trial.objects.filter(pk=made.pk).update(state=JobState.RUNNING)
    Proposal.objects.filter(pk__in=[one.pk for one in proposals]).update(state=ProposalState.TRYING)
    return made


def test_a_proposal_is_a_draft_against_what_is_current(shop: Shop, reviewer: User) -> None:
    made = repair(reviewer, shop)
    (change,) = made.changes.all()
    assert (made.state, made.revision, made.author) == ("draft", 1, reviewer)
    assert (change.component, change.base) == (shop.server, now(shop.server).current)
    assert change.body.parsed() == source("better")
    entry = AuditEntry.objects.get(action="proposal.create")
    assert (entry.target, entry.actor, entry.detail["title"]) == (
        f"proposal {made.pk}",
        reviewer,
        "Mend the pen",
    )


def test_what_cannot_be_proposed_is_told(shop: Shop, reviewer: User) -> None:
    rules = [shop.component(f"rule-{number}", Rule(text="a")) for number in range(4)]
    other = Shop("other")
    fault = Fault.objects.create(domain=other.domain, code="tool-crash", title="It breaks")
    wrong: list[tuple[list[tuple[Component, Rule | ToolServerBody]], str]] = [
        ([], "1 to 3 changes, not 0"),
        ([(rule, Rule(text="b")) for rule in rules], "1 to 3 changes, not 4"),
        ([(shop.server, source("a")), (shop.server, source("b"))], "changed twice"),
        ([(shop.server, ToolServerBody(source=SOURCE))], "notes/pen says that already"),
        ([(shop.server, Rule(text="b"))], "is a toolserver, and cannot say what a rule says"),
        ([(other.server, source("a"))], "not of the domain notes"),
    ]
    for changes, why in wrong:
        with pytest.raises(ProposalInvalid, match=why):
            propose(reviewer, shop.domain, changes, "Mend")
    with pytest.raises(ProposalInvalid, match="needs a title"):
        propose(reviewer, shop.domain, [(shop.server, source("a"))], " ")
    with pytest.raises(ProposalInvalid, match="301 characters"):
        propose(reviewer, shop.domain, [(shop.server, source("a"))], "x" * 301)
    with pytest.raises(ProposalInvalid, match="not of the domain notes"):
        repair(reviewer, shop, fault=fault)
    assert not Proposal.objects.exists()


def test_proposing_needs_the_permission_and_the_domain(
    shop: Shop, viewer: User, reviewer: User
) -> None:
    with pytest.raises(PermissionDenied, match="viewer may not propose repairs"):
        repair(viewer, shop)
    Domain.objects.get().readers.add(Group.objects.create(name="secret"))
    with pytest.raises(ProposalInvalid, match="there is no domain notes"):
        repair(reviewer, shop)


def test_a_given_component_is_named(shop: Shop, reviewer: User) -> None:
    made = repair(reviewer, shop)
    assert made.given_components() == []
    Component.objects.filter(pk=shop.server.pk).update(about={"authority": "given"})
    assert made.given_components() == [shop.server]


def test_an_edit_makes_the_next_revision_a_draft_against_what_is_current_now(
    shop: Shop, reviewer: User
) -> None:
    made = waiting(reviewer, shop)
    shop.component("pen", source("moved"))
    row = edit(reviewer, made, 1, changes=[(shop.server, source("best"))], title="Mend it well")
    (change,) = row.changes.all()
    assert (row.state, row.revision, row.title) == ("draft", 2, "Mend it well")
    assert (change.base, change.body.parsed()) == (now(shop.server).current, source("best"))
    assert row.moved() == []


def test_other_words_alone_leave_the_trial_standing(shop: Shop, reviewer: User) -> None:
    before = waiting(reviewer, shop)
    row = edit(reviewer, before, 1, reason="because", authority="the docstring")
    assert row.edited == before.edited  # by which the list of proposals finds its trial
    assert (row.state, row.revision, row.reason) == ("waiting", 2, "because")


def test_an_edit_of_another_revision_is_refused_and_names_who_edited(
    shop: Shop, reviewer: User, curator: User
) -> None:
    made = repair(reviewer, shop)
    edit(curator, made, 1, title="Mine")
    with pytest.raises(Conflict, match=r"was edited by curator at .* revision 2, and 1 was read"):
        edit(reviewer, made, 1, title="Late")
    assert Proposal.objects.get().title == "Mine"


def test_an_edit_ends_the_trials_that_are_not_over(shop: Shop, reviewer: User) -> None:
    made, other = repair(reviewer, shop), repair(reviewer, shop, (policy(shop), Rule(text="b")))
    trial = running(made, other)
    edit(reviewer, made, 1, changes=[(shop.server, source("best"))])
    trial.refresh_from_db()
    other.refresh_from_db()
    assert (trial.state, trial.cancelled_by) == (JobState.CANCELLED, reviewer)
    assert other.state == ProposalState.DRAFT


def test_only_who_wrote_it_withdraws_it_and_then_it_is_decided(
    shop: Shop, reviewer: User, curator: User
) -> None:
    made = repair(reviewer, shop)
    with pytest.raises(ProposalInvalid, match="is reviewer's"):
        withdraw(curator, made, 1)
    row = withdraw(reviewer, made, 1, "a slip")
    assert (row.state, row.decided_by, row.comment) == ("rejected", reviewer, "a slip")
    with pytest.raises(AlreadyDecided, match=r"was rejected by reviewer at .* UTC: a slip"):
        edit(reviewer, made, 1, title="again")


def test_a_proposal_of_a_hidden_domain_is_not_there(shop: Shop, reviewer: User) -> None:
    made = repair(reviewer, shop)
    Domain.objects.get().readers.add(Group.objects.create(name="secret"))
    with pytest.raises(ProposalInvalid, match=f"there is no proposal {made.pk}"):
        edit(reviewer, made, 1, title="Mine")


def test_what_was_tried_with_a_rejected_one_waits_as_before_where_it_was_tried_alone(
    shop: Shop, reviewer: User
) -> None:
    made = repair(reviewer, shop)
    other = waiting(reviewer, shop, (policy(shop), Rule(text="b")))
    running(made, other)
    reject(reviewer, made, 1, "no")
    other.refresh_from_db()
    assert other.state == ProposalState.WAITING
