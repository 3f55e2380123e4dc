"""Where a finding points, as an address inside the page of the component that it blames."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

from django.urls import reverse

from components.models import Component, Domain
from triage.models import Finding

LINE = re.compile(r"^(?:.*:)?(\d+)$")


def component_url(component: Component, version: int | None = None, **more: str) -> str:
    """The page of a component, at a version."""
    path = reverse("component", args=[component.domain.slug, component.kind, component.slug])
    parameters = {**({"version": str(version)} if version else {}), **more}
    return f"{path}?{urlencode(parameters)}" if parameters else path


def place_url(component: Component, place: str, version: int | None = None) -> str:
    """The page of a component, at a place in its body: a line, a row, or a path."""
    if component.kind == "toolserver":
        return component_url(component, version) + line_anchor(place)
    if component.kind == "records":
        return _row_url(component, place, version)
    return component_url(component, version) + (f"#{quote(place)}" if place else "")


def clause_url(domain: Domain, clause: str) -> str:
    """The page of a rule, at a clause (`rule/clause`)."""
    rule, _, name = clause.partition("/")
    path = reverse("component", args=[domain.slug, "rule", rule])
    return f"{path}#{quote(f'clauses.{name}')}"


def invariant_url(domain: Domain, invariant: str) -> str:
    """The page of the domain's contract, at an invariant (by its id)."""
    path = reverse("component", args=[domain.slug, "domain", "domain"])
    return f"{path}#{quote(f'invariants.{invariant}')}"


def row_url(records: Component, table: str, key: str) -> str:
    """The page of a records set, at a row."""
    return component_url(records, table=table, row=key)


def finding_url(finding: Finding) -> str:
    """The page of the component that a finding blames, at its place; a tool, which is named without its line, at the
    line that the evidence has of it."""
    if finding.component is None:
        return ""
    version, line = (
        finding.version.number if finding.version else None,
        finding.evidence.get("line"),
    )
    if finding.kind == "toolserver" and isinstance(line, int) and not line_anchor(finding.place):
        return place_url(finding.component, str(line), version)
    return place_url(finding.component, finding.place, version)


def line_anchor(place: str) -> str:
    """`#L41` of `book_room:41`; nothing where no line is named."""
    line = LINE.match(place)
    return f"#L{line[1]}" if line else ""


def _row_url(component: Component, place: str, version: int | None) -> str:
    table, _, rest = place.partition("/")
    key, _, _field = rest.rpartition("#")
    where = {"table": table, "row": key or rest} if rest else {"table": table} if table else {}
    return component_url(component, version, **where)
