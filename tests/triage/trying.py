"""Faults and proposals for tests: a desk of notes whose pen may forget to save."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from components.models import Body, Component, Environment
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_counterexamples import checked
from triage.models import Change, Fault, Finding, Proposal, Round, Sighting, Symptom
from worlds import body
from worlds.intent import Intent
from worlds.toolserver_body import ToolServerBody

SAVES = 'return db.update("notes", note_id, {"text": text})'
DROPS = 'return {"id": note_id, "text": text}'
FORGETS = ToolServerBody(source=SOURCE.replace(SAVES, DROPS))
"""A pen that says that it wrote, and did not."""
WRITES = ToolServerBody(source=SOURCE)


def forgetful(shop: Shop, *slugs: str) -> Fault:
    """Environments that a pen without ink breaks, checked, and the fault that they show."""
    shop.component("pen", FORGETS)
    for slug in slugs:
        shop.sound(slug)
    return gathered(shop)


def gathered(shop: Shop) -> Fault:
    """A round over all there is, and one fault of all that it found."""
    made = checked()
    fault = Fault.objects.create(domain=shop.domain, code="plan-misses-goal", title="It is broken")
    for found in _each_once(made):
        Symptom.objects.create(
            fault=fault,
            fingerprint=found.fingerprint,
            code=found.code,
            kind=found.kind,
            slug=found.slug,
            symbol=found.symbol,
        )
    for check in made.checks.filter(result__findings__isnull=False).distinct():
        Sighting.objects.create(fault=fault, check_row=check)
    Round.objects.filter(pk=made.pk).update(gathered=timezone.now())
    return fault


def _each_once(made: Round) -> list[Finding]:
    rows = Finding.objects.filter(result__checks__round=made).order_by("fingerprint")
    return list(rows.distinct("fingerprint"))


def proposed(
    fault: Fault | None, changes: dict[Component, body.Body], authority: str = "its docstring"
) -> Proposal:
    """A proposal to let components say something else."""
    component = next(iter(changes))
    made = Proposal.objects.create(
        domain=component.domain, fault=fault, title="Mend it", authority=authority
    )
    for changed, said in changes.items():
        changed.refresh_from_db()
        stored, _ = Body.objects.get_or_create(
            digest=said.digest, defaults={"kind": said.kind, "text": said.canonical()}
        )
        assert changed.current is not None
        Change.objects.create(proposal=made, component=changed, base=changed.current, body=stored)
    return made


def intent_of(environment: Environment, **changes: Any) -> tuple[Component, Intent]:
    """The intent of an environment, and what it would say with other keys."""
    component = environment.components.get(kind="intent")
    assert component.current is not None
    content = component.current.body.content
    return component, Intent.parse({**content, **changes})
