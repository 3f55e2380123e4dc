"""Which of a fault's proposals comes first, and why."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.triage.repairs import repair, source, tried
from tests.triage.shop import Shop
from triage.models import Fault, Proposal
from triage.models.proposal import ProposalState
from triage.models.trial import Stage
from triage.pages.queue import RANK, with_trial
from triage.ranking import WORDS, below, place_of, places
from triage.trialreport import Rank, rank_key

BEST = Rank(False, False, False, -3, -9, -9, -0.9, 2, 1)
WORSE: dict[str, Any] = {
    "is_feared": True,
    "is_uncited": True,
    "has_regressed": True,
    "held_out_fixed": -2,
    "fixed": -1,
    "cured": -1,
    "likelihood": -0.4,
    "edit_size": 5,
    "trial": 2,
}


@pytest.fixture
def fault(shop: Shop) -> Fault:
    return Fault.objects.create(domain=shop.domain, code="tool-crash", title="It breaks")


def made(fault: Fault, author: User, shop: Shop, word: str, **report: Any) -> Proposal:
    """A tried repair that says `word`; `authority` and `likelihood` are its own."""
    own = {name: report.pop(name) for name in ("authority", "likelihood") if name in report}
    row = repair(author, shop, (shop.server, source(word)), title=word, fault=fault, authority="so")
    Proposal.objects.filter(pk=row.pk).update(**own)
    tried(row, **report)
    row.refresh_from_db()
    return row


def test_what_is_compared_has_words_and_a_way_to_be_worse() -> None:
    assert set(WORDS) == set(Rank._fields) == set(WORSE)


@pytest.mark.parametrize("name", Rank._fields)
def test_the_first_thing_that_differs_puts_one_below_and_is_what_is_said(name: str) -> None:
    later = Rank._fields[Rank._fields.index(name) :]
    worse = BEST._replace(**{one: WORSE[one] for one in later})
    assert worse > BEST
    assert below(BEST, worse) == WORDS[name](getattr(worse, name), getattr(BEST, name))


def test_the_words_have_the_numbers_of_both() -> None:
    assert below(BEST, BEST._replace(held_out_fixed=-1)) == "of the held-out half it fixes 1, not 3"
    assert below(BEST, BEST._replace(fixed=-1)) == "it fixes 1 environment, not 9"
    assert "40%, not 90%" in below(BEST, BEST._replace(likelihood=-0.4))
    assert below(BEST, BEST) == ""


def test_a_faults_proposals_stand_in_the_order_of_their_trials(
    shop: Shop, fault: Fault, reviewer: User
) -> None:
    uncited = made(fault, reviewer, shop, "uncited", fixed=9, authority="")
    unlikely = made(fault, reviewer, shop, "unlikely", fixed=3, likelihood=0.2)
    likely = made(fault, reviewer, shop, "likely", fixed=3, likelihood=0.8)
    mine = places([fault])[fault.pk]
    assert [one.proposal for one in mine] == [likely, unlikely, uncited]
    assert [one.number for one in mine] == [1, 2, 3]
    assert [one.because for one in mine] == [
        "",
        "it is thought less likely to be the right edit: 20%, not 80%",
        "it cites no authority",
    ]
    assert sorted((one.trial for one in mine), key=rank_key) == [one.trial for one in mine]


def test_the_list_of_proposals_has_the_same_order(shop: Shop, fault: Fault, reviewer: User) -> None:
    kinds = itertools.product((True, False), ("", "so"), (0, 2), (1, 4), (0.2, None, 0.9))
    for number, (weakens, authority, regressed, fixed, likelihood) in enumerate(kinds):
        made(
            fault,
            reviewer,
            shop,
            f"w{number}",
            weakens=weakens,
            regressed=regressed,
            fixed=fixed,
            authority=authority,
            likelihood=likelihood,
        )
    listed = with_trial(Proposal.objects.all()).order_by(*RANK, "pk")
    assert [one.proposal for one in places([fault])[fault.pk]] == list(listed)


def test_only_what_can_be_approved_as_it_is_has_a_place(
    shop: Shop, fault: Fault, reviewer: User
) -> None:
    row = made(fault, reviewer, shop, "one")
    place = place_of(row)
    assert place is not None
    assert place.number == 1
    for state in (ProposalState.REJECTED, ProposalState.DRAFT, ProposalState.STALE):
        Proposal.objects.filter(pk=row.pk).update(state=state)
        assert place_of(row) is None
    Proposal.objects.filter(pk=row.pk).update(state=ProposalState.WAITING)
    row.trials.update(stage=Stage.SAMPLE)
    assert place_of(row) is None
    assert place_of(repair(reviewer, shop)) is None


def test_a_trial_of_what_it_said_before_gives_no_place(
    shop: Shop, fault: Fault, reviewer: User
) -> None:
    row = made(fault, reviewer, shop, "one")
    row.trials.update(digest="0" * 64)
    assert place_of(row) is None


def test_as_many_queries_for_five_as_for_one(
    shop: Shop, fault: Fault, reviewer: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        made(fault, reviewer, shop, f"w{number}")
        if number in (0, 4):
            with django_assert_num_queries(3):
                places([fault])
