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
from triage.pages.environments import with_checks
from triage.pages.instruction import Piece, pieces
from triage.pages.reader import reader
from triage.standing import with_standing

ORDER = ("domain", "intent", "rule", "records", "toolserver")
SEVERITIES = ("blocking", "warning", "advice")
HISTORY = 20


@login_required
def environment(request: HttpRequest, domain: str, slug: str) -> HttpResponse:
    """`/environments/DOMAIN/SLUG/`"""
    rows = with_standing(Environment.objects.visible_to(reader(request)))
    found = get_object_or_404(rows.select_related("domain", "pin"), domain__slug=domain, slug=slug)
    (row,) = with_checks([found])
    parts = parts_of(row)
    return render(
        request,
        "pages/environment.html",
        {
            "environment": row,
            "check": row.check,  # type: ignore[attr-defined]  # set by with_checks
            "parts": parts,
            "findings": by_severity(row.check),  # type: ignore[attr-defined]  # as above
            "told": told(row, parts),
            "history": history(row),
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


def by_severity(check: Check | None) -> list[tuple[str, list[Finding]]]:
    """The findings of a check, the worst first."""
    if check is None or check.result is None:
        return []
    found = sorted(
        check.result.findings.all(), key=lambda finding: SEVERITIES.index(finding.severity)
    )
    return [(name, list(group)) for name, group in groupby(found, lambda one: one.severity)]


@dataclass(frozen=True)
class Told:
    """What the agent is told, and what only the simulated user is."""

    instruction: list[Piece]
    opens: list[Piece]
    brief: str
    knows: dict[str, Any]
    script: list[dict[str, str]]
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
        brief=user.get("brief") or "",
        knows=user.get("knows", {}),
        script=user.get("script", []),
        bound=[(slot, slots.get(slot, {}).get("table", ""), key) for slot, key in binding.items()],
    )


def history(row: Environment) -> list[Check]:
    """Its checks, the newest first, each with `found` (how many findings)."""
    checks = Check.objects.filter(environment=row).select_related("result", "round")
    return list(checks.annotate(found=Count("result__findings")).order_by("-round_id")[:HISTORY])
