"""Certificates: made when a check has a witness, in force while the environment stands solvable by that check.

So nothing is made anew where people change what counts: what ran is what ran, and a label, an acceptance or a
counterexample that is retired brings it into force at once.
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef, Prefetch

import agents
from components.models import Environment
from triage.models import Certificate, Check, Episode, Finding, Round
from triage.models.certificate import CertificateQuerySet
from triage.models.result import Status, Witness
from triage.recipe import engine, recipe
from triage.standing import latest_checks
from triage.unobserved import gaps
from worlds.check import VERSIONS


def certify(made: Round, checks: models.QuerySet[Check]) -> None:
    """Make the certificates that checks of a round are good for and that are not there yet; one query where there
    are none to make. Only who would check as the round did can say what ran."""
    proven = Check.objects.filter(pk__in=checks.order_by().values("pk"), result__isnull=False)
    proven = proven.exclude(result__witness=Witness.NONE).filter(~Exists(_of_check()))
    rows = list(proven.select_related("result"))
    if rows and recipe(made.panel) == made.recipe:
        # In the order of their keys, so that two who make the same ones never wait for each other.
        ordered = sorted(rows, key=lambda row: (row.environment_id, str(row.result_id)))
        Certificate.objects.bulk_create(
            [_certificate(made, row) for row in ordered], ignore_conflicts=True
        )


def _of_check() -> CertificateQuerySet:
    return Certificate.objects.filter(
        environment=OuterRef("environment"), result=OuterRef("result")
    )


def _certificate(made: Round, check: Check) -> Certificate:
    assert check.result is not None  # noqa: S101  # it has a witness
    ran = {stage: number for stage, number in VERSIONS.items() if stage in check.result.times}
    return Certificate(
        environment_id=check.environment_id,
        bundle=check.bundle,
        result=check.result,
        recipe=made.recipe,
        checks=ran,
        agents={name: agents.digest(name) for name in made.panel},
        engine=engine(),
        unobserved=check.result.unobserved,
        witness=check.result.witness,
    )


def in_force(environments: models.QuerySet[Environment]) -> CertificateQuerySet:
    """The certificates of the environments that stand solvable as they are now: one each. Costs the queries of
    `triage.standing.latest_checks`."""
    ended: models.QuerySet[Any] = latest_checks(environments).with_status()
    mine = ended.filter(environment=OuterRef("environment"), result=OuterRef("result"))
    return Certificate.objects.filter(Exists(mine.filter(status=Status.SOLVABLE).order_by()))


def detailed(rows: CertificateQuerySet) -> CertificateQuerySet:
    """With all that `document` says, in a fixed number of queries."""
    return rows.select_related("environment__domain", "result").prefetch_related(
        Prefetch("result__findings", Finding.objects.for_list().with_label()),
        Prefetch("result__episodes", Episode.objects.for_list()),
    )


def is_outdated(row: Certificate) -> bool:
    """Whether the same agents would be checked otherwise today: other checks, limits, engine or agents."""
    known = set(row.agents) <= set(agents.VERSIONS)
    return not known or recipe(row.agents) != row.recipe


def acted(row: Certificate) -> dict[str, dict[str, str]]:
    """Who made an attempt, each with its digest: the `agents` of the panel, and the `prover`."""
    known = {one.agent.name: one.agent.digest for one in row.result.episodes.all()}
    prover = {name: key for name, key in known.items() if name == agents.PROVER}
    return {"agents": {name: known[name] for name in row.agents if name in known}, "prover": prover}


def document(row: Certificate) -> dict[str, Any]:
    """A certificate (of `detailed`) as JSON says it."""
    return {
        "certificate": row.pk,
        "environment": row.environment.slug,
        "domain": row.environment.domain.slug,
        "bundle": row.bundle,
        "result": row.result_id,
        "recipe": row.recipe,
        "outdated": is_outdated(row),
        "checks": row.checks,
        **acted(row),
        "engine": row.engine,
        "unobserved": gaps(row),
        "witness": row.witness,
        "created": row.created,
    }
