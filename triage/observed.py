"""A round's checks as observations: statuses and findings as they count now, and the facts of each result, which are
worked out once and kept with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from components.bundles import bundle, parsed_bodies
from components.models import Component, Domain
from components.models.component import GIVEN
from triage.facts import Facts, facts
from triage.models import Check, Episode, Finding, Result, Round
from triage.models.finding import Severity
from triage.models.result import Status, Witness
from triage.observations import Observation, Sign
from worlds import step
from worlds.bundle import BundleInvalid, Manifest
from worlds.records import RecordsInvalid
from worlds.world import World

AT_ONCE = 50
"""Results whose episodes are held at a time."""


def observed(made: Round, domain: Domain) -> list[Observation]:
    """What a round observed of a domain, by environment; what ended in error, or was cancelled, is no observation.
    Three queries, and for results that nobody asked about before two more for each 50, and those of their bodies."""
    checks: Any = Check.objects.filter(round=made, environment__domain=domain, result__isnull=False)
    checks = checks.with_status(many=True).exclude(status=Status.ERROR)
    rows = list(checks.select_related("result").order_by("environment_id"))
    known = _facts(rows)
    signs = _signs({row.result_id for row in rows})
    mirrors = Component.objects.filter(domain=domain, about__authority=GIVEN)
    given = frozenset(mirrors.values_list("kind", "slug"))
    return [_observation(row, signs[row.result_id], known[row.result_id], given) for row in rows]


def note_facts(made: Round) -> None:
    """Work out the facts of a round's results that lack them, and keep them, 50 at a time: whoever is stopped on the
    way has not worked in vain. Call it outside a transaction."""
    missing = Check.objects.filter(round=made, result__isnull=False, result__facts=None)
    while rows := list(missing.select_related("result").order_by("pk")[:AT_ONCE]):
        _fill(rows)


def _observation(
    row: Any, signs: Sequence[Sign], known: Facts, given: frozenset[tuple[str, str]]
) -> Observation:
    manifest = Manifest.model_validate(row.manifest)
    parts = ((kind, "domain" if kind == "domain" else ref.slug) for kind, ref in manifest.refs())
    return Observation(
        environment=row.environment_id,
        check=row.pk,
        status=row.status,
        parts=tuple(parts),
        signs=tuple(signs),
        exercised=known.exercised,
        tools=known.tools,
        odd=known.odd,
        given=given,
        is_solved_otherwise=row.result.witness == Witness.SEARCH,
    )


def _signs(results: Iterable[str]) -> dict[str, list[Sign]]:
    """Result → its findings that count, but for advice: an opinion is no sign of a defect."""
    found: dict[str, list[Sign]] = defaultdict(list)
    rows = (
        Finding.objects.counted().filter(result__in=list(results)).exclude(severity=Severity.ADVICE)
    )
    for row in rows.order_by("result", "pk"):
        found[row.result_id].append(sign_of(row))
    return found


def sign_of(row: Finding) -> Sign:
    """A finding as attribution sees it."""
    return Sign(
        code=row.code,
        severity=row.severity,  # type: ignore[arg-type]  # a CharField is str
        kind=row.kind,
        slug=row.slug,
        place=row.place,
        symbol=row.symbol,
        fingerprint=row.fingerprint,
        message=row.message,
        evidence=row.evidence,
        finding=row.pk,
    )


def _facts(rows: Sequence[Any]) -> dict[str, Facts]:
    by_result = {row.result_id: row for row in rows}
    missing = [row for row in by_result.values() if row.result.facts is None]
    for begin in range(0, len(missing), AT_ONCE):
        _fill(missing[begin : begin + AT_ONCE])
    return {pk: Facts.of(row.result.facts) for pk, row in by_result.items()}


def _fill(rows: Sequence[Any]) -> None:
    """Work out the facts of the results of some checks, and keep them."""
    played = Episode.objects.filter(
        results__in=[row.result_id for row in rows], agent__name="reference", attempt=0
    )
    references = {each.bundle: each for each in played}
    manifests = {row.pk: Manifest.model_validate(row.manifest) for row in rows}
    # All at once: `bundle` finds them kept.
    parsed_bodies({ref.body: kind for each in manifests.values() for kind, ref in each.refs()})
    for row in rows:
        found = _of(manifests[row.pk], references.get(row.bundle))
        row.result.facts = found.document()
    Result.objects.bulk_update([row.result for row in rows], ["facts"])


def _of(manifest: Manifest, reference: Episode | None) -> Facts:
    played = None if reference is None else step.Episode.model_validate(reference.document)
    try:
        return facts(World(bundle(manifest)), played)
    except (BundleInvalid, RecordsInvalid):
        return Facts()
