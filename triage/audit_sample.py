"""Audit samples: drawn of the certified environments, read by people, and what follows for the rest.

The strata are the domains: the people who read one know it, and finer ones would hold too few to be read.
"""

from __future__ import annotations

import re
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from components.actor import Actor, demand, visible_domains
from components.models import AuditEntry, Domain, Environment
from triage.certificates import in_force
from triage.estimate import Estimate, Stratum, estimated
from triage.models import AuditItem, AuditSample
from triage.models.auditsample import AuditItemQuerySet, AuditSampleQuerySet, AuditVerdict
from triage.sample import drawn, shares

CREATE = "triage.add_auditsample"
LABEL = "triage.change_audititem"
NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")

Certified = tuple[int, str, str]
"""Of a certified environment: its id, its slug, its bundle's digest."""


class SampleInvalid(ValueError):
    """The sample that was asked for cannot be drawn, or an item cannot be labelled so."""


def create(
    actor: Actor,
    size: int,
    *,
    seed: int | None = None,
    domains: Sequence[str] = (),
    name: str = "",
) -> AuditSample:
    """Draw `size` of the certified environments that `actor` may read (of `domains`, by slug; none = all), each
    domain by its share and at least one of each; all of them where there are fewer (`AuditSample.size` is how many
    were drawn). Without a seed nobody can foresee it.

    Raises PermissionDenied and SampleInvalid.
    """
    demand(actor, CREATE, "draw an audit sample")
    if size < 1:
        raise SampleInvalid(f"a sample of {size} is none: give a size of at least 1")
    if seed is not None and not 0 <= seed < 2**31:
        raise SampleInvalid(f"a seed is from 0 to {2**31 - 1}, not {seed}")
    if name and not NAME.fullmatch(name):
        raise SampleInvalid(f"a name has at most 80 letters, digits, - and _, unlike {name[:90]!r}")
    if seed is None:
        seed = secrets.randbelow(2**31)
    with transaction.atomic():
        strata = _certified(actor, domains)
        chosen = draw(strata, size, seed)
        if not chosen:
            raise SampleInvalid(
                f"there is no certified environment {_among(domains)}: run a round first"
            )
        made = _made(name, seed, sum(map(len, chosen.values())), actor)
        _fill(made, strata, chosen)
        _audit(actor, made, strata, chosen)
    return made


def short_of(size: int, asked: int) -> str:
    """Where fewer were drawn than were asked for, that in a sentence; empty where not."""
    if size >= asked:
        return ""
    return f"{asked} were asked for, and {size} drawn: no more are certified"


def shown_sample(
    samples: AuditSampleQuerySet, items: AuditItemQuerySet | None = None
) -> AuditSample | None:
    """The newest of which anything (of these `items`) was read, else the newest; one query."""
    items = AuditItem.objects.all() if items is None else items
    read = items.filter(sample=OuterRef("pk")).exclude(verdict=AuditVerdict.UNREAD)
    return samples.order_by(Exists(read.order_by()).desc(), "-pk").first()


def _among(domains: Sequence[str]) -> str:
    return f"in {', '.join(domains)}" if domains else "that you may read"


def _certified(actor: Actor, slugs: Sequence[str]) -> dict[Domain, list[Certified]]:
    visible = visible_domains(actor)
    if slugs:
        visible = visible.filter(slug__in=slugs)
        known = set(visible.values_list("slug", flat=True))
        if unknown := sorted(set(slugs) - known):
            raise SampleInvalid(f"there is no domain {', '.join(unknown)}")
    found = in_force(Environment.objects.filter(domain__in=visible))
    rows = found.order_by("environment__domain__slug", "environment__slug").values_list(
        "environment__domain", "environment", "environment__slug", "bundle"
    )
    domains = {domain.pk: domain for domain in visible}
    strata: dict[Domain, list[Certified]] = defaultdict(list)
    for domain, pk, slug, bundle in rows:
        strata[domains[domain]].append((pk, slug, bundle))
    return dict(strata)


