"""One component: what a version of it says, what was found in it, its versions, who uses it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Max, Q
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from components.models import Component, Environment, Version
from triage.models import Finding
from triage.models.fault import OPEN_FAULTS
from triage.models.finding import MARKS
from triage.pages import bodies
from triage.pages.audit import NOBODY
from triage.pages.listing import keys
from triage.pages.outline import outline
from triage.pages.place import LINE
from triage.pages.reader import address, reader
from triage.pages.source import source_lines
from triage.pages.spreadsheet import Sheets, asked_for, spreadsheet
from triage.pages.tables import tables
from triage.standing import UNVERIFIED, with_standing
from worlds.servers import Servers

MOST_FINDINGS = 50

CAPABILITIES = {
    "diff": "its state is read: goals, damage and clauses on writes are judged",
    "snapshot": "its state is written: attempts begin with the records, and guards take writes back",
    "coverage": "its source is known",
    "repair": "repairs of its source are tried in copies of it",
}
WANTING = {
    "diff": "goals on the final state are not scored, clauses on writes not watched. Add state: {sqlite: PATH}, "
    '{json: "PATH#POINTER"} or {export: TOOL}',
    "snapshot": "it must begin with the records by itself, and what a guard stops stays written. Give a state that "
    "can be written: sqlite, json, or a tool as import beside export",
    "coverage": "its source is not known. Add source: a folder or file that is there",
    "repair": "repairs of its source are not tried. Add source, and repair: true",
}
"""What follows where a capability is missing, and what to add to the server's settings (docs/toolservers.md)."""


@login_required
def component(request: HttpRequest, domain: str, kind: str, slug: str) -> HttpResponseBase:
    """`/components/DOMAIN/KIND/SLUG/`"""
    here = address(request)
    visible = Component.objects.visible_to(reader(request)).select_related("domain", "current")
    found = get_object_or_404(visible, domain__slug=domain, kind=kind, slug=slug)
    versions = list(found.versions.select_related("author", "parent"))
    shown = version_of(found, versions, request.GET.get("version", ""))
    used = with_standing(users_of(found))
    every = found_in(found, shown, used) if shown else []
    findings = every[:MOST_FINDINGS]
    drawn = view(request, found, shown, findings)
    stand = list(used.order_by().values("status").annotate(n=Count("pk")))
    if (download := asked_for(here, sheets(found, versions, every, drawn))) is not None:
        return download
    return render(
        request,
        "pages/component.html",
        {
            "here": here,
            "component": found,
            "versions": versions,
            "version": shown,
            "findings": findings,
            "found": len(every),
            "used": stand,
            "view": drawn,
            "suspected": suspected_of(found),
            "is_of_before": is_unknown(drawn) and any(one["status"] != UNVERIFIED for one in stand),
        },
    )


def version_of(row: Component, versions: list[Version], asked: str) -> Version | None:
    """The version asked for by number, or the current one; raises Http404 for one that never was."""
    if not asked:
        return next((one for one in versions if one.pk == row.current_id), None)
    for one in versions:
        if str(one.number) == asked:
            return one
    raise Http404(f"{row} has no version {asked}")


def users_of(row: Component) -> Any:
    """The environments that a component takes part in."""
    if row.kind == "domain":
        return Environment.objects.filter(domain=row.domain)
    return Environment.objects.filter(parts__component=row)


def suspected_of(row: Component) -> Any:
    """Where it is suspected of an open fault, what most environments show first."""
    mine = row.suspected_of.filter(fault__status__in=OPEN_FAULTS).select_related("fault__domain")
    return mine.order_by("-fault__environments", "fault").defer("evidence")


def found_in(row: Component, shown: Version, used: Any) -> list[Any]:
    """What the latest checks found in this version: a dict a defect, `n` = how many environments show it, `weight`
    and marks as findings have them."""
    findings: Any = Finding.objects.with_marks().filter(component=row, version=shown)
    latest = Q(result__checks__in=keys(used.exclude(latest_check=None), "latest_check"))
    if shown.pk == row.current_id:
        findings = findings.filter(latest)
    groups = findings.order_by().values(
        "fingerprint", "code", "weight", "place", "symbol", *MARKS, "is_counted"
    )
    counted = groups.annotate(
        message=Max("message"), n=Count("result__checks__environment", distinct=True)
    )
    return list(counted.order_by("-is_counted", "-n", "code", "place"))


def sheets(
    row: Component, versions: list[Version], found: list[dict[str, Any]], drawn: dict[str, Any]
) -> Sheets:
    """The page's lists, to be downloaded."""
    name = f"{row.domain.slug}-{row.slug}"
    lists: dict[str, Callable[[], StreamingHttpResponse]] = {
        "versions": lambda: spreadsheet(f"{name}-versions", VERSIONS, map(_version, versions)),
        "findings": lambda: spreadsheet(
            f"{name}-findings", FINDINGS, ([one[key] for key in FOUND] for one in found)
        ),
    }
    if (shown := drawn.get("tables")) is not None:
        lists["rows"] = lambda: spreadsheet(f"{name}-{shown.name}", shown.header, shown.lines)
    return lists


VERSIONS = ["version", "digest", "parent", "author", "reason", "source", "created"]
FINDINGS = ["severity", "code", "place", "symbol", "environments", "message", "counts"]
FOUND = ("weight", "code", "place", "symbol", "n", "message", "is_counted")


def _version(one: Version) -> list[Any]:
    return [
        one.number,
        one.body_id,
        one.parent.number if one.parent else None,
        one.author.get_username() if one.author else NOBODY,
        one.reason,
        one.source,
        one.created,
    ]


def view(
    request: HttpRequest, row: Component, shown: Version | None, findings: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """What the body's template draws: `source`, `outside`, `tables` or `lines`, with the findings at their places."""
    if shown is None:
        return {}
    content = bodies.content(shown.body_id)
    if row.kind == "toolserver" and "source" in content:
        return {"source": source_lines(content["source"]), "marks": marks(findings, by_line=True)}
    if row.kind == "toolserver":
        return {"outside": outside(content)}
    if row.kind == "records":
        contract = row.domain.components.filter(kind="domain").select_related("current").first()
        keyed = bodies.content(contract.current.body_id) if contract and contract.current else {}
        return {"tables": tables(content, keyed, address(request))}
    lines = outline(bodies.readable(shown.body_id))
    return {"lines": lines, "marks": marks(findings, by_line=False)}


def outside(content: dict[str, Any]) -> dict[str, Any]:
    """An outside tool server: how it is reached and what can be done with it; no more of the settings, which
    may hold secrets."""
    settings = Servers.installed().servers.get(content["server"])
    return {
        **content,
        "reached": ("as a process" if settings.command else f"at {urlsplit(settings.url).hostname}")
        if settings
        else "",
        "capabilities": [
            (name, is_there, CAPABILITIES[name] if is_there else WANTING[name])
            for name, is_there in (settings.capabilities if settings else {}).items()
        ],
    }


def is_unknown(drawn: dict[str, Any]) -> bool:
    """Whether the body names an outside server that the settings lack, so that nothing can be checked now."""
    return "outside" in drawn and not drawn["outside"]["reached"]


def marks(findings: Iterable[dict[str, Any]], *, by_line: bool) -> dict[Any, list[dict[str, Any]]]:
    """Findings by line of the source, or by place."""
    marked: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for finding in findings:
        line = LINE.match(finding["place"])
        if not by_line:
            marked[finding["place"]].append(finding)
        elif line:
            marked[int(line[1])].append(finding)
    return dict(marked)
