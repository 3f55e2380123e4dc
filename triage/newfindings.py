"""What the static stage would find of an edited component and does not now, in one environment that uses it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from components.bundles import manifests, parsed_bodies
from components.models import Component, Environment
from worlds.body import Body, Kind
from worlds.bundle import Bundle, Manifest, Ref
from worlds.criteria import criteria_findings
from worlds.domain import Domain as Contract
from worlds.findings import Finding
from worlds.folder import DomainFolder, File
from worlds.locator import Locator
from worlds.recordcheck import domain_findings, record_findings
from worlds.records import RecordsInvalid
from worlds.recordset import Recordset
from worlds.static import static_findings
from worlds.toolserver_body import OutsideBody
from worlds.world import World

MOST_ROWS = 500
"""Rows of a records set that are looked at while somebody writes."""


@dataclass(frozen=True)
class NewFinding:
    """A finding, and where it stands in the text."""

    finding: Finding
    line: int | None
    """None = it blames another component, or nobody knows."""
    column: int | None

    def document(self) -> dict[str, Any]:
        """As pages and the API tell it."""
        told = self.finding.model_dump(
            include={"code", "severity", "kind", "component", "place", "message"}
        )
        return {**told, "line": self.line, "column": self.column}


@dataclass(frozen=True)
class NewFindings:
    """What is new, and where that was looked for."""

    found: tuple[NewFinding, ...] = ()
    environment: Environment | None = None
    unlooked: str = ""
    """Why nothing was looked for."""


def new_findings(component: Component, file: File[Any], contract: Contract) -> NewFindings:
    """What is new where the component says what `file` does; nothing runs, and no server from outside is asked."""
    environment = _environment(component)
    if environment is None:
        return NewFindings(unlooked="the domain has no environment yet")
    before = manifests(Environment.objects.filter(pk=environment.pk))[environment.pk]
    after = _with(before, component, file.digest)
    kinds = {ref.body: kind for manifest in (before, after) for kind, ref in manifest.refs()}
    bodies = {**parsed_bodies({k: v for k, v in kinds.items() if k != file.digest})}
    bodies[file.digest] = file.body
    if any(isinstance(bodies[ref.body], OutsideBody) for ref in after.toolservers):
        return NewFindings((), environment, "a tool server from outside is asked in trials only")
    touched = _touched(bodies[before.records.body], bodies[after.records.body], contract)
    known = {_key(one) for one in _found(Bundle.assemble(before, bodies), touched)}
    fresh = [
        one for one in _found(Bundle.assemble(after, bodies), touched) if _key(one) not in known
    ]
    told = tuple(_located(one, component, file, contract) for one in fresh)
    return NewFindings(told, environment)


def _environment(component: Component) -> Environment | None:
    """One that uses it; else any of its domain, in which it would have a place."""
    return (
        component.environments.order_by("slug").first()
        or component.domain.environments.order_by("slug").first()
    )


def _with(manifest: Manifest, component: Component, digest: str) -> Manifest:
    """The manifest with the component in its place, with a place made for it where it has none."""
    kind: Any = component.kind
    used = {(kind, "domain" if kind == "domain" else ref.slug) for kind, ref in manifest.refs()}
    if (kind, component.slug) in used:
        return manifest.replaced({(kind, component.slug): digest})
    ref = Ref(slug=component.slug, body=digest)
    place: dict[Kind, dict[str, Any]] = {
        "intent": {"intent": ref, "pin": None},
        "records": {"records": ref, "pin": None},
        "rule": {"rules": (*manifest.rules, ref)},
        "toolserver": {"toolservers": (ref,)},
    }
    return manifest.model_copy(update=place[kind])


def _touched(before: Body, after: Body, contract: Contract) -> list[str]:
    """The rows (`table/key`) that differ, up to a number."""
    if not (isinstance(before, Recordset) and isinstance(after, Recordset)) or before is after:
        return []
    return list(islice(_differing(before, after, contract), MOST_ROWS))


def _differing(before: Recordset, after: Recordset, contract: Contract) -> Iterator[str]:
    for table, rows in after.tables.items():
        key = contract.tables[table].key
        known = {row.get(key): row for row in before.tables.get(table, [])}
        yield from (f"{table}/{row[key]}" for row in rows if known.get(row[key]) != row)


def _found(bundle: Bundle, touched: Collection[str]) -> list[Finding]:
    try:
        world = World(bundle)
    except RecordsInvalid as problem:
        return [_unkeyed(problem)]
    return [
        *static_findings(world),
        *domain_findings(world),
        *criteria_findings(world),
        *record_findings(world, touched),
    ]


def _unkeyed(problem: RecordsInvalid) -> Finding:
    return Finding(
        code="body-invalid",
        severity="blocking",
        kind="domain",
        component="domain",
        place="tables",
        symbol="tables",
        message=f"{problem}.",
    )


def _key(one: Finding) -> tuple[str, str]:
    return one.fingerprint, one.message


def _located(one: Finding, component: Component, file: File[Any], contract: Contract) -> NewFinding:
    if (one.kind, one.component) != (component.kind, component.slug):
        return NewFinding(one, None, None)
    column = one.evidence.get("column")
    try:
        line = Locator(DomainFolder("", File("domain", contract))).line(file, one)
    except ValueError:  # a row that is not there any longer
        line = None
    return NewFinding(one, line, column if isinstance(column, int) else None)
