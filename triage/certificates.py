"""Certificates: made when a check ends solvable, in force while the environment stands so by that check."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef

import agents
from components.models import Environment
from triage.models import Certificate, Check, Round
from triage.models.certificate import CertificateQuerySet
from triage.models.counterexample import blocks_check
from triage.models.result import Status
from triage.recipe import engine, recipe
from triage.standing import latest_checks
from worlds.check import VERSIONS


def certify(made: Round, checks: models.QuerySet[Check]) -> None:
    """Make the certificates that checks of a round are good for and that are not there yet; one query where there
    are none to make. Only who would check as the round did can say what ran."""
    sound = _sound(checks).filter(~Exists(_of_check()))
    rows = list(sound.select_related("result"))
    if rows and recipe(made.panel) == made.recipe:
        # In the order of their keys, so that two who make the same ones never wait for each other.
        ordered = sorted(rows, key=lambda row: (row.environment_id, str(row.result_id)))
        Certificate.objects.bulk_create(
            [_certificate(made, row) for row in ordered], ignore_conflicts=True
        )


def _sound(checks: models.QuerySet[Check]) -> models.QuerySet[Any]:
    """Those that ended solvable, and whose bundle judges no person's counterexample wrongly."""
    rows = Check.objects.filter(pk__in=checks.order_by().values("pk"))
    ended: models.QuerySet[Any] = rows.with_status()
    return ended.filter(~blocks_check(), status=Status.SOLVABLE)


def _of_check() -> CertificateQuerySet:
    return Certificate.objects.filter(
        environment=OuterRef("environment"), result=OuterRef("result")
    )


def _certificate(made: Round, check: Check) -> Certificate:
    assert check.result is not None  # noqa: S101  # it ended solvable
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
    standing = _sound(latest_checks(environments)).order_by()
    mine = standing.filter(environment=OuterRef("environment"), result=OuterRef("result"))
    return Certificate.objects.filter(Exists(mine))


def is_outdated(row: Certificate) -> bool:
    """Whether the same agents would be checked otherwise today: other checks, limits, engine or agents."""
    known = set(row.agents) <= set(agents.VERSIONS)
    return not known or recipe(row.agents) != row.recipe


def document(row: Certificate) -> dict[str, Any]:
    """A certificate (with its environment) as JSON says it."""
    return {
        "certificate": row.pk,
        "environment": row.environment.slug,
        "domain": row.environment.domain.slug,
        "bundle": row.bundle,
        "result": row.result_id,
        "recipe": row.recipe,
        "outdated": is_outdated(row),
        "checks": row.checks,
        "agents": row.agents,
        "engine": row.engine,
        "unobserved": row.unobserved,
        "witness": row.witness,
        "created": row.created,
    }
