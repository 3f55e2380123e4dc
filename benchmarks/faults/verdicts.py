"""What the checks say of a faulted domain: it is loaded into an empty home as version 1, and rounds are run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.faults.faulted import Refused, cut_down
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.source import LibraryInvalid

BATCHES = (1, 3)
"""How many environments the first rounds are over; a last one is over the rest. When one has spoken, none follows."""


@dataclass
class Looked:
    """What was seen."""

    alarms: list[str] = field(default_factory=list)
    """`CODE SEVERITY KIND/COMPONENT` of each finding that counts, blocking or warning; `unproven` for an environment
    without a witness; `refused` when the files could not be loaded."""
    errors: list[str] = field(default_factory=list)
    """Trouble of the checks themselves, from which nothing is concluded."""
    checks: int = 0
    episodes: int = 0
    calls: int = 0
    seconds: float = 0.0


def look(folder: DomainFolder, specs: Sequence[EnvironmentSpec]) -> Looked:
    """Load a faulted domain with these environments, and check one batch after another until something speaks."""
    looked, start = Looked(), time.perf_counter()
    try:
        _load(cut_down(folder, specs))
    except (Refused, LibraryInvalid) as error:
        looked.alarms.append(f"refused: {error}")
    else:
        for batch in _batches([spec.slug for spec in specs]):
            _round(batch, looked)
            if looked.alarms:
                break
    looked.seconds = time.perf_counter() - start
    return looked


def _batches(slugs: Sequence[str]) -> Iterator[Sequence[str]]:
    begin = 0
    for size in (*BATCHES, len(slugs)):
        if batch := slugs[begin : begin + size]:
            yield batch
        begin += size


def _load(folder: DomainFolder) -> None:
    """The only thing in the database: nothing of a sound version, no result, no label."""
    from django.apps import apps
    from django.db import connection

    from components.load import load

    models = [
        model for app in ("components", "triage") for model in apps.get_app_config(app).get_models()
    ]
    tables = ", ".join(sorted(model._meta.db_table for model in models))
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {tables} CASCADE")
    load([folder], None, source="benchmark")


def _round(slugs: Sequence[str], looked: Looked) -> None:
    from triage.models import Check, Episode, Finding, Round
    from triage.rounds import create_round
    from triage.scope import Scope
    from triage.work import work_off, worker_name

    scope = Scope(environments=list(slugs))
    made = create_round(None, scope, searches=False, queue=False)  # it proves, and accuses nobody
    for _ in work_off(list(made.checks.values_list("pk", flat=True)), worker_name()):
        pass
    Round.objects.close()
    for check in Check.objects.filter(round=made).select_related("result").order_by("pk"):
        looked.checks += 1
        looked.alarms += ["unproven"] if check.result and check.result.status == "unproven" else []
        looked.errors += [check.error] if check.error else []
    found = Finding.objects.counted().filter(result__checks__round=made).exclude(severity="advice")
    rows = found.order_by("pk").values_list(
        "code", "severity", "component__kind", "component__slug"
    )
    looked.alarms += [f"{code} {severity} {kind}/{slug}" for code, severity, kind, slug in rows]
    for calls in Episode.objects.filter(results__checks__round=made).values_list(
        "calls", flat=True
    ):
        looked.episodes += 1
        looked.calls += calls
