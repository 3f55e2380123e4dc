"""Rows that look like a library and its rounds, written through the ORM: what pages are tried on."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

import worlds.bundle
from components.models import AuditEntry, Body, Component, Domain, Environment, Part, Pin, Version
from tests.browser import shop
from triage.models import AgentProfile, Check, Episode, Finding, Result, Round
from worlds.body import Body as AnyBody
from worlds.bundle import Manifest, Ref
from worlds.canonical import digest
from worlds.findings import CODES

PANEL = ["reference", "noop", "refuser", "parrot"]


def version(domain: Domain, slug: str, body: AnyBody, number: int = 1, **about: Any) -> Version:
    """Version `number` of a component, and the component's current one."""
    component, _ = Component.objects.get_or_create(
        domain=domain, kind=body.kind, slug=slug, defaults={"about": about}
    )
    stored, _ = Body.objects.get_or_create(
        digest=body.digest, defaults={"kind": body.kind, "text": body.canonical()}
    )
    row = Version.objects.create(
        component=component,
        number=number,
        body=stored,
        parent=component.current,
        reason="as imported" if number == 1 else "say the refund in dollars",
        source=f"library {domain}/{body.kind}s/{slug}",
    )
    component.current = row
    component.save(update_fields=["current"])
    return row


@dataclass
class Library:
    """A domain with its shared parts and its environments."""

    domain: Domain
    parts: list[Component]
    environments: list[Environment] = field(default_factory=list)


def library(slug: str = "shop", environments: int = 12, **about: Any) -> Library:
    """A shop: one contract (which says `about` of itself), rule, records set and tool server, and `environments`
    intents."""
    domain = Domain.objects.create(slug=slug)
    version(domain, "domain", shop.contract(), **about)
    made = Library(
        domain,
        [
            version(domain, "refunds", shop.rule(), title="Refunds and cancellations").component,
            version(domain, "spring", shop.records(), authority="given").component,
            version(domain, "shop-api", shop.server()).component,
        ],
    )
    made.environments = [environment(made, number) for number in range(environments)]
    return made


def environment(made: Library, number: int, slug: str = "") -> Environment:
    """One more environment, with an intent of its own and a pin."""
    slug = slug or f"{shop.VERBS[number % len(shop.VERBS)]}-{number:03d}"
    intent = version(made.domain, f"{slug[:100]}", shop.intent(number)).component
    row = Environment.objects.create(domain=made.domain, slug=slug, seed=number % 3)
    for position, part in enumerate([intent, *made.parts]):
        Part.objects.create(environment=row, component=part, position=position)
    row.pin = Pin.objects.create(
        environment=row,
        binding={"order": f"#W{1000 + number}", "user": f"user-{number % 40}"},
        effect=shop.effect(number),
        reason="composed",
    )
    row.save(update_fields=["pin"])
    return row


def agents() -> dict[str, AgentProfile]:
    """The panel as rows."""
    return {
        name: AgentProfile.objects.get_or_create(digest=digest(name), defaults={"name": name})[0]
        for name in PANEL
    }


def finished_round(
    made: list[Library], author: User | None = None, *, broken: float = 0.3, seed: int = 0
) -> Round:
    """A round over everything in `made`; about `broken` of it is broken, the same for the same seed."""
    luck = random.Random(seed)
    row = open_round(made, author)
    for one in made:
        for place, environment in enumerate(one.environments):
            check = queued(row, environment)
            status = _status(luck.random(), broken)
            finish(check, status, number=place)
    row.finished = timezone.now()
    row.save(update_fields=["finished"])
    return row


def open_round(made: list[Library], author: User | None = None) -> Round:
    """A round without checks."""
    slugs = [one.domain.slug for one in made]
    row = Round.objects.create(
        author=author,
        scope={"domains": slugs, "sample": None, "seed": 0},
        panel=PANEL,
        recipe=digest(PANEL),
    )
    row.domains.set([one.domain for one in made])
    AuditEntry.objects.create(
        actor=author, action="round.create", target=f"round {row.pk}", detail={"domains": slugs}
    )
    return row


def queued(row: Round, environment: Environment, **more: Any) -> Check:
    """A check of the environment's current bundle, as `create_round` makes them."""
    manifest = manifest_of(environment)
    return Check.objects.create(
        round=row,
        environment=environment,
        manifest=manifest.model_dump(mode="json"),
        bundle=manifest.digest,
        result_key=digest([environment.pk, row.pk]),
        **more,
    )


