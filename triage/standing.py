"""Where each environment stands: its newest check of its current bundle.

A bundle's digest is computed from the current versions, so a load makes old checks stale at once and
restoring an old version makes them count again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, OuterRef, Subquery, Value
from django.db.models.functions import Cast, Coalesce

from components.bundles import digests
from components.models import Environment
from triage.models import Check
from triage.models.check import CheckQuerySet, ended_as

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class Standing(TypedDict):
        latest_check: int | None
        status: str

    EnvironmentWithStanding = WithAnnotations[Environment, Standing]

UNVERIFIED = "unverified"
"""The status of an environment without a finished check of its current bundle."""


def with_standing(
    environments: models.QuerySet[Environment],
) -> models.QuerySet[EnvironmentWithStanding]:
    """The environments, each with `latest_check` (an id or None) and `status` (how it ended, or unverified).

    Both can be filtered and ordered by. Costs the queries of `digests`, and one.
    """
    newest = (
        Check.objects.finished()
        .filter(environment=OuterRef("pk"), bundle=_current_bundle(environments))
        .order_by("-round_id")
    )
    return environments.annotate(
        latest_check=Subquery(newest.values("pk")[:1]),
        status=Coalesce(Subquery(newest.values(ended=ended_as())[:1]), Value(UNVERIFIED)),
    )


def standing_now(
    environments: models.QuerySet[Environment],
) -> models.QuerySet[EnvironmentWithStanding]:
    """As `with_standing`, but where they stand is asked at once, so that the queries made of this are cheap."""
    rows = list(with_standing(environments).order_by().values_list("pk", "latest_check", "status"))
    checks = {pk: check for pk, check, _ in rows if check}
    statuses = {pk: status for pk, _, status in rows if status != UNVERIFIED}
    return environments.annotate(
        latest_check=Cast(_looked_up(checks, F("pk")), models.BigIntegerField()),
        status=Coalesce(_looked_up(statuses, F("pk")), Value(UNVERIFIED)),
    )


def latest_checks(environments: models.QuerySet[Environment]) -> CheckQuerySet:
    """The checks that say where the environments stand; an unverified one has none.

    Which those are is costly and asked at once, so that the queries made of this are cheap.
    """
    found = with_standing(environments).order_by().values_list("latest_check", flat=True)
    return Check.objects.filter(among("pk", found))


def among(column: str, checks: Iterable[int | None]) -> models.Func:
    """In SQL: the column is the id of one of these checks.

    One parameter, however many there are: thousands cost more to write into a query than to look up.
    """
    keys = Value([pk for pk in checks if pk], ArrayField(models.BigIntegerField()))
    return models.Func(
        models.F(column),
        keys,
        template="(%(expressions)s))",
        arg_joiner=" = ANY(",
        output_field=models.BooleanField(),
    )


def _current_bundle(environments: models.QuerySet[Environment]) -> models.Func:
    """In SQL, the digest of the current bundle of the outer query's environment."""
    return _looked_up(digests(environments), OuterRef("pk"))


def _looked_up(known: Mapping[int, Any], key: F) -> models.Func:
    """In SQL, what `known` has at a key, as text. One parameter, however many there are."""
    return models.Func(
        Value(json.dumps({str(pk): value for pk, value in known.items()})),
        Cast(key, models.TextField()),
        template="(%(expressions)s)",
        arg_joiner="::jsonb ->> ",
        output_field=models.CharField(),
    )
