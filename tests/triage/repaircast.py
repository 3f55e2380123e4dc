"""Searches for repairs for tests, as rows: nothing is searched."""

from __future__ import annotations

from difflib import unified_diff
from typing import Any

from django.utils import timezone

from tests.browser import shop as goods
from tests.triage.proposalcast import AFTER, BEFORE
from triage.models import Alternative, Fault, Proposal, Repair

SOURCE = "toolserver/shop-api"
TOLD: tuple[tuple[str, str, str, float, str, str], ...] = (
    (
        "proposed",
        "write the refund back in cancel_order",
        "toolserver-write-back",
        0.72,
        "Cancel a pending order and give back the money.",
        "",
    ),
    (
        "outranked",
        "say the refund in cancel_order as return_item does",
        "toolserver-borrowed",
        0.41,
        "return_item: refund = money(order['total'])",
        "It works as far as it was tried; proposal 1 ranks above it, which is likelier.",
    ),
    (
        "regressing",
        "let pending-only hold for refunds too",
        "condition-bound",
        0.2,
        "",
        "reorder-005, which is sound, fails with it at the step cancel_order: refused.",
    ),
    (
        "uncured",
        "take cancel_order back to v1",
        "revert",
        0.12,
        "",
        "The goal is missed as before.",
    ),
    (
        "failing",
        "ask for size(order.items) > 0 in goal.require[0]",
        "condition-operator",
        0.04,
        "",
        "The plan stops at step 3: refused.",
    ),
    ("untried", "drop the clause pending-only", "condition-drop", 0.01, "", "The time was up."),
)
"""Fate, what it would do, proposer, likelihood, authority, why."""


def diff(name: str = SOURCE, before: str = BEFORE, after: str = AFTER) -> str:
    """The shop's tool server with a line of it said otherwise, as a patch."""
    one, other = goods.SOURCE, goods.SOURCE.replace(before, after)
    names = (f"{name} (as it is)", f"{name} (proposed)")
    return "".join(unified_diff(one.splitlines(True), other.splitlines(True), *names))


def repair(row: Fault, state: str = "done", **more: Any) -> Repair:
    """A search for repairs of a fault, without alternatives."""
    now = timezone.now()
    said: dict[str, Any] = {
        "started": None if state == "queued" else now,
        "finished": None if state in ("queued", "running") else now,
        "spent": 12.3 if state == "done" else 0.0,
    }
    return Repair.objects.create(fault=row, state=state, **{**said, **more})


def alternative(held: Repair, rank: int, **more: Any) -> Alternative:
    """A candidate that it tried."""
    fate, says, proposer, likelihood, authority, because = TOLD[(rank - 1) % len(TOLD)]
    return Alternative.objects.create(
        repair=held,
        rank=rank,
        **{
            "proposer": proposer,
            "says": says,
            "components": [SOURCE],
            "diff": diff(),
            "authority": authority,
            "likelihood": likelihood,
            "fate": fate,
            "because": because,
            **more,
        },
    )


def searched(row: Fault, made: Proposal | None = None, **more: Any) -> Repair:
    """A search that is done, with an alternative of each fate; the first is `made`."""
    counts = {"proposed": 1, "outranked": 1, "regressing": 1, "uncured": 3, "failing": 30}
    held = repair(row, counts={**counts, "untried": 9}, **more)
    for rank, (fate, *_) in enumerate(TOLD, 1):
        alternative(held, rank, proposal=made if fate == "proposed" else None)
    if made is not None:
        Proposal.objects.filter(pk=made.pk).update(repair=held, likelihood=0.72)
    return held
