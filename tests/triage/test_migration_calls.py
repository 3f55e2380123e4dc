"""Episodes from before calls were counted get their counts when the database is migrated."""

from __future__ import annotations

from importlib import import_module

from django.db import connection

from tests.browser import seed
from triage.models import Episode


def test_what_is_counted_later_is_what_is_counted_when_stored(db: None) -> None:
    seed.finished_round([seed.library("shop", 3)])
    counted = dict(Episode.objects.values_list("pk", "calls"))
    assert set(counted.values()) > {0}
    Episode.objects.update(calls=0)
    with connection.cursor() as cursor:
        cursor.execute(import_module("triage.migrations.0003_calls_times").COUNT_CALLS)
    assert dict(Episode.objects.values_list("pk", "calls")) == counted
