"""One environment: what it is made of, where it stands, what was found, what came before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from agents import PROVER
from components.models import Component, Environment
from triage.certificates import detailed, document, in_force
from triage.counterexamples import with_state
from triage.labelling import labels_of
from triage.models import Check, Counterexample, Episode, Fault, Finding, Label
from triage.models.counterexample import Standing as State
from triage.models.result import Status
from triage.pages import bodies
from triage.pages.checks import CSV, SHOWN, checks_of, line
from triage.pages.environments import Standing, standings
from triage.pages.episode import row_changes
from triage.pages.evidence import Cited
from triage.pages.instruction import Piece, pieces
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import Sheets, asked_for, spreadsheet
from triage.pages.suspect import with_best
from triage.standing import with_standing
from worlds.canonical import canonical
from worlds.soundness import CHANGED

ORDER = ("domain", "intent", "rule", "records", "toolserver")


@login_required
def environment(request: HttpRequest, domain: str, slug: str) -> HttpResponseBase:
    """`/environments/DOMAIN/SLUG/`"""
    here = address(request)
    visible = Environment.objects.visible_to(reader(request)).filter(domain__slug=domain, slug=slug)
    found = get_object_or_404(with_standing(visible).select_related("domain", "pin"))
    (row,) = standings([found])
    parts, past, wrong = parts_of(found), checks_of(found), counterexamples_of(found)
    if (download := asked_for(here, sheets(row, parts, past, wrong))) is not None:
        return download
    history = list(past[:SHOWN])
    return render(
        request,
        "pages/environment.html",
        {
            "environment": found,
            "status": row.status,
            "check": row.check,
            "episodes": row.episodes,
            "prover": PROVER,
            "changed": CHANGED,
            "parts": parts,
            "row": row,
            "faults": faults_of(row.check),
            "findings": by_severity(row.findings),
            "links": Cited(found.domain, row.episodes, parts).links(row.findings),
            "labels": labels_of(row.findings),
            "precisions": Label.objects.precisions(),
            "counterexamples": wrong,
            "doubted": row.doubts,
            "certificate": certificate_of(found),
            "told": told(found, parts),
            "effect": row_changes(found.pin.effect or []) if found.pin else [],
            "here": here,
            "history": history,
            "checks": len(history) if len(history) < SHOWN else past.count(),
            "records": next((part for part in parts if part.kind == "records"), None),
        },
    )


def faults_of(check: Check | None) -> list[Any]:
    """The faults that a check showed, each with its best suspect; two queries."""
    return with_best(Fault.objects.filter(sightings__check_row=check)) if check else []


def parts_of(row: Environment) -> list[Component]:
    """The contract and the parts in the order in which they are named in a bundle."""
    mine = Q(environments=row) | Q(domain=row.domain, kind="domain")
    found = Component.objects.filter(mine).select_related("domain", "current")
    return sorted(
        found.order_by("parts__position", "slug").distinct(),
        key=lambda part: ORDER.index(part.kind),
    )


def by_severity(findings: list[Finding]) -> list[tuple[str, list[Finding]]]:
    """Findings, worst first, in groups of one severity (that they have now)."""
    return [(name, list(group)) for name, group in groupby(findings, lambda one: one.weight)]


@dataclass(frozen=True)
class Told:
    """What the agent is told, and what only the simulated user is."""

    instruction: list[Piece]
    opens: list[Piece]
    brief: list[Piece]
    knows: list[tuple[str, list[Piece]]]
    script: list[tuple[str, list[Piece]]]
    bound: list[tuple[str, str, str]]
    """Slot, table, key."""


def told(row: Environment, parts: list[Component]) -> Told | None:
    """The instruction with the pinned rows in it; None where there is no intent to read."""
    content = {part.kind: bodies.content(part.current.body_id) for part in parts if part.current}
    intent = content.get("intent")
    if intent is None:
        return None
    slots, user = intent.get("slots", {}), intent.get("user") or {}
    binding = row.pin.binding if row.pin else {}
    names = bodies.rows_of(content.get("domain", {}), content.get("records", {}), binding, slots)
    return Told(
        instruction=pieces(intent.get("instruction", ""), names),
        opens=pieces(user.get("opens") or "", names),
        brief=pieces(user.get("brief") or "", names),
        knows=[
            (about, pieces(text(value), names)) for about, value in user.get("knows", {}).items()
        ],
        script=[(line["when"], pieces(line["says"], names)) for line in user.get("script", [])],
        bound=[(slot, slots.get(slot, {}).get("table", ""), key) for slot, key in binding.items()],
    )


def text(value: Any) -> str:
    """A value of what the user knows, as a template."""
    return value if isinstance(value, str) else canonical(value)


def certificate_of(row: Any) -> dict[str, Any] | None:
    """The certificate of an environment (with its standing) as it is now, if it has one."""
    if row.status != Status.SOLVABLE:
        return None
    found = detailed(in_force(Environment.objects.filter(pk=row.pk))).first()
    return document(found) if found else None


def counterexamples_of(row: Environment) -> list[Any]:
    """Its counterexamples, those that are open first, each with `state`."""
    mine = with_state(Counterexample.objects.filter(environment=row))
    found = mine.select_related("component__domain", "version", "author", "retired_by")
    order = list(State.values)
    return sorted(found.order_by("pk"), key=lambda one: order.index(one.state))


def sheets(
    row: Standing, parts: Iterable[Component], past: Iterable[Any], wrong: Iterable[Any]
) -> Sheets:
    """The page's lists, to be downloaded."""
    name = f"{row.environment.domain.slug}-{row.environment.slug}"
    return {
        "findings": lambda: spreadsheet(
            f"{name}-findings", FINDINGS, map(finding_line, row.findings)
        ),
        "episodes": lambda: spreadsheet(f"{name}-episodes", EPISODES, map(episode_line, row.timed)),
        "counterexamples": lambda: spreadsheet(
            f"{name}-counterexamples", WRONG, map(_wrong, wrong)
        ),
        "components": lambda: spreadsheet(f"{name}-components", PARTS, map(_part, parts)),
        "checks": lambda: spreadsheet(f"{name}-checks", CSV, map(line, past)),
    }


