"""What a trial tries."""

from __future__ import annotations

import pytest

from tests.triage.shop import SOURCE, Shop
from tests.triage.trying import FORGETS, intent_of, proposed
from triage.candidates import (
    CandidateInvalid,
    bodies,
    changes_of,
    latest_trial,
    moved,
    proposal_digest,
    resting,
)
from triage.models import Proposal
from triage.models.proposal import ProposalState
from worlds.rule import Rule
from worlds.toolserver_body import ToolServerBody


def test_a_candidate_is_the_same_in_whatever_order_its_proposals_come(shop: Shop) -> None:
    component, said = intent_of(shop.sound("a"), instruction="Do it.")
    one, other = proposed(None, {shop.server: FORGETS}), proposed(None, {component: said})
    assert proposal_digest(one, other) == proposal_digest(other, one)
    both = proposed(None, {component: said, shop.server: FORGETS})
    assert proposal_digest(both) == proposal_digest(one, other)


def test_two_that_want_the_same_of_a_component_agree(shop: Shop) -> None:
    one, other = (proposed(None, {shop.server: FORGETS}) for _ in range(2))
    assert changes_of([one, other]) == changes_of([one])


def test_an_edit_and_another_base_make_another_candidate(shop: Shop) -> None:
    first = proposal_digest(proposed(None, {shop.server: FORGETS}))
    other = ToolServerBody(source=SOURCE + "\n\nLEFT = 1\n")
    assert proposal_digest(proposed(None, {shop.server: other})) != first
    shop.component("pen", other)
    assert proposal_digest(proposed(None, {shop.server: FORGETS})) != first


def test_its_bodies_stand_under_kind_and_slug(shop: Shop) -> None:
    said = changes_of([proposed(None, {shop.server: FORGETS})])
    assert bodies(said) == {("toolserver", "pen"): FORGETS.digest}


def test_a_component_at_another_version_has_moved(shop: Shop) -> None:
    said = changes_of([proposed(None, {shop.server: FORGETS})])
    assert moved(said) == []
    shop.component("pen", FORGETS)
    assert moved(said) == [shop.server]


def test_nothing_is_no_candidate(shop: Shop) -> None:
    empty = Proposal.objects.create(domain=shop.domain, title="Nothing")
    with pytest.raises(CandidateInvalid, match="there is nothing to try"):
        changes_of([empty])


def test_nothing_speaks_for_a_proposal_whose_component_was_pruned(shop: Shop) -> None:
    unused = shop.component("unused", Rule(text="Be kind."))
    made = proposed(None, {unused: Rule(text="Be brief.")})
    unused.delete()
    assert latest_trial(made) is None
    assert resting(made) == ProposalState.DRAFT