def _status(drawn: float, broken: float) -> str:
    if drawn < broken:
        return "broken"
    return "unproven" if drawn < broken + 0.08 else "error" if drawn < broken + 0.1 else "solvable"


def manifest_of(environment: Environment) -> Manifest:
    """What the environment is made of now."""
    parts = environment.components.select_related("current").order_by("parts__position")
    contract = Component.objects.get(domain=environment.domain, kind="domain")
    refs: dict[str, list[Ref]] = {}
    for component in [contract, *parts]:
        assert component.current is not None
        ref = Ref(slug=component.slug, body=component.current.body_id)
        refs.setdefault(component.kind, []).append(ref)
    pin = environment.pin
    return Manifest(
        domain=refs["domain"][0],
        intent=refs["intent"][0],
        rules=tuple(refs["rule"]),
        records=refs["records"][0],
        toolservers=tuple(refs["toolserver"]),
        seed=environment.seed,
        pin=worlds.bundle.Pin(binding=pin.binding, effect=pin.effect) if pin else None,
    )


def finish(check: Check, status: str, number: int = 0, message: str = "") -> Check:
    """End a check: with episodes and a result, or with an error of ours."""
    check.finished = timezone.now() - timedelta(minutes=12)
    check.state = "error" if status == "error" else "done"
    if status == "error":
        check.error = message or "OperationalError: the server closed the connection unexpectedly"
    else:
        check.result = result(check, status, number, message)
    check.save()
    return check


def result(check: Check, status: str, number: int, message: str) -> Result:
    """A result with an episode of each agent, and findings where it is broken."""
    row = Result.objects.create(
        key=check.result_key,
        bundle=check.bundle,
        status=status,
        witness="plan" if status == "solvable" else "",
        seconds=0.08 + (number % 7) / 50,
        times={name: [0.001 * place + number / 500] for place, name in enumerate(PANEL)},
    )
    for name, agent in agents().items():
        solved = name == "reference" and status == "solvable"
        row.episodes.add(episode(check, agent, number, solved=solved))
    if status == "broken":
        codes = list(CODES)
        code = codes[number * 7 % len(codes)]
        finding(check.environment, row, code, message, severity="blocking")
        if number % 3 == 0:
            finding(check.environment, row, "plan-refused", message, severity="warning")
    return row


def episode(check: Check, agent: AgentProfile, number: int, *, solved: bool) -> Episode:
    """An attempt of `agent` at the check's bundle."""
    document = shop.episode(check.bundle, agent.name, number, solved=solved)
    return Episode.objects.create(
        key=digest([check.result_key, agent.digest]),
        bundle=check.bundle,
        agent=agent,
        seed=0,
        attempt=0,
        reward=document.verdict.reward if document.verdict else None,
        progress=document.verdict.progress if document.verdict else None,
        length=len(document.steps),
        calls=sum(step.kind == "call" for step in document.steps),
        document=document.model_dump(mode="json"),
    )


PLACES = {
    "intent": ("goal.require[0]", "goal.require[0]"),
    "rule": ("clauses[0].require", "pending-only"),
    "records": ("orders/#W1003#status", "orders.status"),
    "toolserver": ("cancel_order:24", "cancel_order"),
    "domain": ("tables.orders", "orders"),
}
CULPRITS = {
    "static": ["intent", "records", "rule", "toolserver"],
    "controls": ["toolserver", "intent"],
    "soundness": ["intent"],
    "solving": ["rule", "intent"],
}


def finding(
    environment: Environment, row: Result, code: str, message: str = "", **more: Any
) -> Finding:
    """A finding of `code` against a component of the environment that could be to blame."""
    kinds = CULPRITS[CODES[code].stage]
    kind = kinds[len(code) % len(kinds)]
    component = environment.components.get(kind=kind)
    place, symbol = PLACES[kind]
    return Finding.objects.create(
        result=row,
        code=code,
        kind=kind,
        component=component,
        version=component.current,
        place=place,
        symbol=symbol,
        fingerprint=digest([code, kind, component.slug, symbol])[:16],
        message=message or f"{symbol}: {CODES[code].meaning}",
        **{
            "severity": CODES[code].severity,
            "evidence": {"agent": "reference", "attempt": 0, "step": 2},
            **more,
        },
    )


def running_round(made: list[Library], author: User | None = None, done: int = 5) -> Round:
    """A round whose first `done` checks are finished."""
    row = open_round(made, author)
    queue = [environment for one in made for environment in one.environments]
    for number, environment in enumerate(queue):
        check = queued(row, environment, state="running" if number == done else "queued")
        if number < done:
            finish(check, "solvable", number)
    return row
