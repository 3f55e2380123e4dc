"""Repairs of the shop, and trials of them as if they had been run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from time import sleep
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction

from components.models import Component
from tests.triage.shop import SOURCE, Shop
from triage.models import Change, Fault, Proposal, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Stage
from triage.proposals import propose
from worlds.body import Body
from worlds.rule import Rule
from worlds.toolserver_body import ToolServerBody


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
    changes = Change.objects.filter(proposal__in=proposals).order_by("component")
    made = Trial.objects.create(
        state=JobState.DONE,
        stage=stage,
        report={"fixed": 1, "regressed": 0, "weakens": False, "redefines": False, **report},
        digest="0" * 64,
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


def beside(work: Callable[[], Any], meanwhile: Callable[[], Any]) -> Any:
    """The outcome of `meanwhile`, begun in another connection while the transaction in which `work` runs is open."""
    begun = Event()

    def run() -> Any:
        try:
            connection.ensure_connection()
            begun.set()
            return outcome(meanwhile)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            work()
            told: Future[Any] = pool.submit(run)
            assert begun.wait(20)
            sleep(0.3)
            assert not told.done()
        return told.result(60)
