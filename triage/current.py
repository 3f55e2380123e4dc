"""The current bundle of an environment, inside a query about what hangs on environments."""

from __future__ import annotations

import json

from django.db import models
from django.db.models import F, OuterRef, Value
from django.db.models.functions import Cast

from components.bundles import digests
from components.models import Environment


def current_bundle(rows: models.QuerySet[models.Model], *, is_outer: bool = False) -> models.Func:
    """In SQL, the digest of what the `environment` of a row of `rows` is made of now; with `is_outer`, of the row
    of the query around. Costs the three queries of `digests`."""
    named = Environment.objects.filter(pk__in=rows.order_by().values("environment"))
    known = {str(pk): digest for pk, digest in digests(named).items()}
    column = OuterRef("environment_id") if is_outer else F("environment_id")
    return models.Func(
        Value(json.dumps(known)),
        Cast(column, models.TextField()),
        template="(%(expressions)s)",
        arg_joiner="::jsonb ->> ",
        output_field=models.CharField(),
    )
