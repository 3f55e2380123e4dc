"""One environment: what it is made of, where it stands, what was found, what came before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from components.models import Component, Environment
from triage.models import Check, Finding
from triage.pages import bodies
from triage.pages.environments import standings
from triage.pages.episode import row_changes
from triage.pages.instruction import Piece, pieces
from triage.pages.reader import reader
from triage.standing import with_standing
from worlds.canonical import canonical

ORDER = ("domain", "intent", "rule", "records", "toolserver")
HISTORY = 20


@login_required
def environment(request: HttpRequest, domain: str, slug: str) -> HttpResponse:
    """`/environments/DOMAIN/SLUG/`"""
    rows = with_standing(Environment.objects.visible_to(reader(request)))
    found = get_object_or_404(rows.select_related("domain", "pin"), domain__slug=domain, slug=slug)
    (row,) = standings([found])
    parts = parts_of(found)
    return render(
        request,
        "pages/environment.html",
        {
            "environment": found,
            "status": row.status,
            "check": row.check,
            "episodes": row.episodes,
            "parts": parts,
            "findings": by_severity(row.findings),
            "told": told(found, parts),
            "effect": row_changes(found.pin.effect or []) if found.pin else [],
            "history": history(found),
            "records": next((part for part in parts if part.kind == "records"), None),
        },
    )


def parts_of(row: Environment) -> list[Component]:
    """The contract and the parts in the order in which they are named in a bundle."""
    mine = Q(environments=row) | Q(domain=row.domain, kind="domain")
    found = Component.objects.filter(mine).select_related("domain", "current")
    return sorted(
        found.order_by("parts__position", "slug").distinct(),
        key=lambda part: ORDER.index(part.kind),
    )


def by_severity(findings: list[Finding]) -> list[tuple[str, list[Finding]]]:
    """Findings, worst first, in groups of one severity."""
    return [(name, list(group)) for name, group in groupby(findings, lambda one: one.severity)]


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


def history(row: Environment) -> list[Check]:
    """Its checks, the newest first, each with `found` (how many findings)."""
    checks = Check.objects.filter(environment=row).select_related("result", "round")
    return list(checks.annotate(found=Count("result__findings")).order_by("-round_id")[:HISTORY])
