"""Proposals for tests, with faults and trials made as rows: nothing is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from components.models import Body, Component, Environment
from components.versions import keep
from tests.browser import seed
from tests.browser import shop as goods
from tests.browser.seed import Library
from triage.models import Change, Fault, Outcome, Proposal, Result, Suspect, Trial
from triage.models.proposal import ProposalState
from triage.models.trial import Move, Stage
from worlds.canonical import digest
from worlds.toolserver_body import ToolServerBody

BEFORE = 'db.update("orders", order_id, {"status": "cancelled", "reason": reason})'
AFTER = 'db.update("orders", order_id, {"status": "cancelled", "reason": reason, "refund": order["total"]})'
REPORT: dict[str, Any] = {
    "fixed": 2,
    "regressed": 0,
    "unchanged": 1,
    "cured": 2,
    "held_out_fixed": 1,
    "held_out": 1,
    "accepted_to_rejected": 0,
    "rejected_to_accepted": 0,
    "strength_before": 0.9,
    "strength_after": 0.95,
    "weakens": False,
    "redefines": False,
    "rejudged": {"same": 5, "accepted_to_rejected": 0, "rejected_to_accepted": 0, "diverged": 7},
    "errors": 0,
    "edit_size": 2,
    "seconds": 3.5,
    "stages": {"probe": 1, "sample": 3, "full": 3},
}


def server_of(made: Library) -> Component:
    """The tool server that all of a library use."""
    return made.domain.components.select_related("current__body").get(kind="toolserver")


def source(said: str = AFTER) -> str:
    """The tool server's source with its last line said otherwise."""
    return goods.SOURCE.replace(BEFORE, said)


def fault(made: Library, title: str = "cancel_order keeps the money") -> Fault:
    """A fault of which the tool server is suspected."""
    server = server_of(made)
    row = Fault.objects.create(
        domain=made.domain, code="plan-misses-goal", title=title, environments=2
    )
    Suspect.objects.create(
        fault=row,
        rank=1,
        component=server,
        version=server.current,
        symbol="cancel_order",
        score=0.87,
        state="confirmed",
        evidence=[{"sort": "direct", "text": "2 findings point at cancel_order", "cites": {}}],
    )
    return row


def proposal(
    made: Library,
    *,
    body: str = "",
    state: ProposalState = ProposalState.WAITING,
    author: User | None = None,
    **more: Any,
) -> Proposal:
    """A proposal that the tool server gives the money back, or says `body`."""
    said: dict[str, Any] = {
        "title": "Give the money back",
        "reason": "The docstring promises it.",
        "authority": "Cancel a pending order and give back the money.",
    }
    row = Proposal.objects.create(
        domain=made.domain, state=state, author=author, **{**said, **more}
    )
    change(row, server_of(made), keep(ToolServerBody(source=body or source())))
    return row


def change(row: Proposal, component: Component, body: Body) -> Change:
    """One more component's part."""
    assert component.current is not None
    return Change.objects.create(
        proposal=row, component=component, base=component.current, body=body
    )


def trial(
    proposals: Sequence[Proposal], *, state: str = "done", stage: str = Stage.FULL, **report: Any
) -> Trial:
    """A trial of proposals as they are now, without outcomes."""
    rows = Change.objects.filter(proposal__in=proposals).select_related("base")
    changes = [
        {
            "component": one.component_id,
            "base": one.base_id,
            "base_body": one.base.body_id,
            "body": one.body_id,
        }
        for one in rows.order_by("component")
    ]
    made = Trial.objects.create(
        state=state,
        stage=stage,
        changes=changes,
        digest=digest(changes),
        report={**REPORT, **report} if state == "done" else {},
        started=timezone.now(),
        finished=timezone.now() if state == "done" else None,
    )
    made.proposals.set(proposals)
    return made


def outcome(tried: Trial, environment: Environment, number: int, **more: Any) -> Outcome:
    """An environment that the trial fixes; `more` says otherwise."""
    before, after = (result(tried, environment, number, solved=solved) for solved in (False, True))
    said: dict[str, Any] = {
        "stage": Stage.FULL,
        "is_affected": True,
        "before": before,
        "after": after,
        "before_status": "broken",
        "after_status": "solvable",
        "move": Move.FIXED,
        "is_cured": True,
        "rejudged": {"same": 2, "diverged": 3},
        "strength_before": 0.9,
        "strength_after": 0.95,
        "bundle": digest([tried.pk, environment.pk]),
    }
    return Outcome.objects.create(trial=tried, environment=environment, **{**said, **more})


def result(tried: Trial, environment: Environment, number: int, *, solved: bool) -> Result:
    """A result with the reference's attempt at it."""
    key = digest([tried.pk, environment.pk, solved])
    row = Result.objects.create(
        key=key,
        bundle=key,
        status="solvable" if solved else "broken",
        seconds=0.1,
        unobserved=[{"what": "nondeterministic", "why": "its state is outside"}] if solved else [],
    )
    check = seed.queued(seed.open_round([]), environment)
    check.bundle, check.result_key = key, key
    row.episodes.add(seed.episode(check, seed.agents()["reference"], number, solved=solved))
    check.round.delete()
    return row


def tried(made: Library, author: User | None = None, **report: Any) -> tuple[Proposal, Trial]:
    """A waiting proposal with a full trial: two environments fixed, one as it was."""
    row = proposal(made, author=author, fault=fault(made))
    done = trial([row], **report)
    for number, environment in enumerate(made.environments[:2]):
        outcome(done, environment, number, is_held_out=number == 1)
    outcome(
        done,
        made.environments[2],
        2,
        move=Move.UNCHANGED,
        is_cured=False,
        is_affected=False,
        before_status="solvable",
    )
    return row, done


def untouched(done: Trial, made: Library) -> None:
    """Let a trial have run all other environments too, which it leaves as they were."""
    seen = set(done.outcomes.values_list("environment", flat=True))
    others = [one for one in made.environments if one.pk not in seen]
    said = {"stage": Stage.FULL, "move": Move.UNCHANGED, "bundle": "0" * 64}
    same = {"before_status": "solvable", "after_status": "solvable"}
    Outcome.objects.bulk_create(
        Outcome(trial=done, environment=one, **said, **same) for one in others
    )
