"""What attribution says of what a round found, as plain rows."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from worlds.bundle import Manifest
from worlds.folder import DOMAIN_SLUG

if TYPE_CHECKING:
    from triage.models import Fault, Round

Row = dict[str, Any]
FOLDERS = re.compile(r"(?:/[\w.+-]+)+/")


def gathered(made: Round) -> list[Fault]:
    """The faults that a round shows, the one in most environments first."""
    from triage.faults import gather
    from triage.models import Fault

    gather(made)
    return list(Fault.objects.filter(sightings__check_row__round=made).distinct())


def failing(made: Round) -> list[str]:
    """The environments in which anything counts against anybody, advice apart, or of which nothing is proved."""
    from triage.models import Check, Finding
    from triage.models.result import Status

    found = Finding.objects.counted().exclude(severity="advice").filter(result__checks__round=made)
    checks = Check.objects.filter(round=made)
    unproven = checks.filter(result__status=Status.UNPROVEN)
    shown = checks.filter(result__findings__in=found) | unproven
    return sorted(set(shown.values_list("environment__slug", flat=True)))


def errors(made: Round) -> list[str]:
    """Trouble of the checks themselves, without the folders of this machine."""
    from triage.models import Check

    told = Check.objects.filter(round=made).exclude(error="").values_list("error", flat=True)
    return [FOLDERS.sub("", error) for error in told]


def attributed(fault: Fault, *, has_standins: bool) -> str:
    """Attribute a fault thoroughly, here, where no worker is told; returns how the job ended, with its error. Stand-ins
    from parent versions and from sibling servers only where `has_standins`."""
    from triage import attribution, jobs
    from triage.models import Attribution
    from triage.standins import Sources
    from triage.work import worker_name

    asked = attribution.attribute(None, fault, queue=False)
    sources = Sources(parents=has_standins, siblings=has_standins)
    work = partial(attribution.work, sources=sources)
    jobs.run(Attribution, asked.pk, worker_name(), work)
    asked.refresh_from_db()
    return f"{asked.state}: {asked.error}" if asked.error else asked.state


def shown(fault: Fault) -> list[str]:
    """The environments that show a fault."""
    slugs = fault.sightings.values_list("check_row__environment__slug", flat=True)
    return sorted(set(slugs))


def suspects(fault: Fault) -> list[Row]:
    """The suspects of a fault as they are weighed now."""
    return [
        {
            "component": _named(row.component) if row.component else row.party,
            "party": row.party,
            "symbol": row.symbol,
            "rank": row.rank,
            "score": row.score,
            "state": row.state,
            "direct": row.direct,
            "spectrum": row.spectrum,
        }
        for row in fault.suspects.select_related("component").order_by("rank", "-score", "pk")
    ]


def _named(component: Any) -> str:
    return f"{component.kind}/{component.slug}"


def directly(fault: Fault, made: Round) -> dict[str, float]:
    """Component → the share of the fault's findings that point at it: the one baseline."""
    from triage.models import Finding

    found = Finding.objects.counted().exclude(severity="advice")
    mine = found.filter(
        result__checks__sightings__fault=fault,
        result__checks__round=made,
        fingerprint__in=fault.symptoms.values("fingerprint"),
    )
    blamed = Counter(f"{kind}/{slug}" for kind, slug in mine.values_list("kind", "slug") if kind)
    whole = mine.count()
    return {name: count / whole for name, count in blamed.items()}


def spectral(fault: Fault, made: Round) -> dict[str, float]:
    """Component → Ochiai's coefficient, from which environments show the fault and which show nothing: the other
    baseline."""
    from triage.models import Check

    showing = set(shown(fault))
    silent = set(failing(made)) - showing
    rows = Check.objects.filter(round=made).exclude(environment__slug__in=silent)
    used, hit = Counter[str](), Counter[str]()
    for slug, manifest in rows.values_list("environment__slug", "manifest"):
        parts = _parts(Manifest.model_validate(manifest))
        used.update(parts)
        hit.update(parts if slug in showing else ())
    return {name: count / sqrt(len(showing) * used[name]) for name, count in hit.items()}


def _parts(manifest: Manifest) -> set[str]:
    refs = manifest.refs()
    return {f"{kind}/{DOMAIN_SLUG if kind == 'domain' else ref.slug}" for kind, ref in refs}