FINDINGS = [
    "severity",
    "code",
    "kind",
    "component",
    "version",
    "place",
    "symbol",
    "message",
    "not counted",
]
"""The last says why: accepted, dismissed, demoted."""
EPISODES = ["agent", "seed", "attempt", "reward", "progress", "steps", "calls", "seconds", "key"]
PARTS = ["kind", "component", "version", "digest"]
WRONG = [
    "id",
    "state",
    "code",
    "severity",
    "label",
    "name",
    "should",
    "reason",
    "by",
    "found",
    "retired because",
]


def finding_line(one: Finding) -> list[Any]:
    """A finding (of `for_list`) as a row of `FINDINGS`."""
    version = one.version.number if one.version else None
    return [
        one.weight,
        one.code,
        one.kind,
        one.slug or (one.component.slug if one.component else ""),
        version,
        one.place,
        one.symbol,
        one.message,
        " ".join(one.marks),
    ]


def episode_line(timed: tuple[Episode, float | None]) -> list[Any]:
    """An attempt with its seconds as a row of `EPISODES`."""
    one, seconds = timed
    scored = [one.reward, one.progress]
    return [one.agent.name, one.seed, one.attempt, *scored, one.length, one.calls, seconds, one.key]


def _wrong(one: Any) -> list[Any]:
    author = one.author.get_username() if one.author else ""
    who = [one.label, one.name, one.should, one.reason, author]
    return [one.pk, one.state, one.code, one.severity, *who, one.found, one.retired_because]


def _part(one: Component) -> list[Any]:
    current = one.current
    return [
        one.kind,
        one.slug,
        current.number if current else None,
        current.body_id if current else None,
    ]
