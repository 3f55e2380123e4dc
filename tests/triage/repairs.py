"""Repairs of the shop, and trials of them as if they had been run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import sleep
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction

from components.models import Component
from tests.triage.shop import SOURCE, Shop
from triage.candidates import proposal_digest
from triage.models import Change, Fault, Proposal, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Stage
from triage.proposals import propose
from worlds.body import Body
from worlds.rule import Rule
from worlds.toolserver_body import ToolServerBody

HARMLESS = {"fixed": 1, "regressed": 0, "errors": 0, "weakens": False, "redefines": False}


def source(word: str) -> ToolServerBody:
    """The shop's tool server, a little different."""
    return ToolServerBody(source=f"{SOURCE}\n\nWORD = {word!r}\n")


def policy(shop: Shop, text: str = "Be kind.") -> Component:
    """A rule of the shop."""
    return shop.component("policy", Rule(text=text))


def now(component: Component) -> Component:
    """The component as it is now."""
    return Component.objects.select_related("domain", "current__body").get(pk=component.pk)


def says(component: Component) -> Body:
    """What it says now."""
    current = now(component).current
    assert current is not None
    return current.body.parsed()


def repair(
    author: User | None,
    shop: Shop,
    *changes: tuple[Component, Body],
    title: str = "Mend the pen",
    fault: Fault | None = None,
    authority: str = "",
) -> Proposal:
    """A draft; without `changes`, of the tool server."""
    said = changes or ((shop.server, source("better")),)
    return propose(author, shop.domain, said, title, "it broke", authority, fault)


def tried(*proposals: Proposal, stage: Stage = Stage.FULL, **report: Any) -> Trial:
    """A trial of the proposals that is done; they wait for review."""
    changes = Change.objects.filter(proposal__in=proposals).order_by("component_id")
    made = Trial.objects.create(
        state=JobState.DONE,
        stage=stage,
        report={**HARMLESS, **report},
        digest=proposal_digest(*proposals),
        changes=[
            {
                "component": one.component_id,
                "base": one.base_id,
                "base_body": one.base.body_id,
                "body": one.body_id,
            }
            for one in changes.select_related("base")
        ],
    )
    made.proposals.set(proposals)
    for one in proposals:
        one.state = ProposalState.WAITING
        one.save(update_fields=["state"])
    return made


def waiting(author: User | None, shop: Shop, *changes: tuple[Component, Body]) -> Proposal:
    """One that was tried in full, with nothing against it."""
    made = repair(author, shop, *changes)
    tried(made)
    return made


def outcome(work: Callable[[], Any]) -> Any:
    """What work returns, or the error that it raises."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001  # the test looks at which
        return error


def in_line(held: Proposal, *works: Callable[[], Any]) -> list[Any]:
    """The outcome of each work, each in a connection of its own: all come to a row that is held, one after another,
    and go on in that order once it is let go."""
    with ThreadPoolExecutor(len(works)) as pool:
        told: list[Future[Any]] = []
        with transaction.atomic():
            Proposal.objects.select_for_update().get(pk=held.pk)
            for work in works:
                told.append(pool.submit(_apart, work))
                _until_waiting(len(told))
        return [one.result(60) for one in told]


def _apart(work: Callable[[], Any]) -> Any:
    try:
        return outcome(work)
    finally:
        connection.close()


def _until_waiting(count: int) -> None:
    for _ in range(400):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0] >= count:
                return
        sleep(0.05)
    raise AssertionError(f"there are not {count} who wait")