def draw(
    strata: Mapping[Domain, Sequence[Certified]], size: int, seed: int
) -> dict[Domain, set[int]]:
    """Which environments of each stratum: at most all of them, at least one of each where `size` allows it."""
    counts = {domain.pk: len(rows) for domain, rows in strata.items()}
    size = min(size, sum(counts.values()))
    spread = 1 if size >= len(counts) else 0
    rest = {pk: count - spread for pk, count in counts.items()}
    more = size - spread * len(counts)
    split = shares(rest, more) if more else dict.fromkeys(counts, 0)
    return {
        domain: drawn(
            ((pk, domain.pk, slug) for pk, slug, _ in rows), split[domain.pk] + spread, seed
        )
        for domain, rows in strata.items()
        if split[domain.pk] + spread
    }


def _made(name: str, seed: int, size: int, actor: Actor) -> AuditSample:
    try:
        with transaction.atomic():
            made = AuditSample.objects.create(
                name=name or secrets.token_hex(8), seed=seed, size=size, author=actor
            )
    except IntegrityError as error:
        raise SampleInvalid(f"there is an audit sample {name} already") from error
    if not name:
        made.name = f"sample-{made.pk}"
        made.save(update_fields=["name"])
    return made


def _fill(
    made: AuditSample,
    strata: Mapping[Domain, Sequence[Certified]],
    chosen: Mapping[Domain, set[int]],
) -> None:
    AuditItem.objects.bulk_create(
        AuditItem(
            sample=made,
            environment_id=pk,
            bundle=bundle,
            stratum=domain.slug,
            population=len(strata[domain]),
        )
        for domain, picked in chosen.items()
        for pk, _, bundle in strata[domain]
        if pk in picked
    )


def _audit(
    actor: Actor,
    made: AuditSample,
    strata: Mapping[Domain, Sequence[Certified]],
    chosen: Mapping[Domain, set[int]],
) -> None:
    """One entry a domain: readers of one see nothing of the others."""
    AuditEntry.objects.bulk_create(
        AuditEntry(
            actor=actor,
            action="audit_sample.create",
            domain=domain,
            target=f"audit sample {made.name}",
            detail={"seed": made.seed, "drawn": len(picked), "of": len(strata[domain])},
        )
        for domain, picked in chosen.items()
    )


def label(actor: Actor, item: AuditItem, verdict: str, note: str = "") -> None:
    """Say of an environment that was read whether it is sound or defective; the last word counts, and "" takes it
    back. Raises PermissionDenied and SampleInvalid."""
    demand(actor, LABEL, "label an environment of an audit sample")
    if verdict not in AuditVerdict.values:
        raise SampleInvalid(f"an environment is sound or defective, not {verdict!r}")
    with transaction.atomic():
        row = AuditItem.objects.select_for_update().get(pk=item.pk)
        was, row.verdict, row.note = row.verdict, verdict, note
        row.by, row.at = (actor, timezone.now()) if verdict else (None, None)
        row.save(update_fields=["verdict", "note", "by", "at"])
        AuditEntry.objects.create(
            actor=actor,
            action="audit_sample.label",
            domain=row.environment.domain,
            target=f"{row}: {row.environment}"[:300],
            detail={"verdict": verdict, "was": was, "note": note},
        )
    item.refresh_from_db()


def estimate(items: AuditItemQuerySet) -> Estimate:
    """The residual defect rate by what was read of the items of one sample, in one query."""
    rows = (
        items.order_by("stratum")
        .values_list("stratum", "population")
        .annotate(
            read=Count("pk", filter=~Q(verdict=AuditVerdict.UNREAD)),
            defective=Count("pk", filter=Q(verdict=AuditVerdict.DEFECTIVE)),
        )
    )
    return estimated([Stratum(*row) for row in rows])
