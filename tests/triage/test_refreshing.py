"""Stale proposals brought up to date."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied

from tests.triage.repairs import now, policy, repair, source, waiting
from tests.triage.shop import SOURCE, Shop
from triage.models.proposal import ProposalState
from triage.proposals import ProposalInvalid
from triage.refreshing import refresh
from triage.review import approve, reject
from triage.staleness import Stale
from worlds.recordset import Recordset
from worlds.rule import Rule
from worlds.toolserver_body import ToolServerBody

MENDED = SOURCE.replace('"""Read a note."""', '"""Read one note."""')
MOVED = SOURCE.replace("total = 0", "total = 1 - 1")


def test_what_others_changed_elsewhere_is_taken_over(shop: Shop, reviewer: User) -> None:
    made = waiting(reviewer, shop, (shop.server, ToolServerBody(source=MENDED)))
    shop.component("pen", ToolServerBody(source=MOVED))
    with pytest.raises(Stale):
        approve(reviewer, made, 1)
    told = refresh(reviewer, made)
    assert (len(told.merged), told.kept, told.dropped) == (1, [], [])
    change = told.proposal.changes.get()
    assert change.base == now(shop.server).current
    both = MENDED.replace("total = 0", "total = 1 - 1")
    assert change.body.parsed() == ToolServerBody(source=both)
    assert (told.proposal.state, told.proposal.revision) == (ProposalState.DRAFT, 2)


def test_rows_are_merged_one_by_one(shop: Shop, reviewer: User) -> None:
    def desk(**texts: str) -> Recordset:
        rows = [{"id": f"N{number}", "text": texts.get(f"n{number}", "")} for number in range(3)]
        return Recordset.parse({"tables": {"notes": rows}})

    made = repair(reviewer, shop, (shop.records, desk(n0="ours")))
    shop.component("desk", desk(n2="theirs"))
    told = refresh(reviewer, made)
    assert told.proposal.changes.get().body.parsed() == desk(n0="ours", n2="theirs")


def test_where_the_changes_meet_the_proposal_stays_as_it_is_and_says_so(
    shop: Shop, reviewer: User
) -> None:
    made = repair(reviewer, shop, (shop.server, source("ours")))
    shop.component("pen", source("theirs"))
    told = refresh(reviewer, made)
    (sentence,) = told.kept
    assert "it would undo what v2 (by the command line) changed" in sentence
    assert told.proposal.changes.get().body.parsed() == source("ours")


def test_what_the_components_say_by_now_is_dropped(shop: Shop, reviewer: User) -> None:
    made = repair(reviewer, shop, (shop.server, source("b")), (policy(shop), Rule(text="b")))
    shop.component("pen", source("b"))
    told = refresh(reviewer, made)
    assert (told.dropped, told.proposal.changes.count()) == (["notes/pen v2 says it already"], 1)
    shop.component("policy", Rule(text="b"))
    with pytest.raises(ProposalInvalid, match="its components say by now: reject it"):
        refresh(reviewer, made)
    reject(reviewer, made, 2, "done otherwise")


def test_what_did_not_move_is_not_refreshed(shop: Shop, viewer: User, reviewer: User) -> None:
    made = repair(reviewer, shop)
    with pytest.raises(ProposalInvalid, match="against what its components say now: try it"):
        refresh(reviewer, made)
    with pytest.raises(PermissionDenied):
        refresh(viewer, made)
