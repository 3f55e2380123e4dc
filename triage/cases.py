"""A fault as proposers are shown it: environments of one half that show it, as they are now, and some sound ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from django.db.models import Model

from components.bundles import bundle, manifests, parsed_bodies
from components.models import Component, Environment, Part
from components.models.body import Kind
from triage.heldout import is_held_out
from triage.hypotheses import Hypothesis, Shown, results_of
from triage.models import Episode, Fault, Finding, Result, Suspect
from triage.models.attribution import Party
from triage.models.finding import Severity
from triage.models.result import Status
from triage.proposers.candidate import Name
from triage.proposers.case import Case, Seen, Spot
from triage.proven import proven
from triage.sightings import showing
from triage.standins import Sources
from worlds import findings
from worlds import step as steps
from worlds.body import Body

SEEN, SOUND = 4, 4
"""Environments that are shown: those that show the fault, and sound ones."""
SPOTS = 5
LEAST = 0.01
"""Probability below which nobody is suspected."""
EARLIER = 2
"""Versions of each suspect."""
NOT_COMPONENTS = (Party.AGENT, Party.INFRASTRUCTURE)


@dataclass(frozen=True)
class Opened:
    """A case, and what its environments are in the database."""

    case: Case
    shown: Mapping[str, Shown]
    """Slug → the environment as it is, with its result."""

    @property
    def looked_at(self) -> list[int]:
        """The environments in it, by id."""
        return sorted(each.hypothesis.environment.pk for each in self.shown.values())


def opened(fault: Fault, sources: Sources, asker: Model) -> Opened | None:
    """The case of a fault; None where no environment shows it any longer as it is now. What nobody checked yet is
    checked. `asker` as in `triage.behaviour`."""
    prints = frozenset(fault.symptoms.values_list("fingerprint", flat=True))
    failing = [
        each for each in islice(_failing(fault, prints, asker), SEEN) if each.result is not None
    ]
    spots = list(_spots(fault))
    if not failing or not spots:
        return None
    names = {spot.name for spot in spots}
    sound = list(islice(_sound(fault, names, asker), SOUND))
    case = Case(
        domain=fault.domain.slug,
        seen=[_seen(each, prints) for each in failing],
        spots=spots,
        sound=[_seen(each, prints) for each in sound],
        codes=frozenset(fault.symptoms.values_list("code", flat=True)),
        prints=prints,
        others=_others(fault, failing) if sources.siblings else {},
        earlier=_earlier(fault, names) if sources.parents else {},
    )
    shown = {each.hypothesis.environment.slug: each for each in [*failing, *sound]}
    return Opened(case, shown)


# Environments


def _failing(fault: Fault, prints: frozenset[str], asker: Model) -> Iterator[Shown]:
    """Of the half that may be looked at; where there is none of it, of the other: better judged by nothing than not
    mended. One of each intent first, the cheapest of it."""
    rows = showing().filter(fault=fault).order_by("check_row__result__seconds", "check_row")
    pks = list(dict.fromkeys(rows.values_list("check_row__environment", flat=True)))
    named = Environment.objects.filter(pk__in=pks).select_related("domain").in_bulk()
    open_half = [pk for pk in pks if not is_held_out(named[pk].slug)]
    for shown in _shown([named[pk] for pk in _each_intent_first(open_half or pks)], asker):
        if shown.result is not None and prints & _prints(shown.result):
            yield shown


def _each_intent_first(pks: Sequence[int]) -> list[int]:
    intents = dict(
        Part.objects.filter(environment__in=pks, component__kind=Kind.INTENT).values_list(
            "environment", "component"
        )
    )
    nth: dict[int, int] = {}
    ranked = []
    for place, pk in enumerate(pks):
        nth[intents[pk]] = nth.get(intents[pk], 0) + 1
        ranked.append((nth[intents[pk]], place, pk))
    return [pk for _, _, pk in sorted(ranked)]


def _sound(fault: Fault, names: Collection[Name], asker: Model) -> Iterator[Shown]:
    """Solvable ones in which nothing speaks against the suspects."""
    slugs = {slug for _, slug in names}
    used = Part.objects.filter(component__domain=fault.domain_id, component__slug__in=slugs)
    checks = Environment.objects.filter(
        domain=fault.domain_id, pk__in=used.values("environment"), checks__round=fault.last_round
    ).filter(checks__result__status=Status.SOLVABLE)
    rows = checks.order_by("checks__result__seconds", "pk").select_related("domain")
    open_half = [row for row in rows if not is_held_out(row.slug)]
    ordered = _each_intent_first([row.pk for row in open_half])
    named = {row.pk: row for row in open_half}
    for shown in _shown([named[pk] for pk in ordered], asker):
        if shown.result is not None and shown.result.status == Status.SOLVABLE:
            yield shown


def _shown(rows: Sequence[Environment], asker: Model) -> Iterator[Shown]:
    made = manifests(Environment.objects.filter(pk__in=[row.pk for row in rows]))
    for row in rows:
        if row.pk in made:
            yield from results_of([Hypothesis(row, made[row.pk])], asker)


def _prints(result: Result) -> set[str]:
    rows = Finding.objects.counted().filter(result=result)
    return set(rows.values_list("fingerprint", flat=True))


def _seen(shown: Shown, prints: Collection[str]) -> Seen:
    assert shown.result is not None  # noqa: S101  # the callers looked
    rows = Finding.objects.counted().filter(result=shown.result).exclude(severity=Severity.ADVICE)
    found = [_finding(row) for row in rows.order_by("pk")]
    played = Episode.objects.filter(results=shown.result, attempt=0)
    by_agent = {
        name: steps.Episode.model_validate(document)
        for name, document in played.filter(agent__name__in=("reference", "search")).values_list(
            "agent__name", "document"
        )
    }
    return Seen(
        shown.hypothesis.environment.slug,
        bundle(shown.hypothesis.manifest),
        sorted(found, key=lambda each: each.fingerprint not in prints),
        by_agent.get("reference"),
        by_agent.get("search"),
    )


def _finding(row: Finding) -> findings.Finding:
    return findings.Finding(
        code=row.code,
        severity=row.severity,  # type: ignore[arg-type]  # a CharField is str
        kind=row.kind or None,  # type: ignore[arg-type]  # a CharField is str
        component=row.slug,
        place=row.place,
        symbol=row.symbol,
        message=row.message,
        evidence=row.evidence,
    )


# Components


def _spots(fault: Fault) -> Iterator[Spot]:
    rows = fault.suspects.exclude(party__in=NOT_COMPONENTS).exclude(component=None)
    likely: Iterator[Suspect] = islice(
        rows.filter(score__gte=LEAST).order_by("-score", "pk").select_related("component"), SPOTS
    )
    for row in likely:
        assert row.component is not None  # noqa: S101  # excluded
        kind, slug = row.component.kind, row.component.slug
        slug = "domain" if kind == Kind.DOMAIN else slug
        yield Spot(kind, slug, row.symbol, row.score)  # type: ignore[arg-type]  # a CharField is str


def _others(fault: Fault, failing: Sequence[Shown]) -> dict[Name, Body]:
    used = {ref.body for each in failing for _, ref in each.hypothesis.manifest.refs()}
    rows = Component.objects.filter(domain=fault.domain_id).exclude(current=None)
    rows = rows.exclude(current__body__in=used).order_by("kind", "slug")
    named: dict[Name, str] = {
        (kind, slug): digest  # type: ignore[misc]  # a CharField is str
        for kind, slug, digest in rows.values_list("kind", "slug", "current__body")
    }
    bodies = parsed_bodies({digest: kind for (kind, _), digest in named.items()})
    return {name: bodies[digest] for name, digest in named.items() if digest in bodies}


def _earlier(fault: Fault, names: Collection[Name]) -> dict[Name, list[tuple[int, Body]]]:
    found: dict[Name, list[tuple[int, Body]]] = {}
    rows = Component.objects.filter(domain=fault.domain_id, slug__in={slug for _, slug in names})
    for row in rows.select_related("current"):
        name: Name = (row.kind, row.slug)  # type: ignore[assignment]  # a CharField is str
        if name not in names or row.current is None:
            continue
        before = row.versions.filter(number__lt=row.current.number).exclude(
            body=row.current.body_id
        )
        worked = (
            (one.number, one.body.parsed())
            for one in before.order_by("-number").select_related("body")
            if proven(row, one.body_id)
        )
        found[name] = list(islice(worked, EARLIER))
    return found
