"""Faults for tests, with suspects, proposals and swaps, as rows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.utils import timezone

from components.models import Component, Environment
from triage.models import (
    Attribution,
    Change,
    Check,
    Fault,
    Finding,
    Outcome,
    Proposal,
    Result,
    Round,
    Sighting,
    Suspect,
    Swap,
    Symptom,
    Trial,
)
from worlds.bundle import Manifest
from worlds.canonical import digest

TITLE = "cancel_order answers success but saves nothing"


def checks(made: Round, *slugs: str) -> list[Check]:
    """The checks of a round over these domains, by environment."""
    rows = made.checks.filter(environment__domain__slug__in=slugs, state="done")
    return list(rows.select_related("environment__domain", "result").order_by("environment__slug"))


def fault(shown: Collection[Check], title: str = TITLE, **more: Any) -> Fault:
    """A fault that some checks (one at least) show, each by a finding of its own."""
    first = next(iter(shown))
    Round.objects.filter(pk=first.round_id).update(gathered=timezone.now())
    row = Fault.objects.create(
        domain=first.environment.domain,
        title=title,
        environments=more.pop("environments", len(shown)),
        first_round=first.round,
        last_round=first.round,
        **{"code": "plan-misses-goal", **more},
    )
    for check in shown:
        sighted(row, check)
    return row


def sighted(row: Fault, check: Check) -> Finding:
    """Let a check show a fault."""
    assert check.result is not None
    found = Finding.objects.create(
        result=check.result,
        code=row.code,
        severity="blocking",
        kind="toolserver",
        slug="shop-api",
        component=check.environment.components.get(kind="toolserver"),
        place="cancel_order:24",
        symbol="cancel_order",
        fingerprint=digest(row.pk)[:16],
        message=f"cancel_order saved nothing in {check.environment.slug}.",
        evidence={"agent": "reference", "attempt": 0, "step": 2},
    )
    Sighting.objects.create(fault=row, check_row=check)
    Symptom.objects.get_or_create(
        fault=row,
        fingerprint=found.fingerprint,
        defaults={
            "code": found.code,
            "kind": found.kind,
            "slug": found.slug,
            "symbol": found.symbol,
        },
    )
    return found


def suspect(row: Fault, component: Component | None, score: float = 0.8, **more: Any) -> Suspect:
    """Somebody who is suspected of it."""
    return Suspect.objects.create(
        fault=row,
        component=component,
        version=component.current if component else None,
        score=score,
        **{"rank": 1, "direct": 0.9, "spectrum": 0.71, **more},
    )


def part(check: Check, kind: str) -> Component:
    """The environment's part of a kind."""
    return check.environment.components.select_related("domain", "current").get(kind=kind)


def evidence(sort: str, text: str, **cites: Any) -> dict[str, Any]:
    """A sentence, with what it cites."""
    return {"sort": sort, "text": text, "cites": cites}


def proposal(row: Fault, component: Component, **more: Any) -> Proposal:
    """A repair of a component, that says what it says already."""
    assert component.current is not None
    made = Proposal.objects.create(
        domain=row.domain, fault=row, **{"title": "insert the booking", **more}
    )
    Change.objects.create(
        proposal=made, component=component, base=component.current, body=component.current.body
    )
    return made


def trial(made: Proposal, body: str = "", **report: Any) -> Trial:
    """A full trial of a proposal, of the body of another digest."""
    (change,) = made.changes.all()
    tried = {
        "component": change.component_id,
        "base": change.base_id,
        "base_body": change.base.body_id,
        "body": body or change.body_id,
    }
    row = Trial.objects.create(
        state="done", changes=[tried], digest=digest([tried]), stage="full", report=report
    )
    row.proposals.add(made)
    return row


def result(key: str, bundle: str, status: str = "solvable", like: Result | None = None) -> Result:
    """A result of no round, with the episodes of another."""
    row = Result.objects.create(
        key=digest(key), bundle=bundle, status=status, witness="plan", seconds=0.1
    )
    if like is not None:
        row.episodes.add(*like.episodes.all())
    return row


def outcome(tried: Trial, environment: Environment, after: Result, **more: Any) -> Outcome:
    """What a trial showed on an environment."""
    return Outcome.objects.create(
        trial=tried,
        environment=environment,
        stage="full",
        bundle=after.bundle,
        after=after,
        before_status="broken",
        after_status=after.status,
        move="fixed",
        **more,
    )


def weighing(row: Fault, state: str = "running", **more: Any) -> Attribution:
    """A job that weighs its suspects."""
    assert row.last_round is not None
    return Attribution.objects.create(
        fault=row, round=row.last_round, state=state, started=timezone.now(), **more
    )


def swap(held: Attribution, check: Check, manifest: Manifest, key: str = "swap") -> Result:
    """A result of a swap: an environment, made of something else."""
    assert check.result is not None
    row = result(key, manifest.digest, like=check.result)
    Swap.objects.create(
        attribution=held,
        result=row,
        environment=check.environment,
        manifest=manifest.model_dump(mode="json"),
    )
    return row
