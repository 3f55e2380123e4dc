"""Starting a round, and what came of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypedDict

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

import agents
from components.actor import Actor, demand
from components.bundles import manifests
from components.models import AuditEntry, Domain, Environment
from components.models.component import AUTHORITIES, authority_of
from triage import tasks
from triage.behaviour import behaviours
from triage.certificates import certify
from triage.counterexamples import unjudged
from triage.models import AgentProfile, Check, Finding, Result, Round
from triage.models.check import FINISHED, CheckQuerySet, State
from triage.models.result import Status
from triage.recipe import recipe, result_key
from triage.scope import RoundInvalid, Scope, choose, restricted
from triage.telling import tellers

EVERYTHING = Scope()


class Counts(TypedDict):
    """How environments ended."""

    environments: int
    solvable: int
    broken: int
    unproven: int
    errors: int
    solvability: float | None


class Summary(TypedDict):
    """What a round showed. Rates lie between 0 and 1; None = over no environments."""

    round: int
    environments: int
    """In scope: one check each. Cancelled checks have left the scope: they concluded nothing."""
    solvable: int
    broken: int
    unproven: int
    errors: int
    solvability: float | None
    """solvable ÷ (environments − errors)"""
    solve_rate: dict[str, float | None]
    """By agent: the share of the environments in scope that it solved."""
    floor: float | None
    """The best solve rate of an agent that understands nothing."""
    findings: dict[str, int]
    """By code, those that count: none that is accepted or dismissed, or of a code that demoted itself."""
    seconds: float
    """From its creation until its last check finished, or until now."""
    by_authority: dict[str, Counts]
    """The same counts of our environments (`ours`) and of those that mirror something outside (`given`), of which
    no number above tells apart; only what is in scope has a key."""


class Progress(TypedDict):
    """How far a round is."""

    done: int
    total: int
    """Without those that were cancelled."""
    rate: float
    """Checks a second, of those that had to be run."""
    seconds_left: float | None
    """None = nothing was run yet to judge by."""


NUMBERS = {
    Status.SOLVABLE: "solvable",
    Status.BROKEN: "broken",
    Status.UNPROVEN: "unproven",
    Status.ERROR: "errors",
}
"""What the number of checks that ended so is called."""


def numbers(rows: Iterable[tuple[str, str | None, int]]) -> dict[str, int]:
    """How many `environments` there are, how many are `cancelled`, and how many ended in which way, from rows of
    state, status and how many checks have them."""
    found = dict.fromkeys(["environments", *NUMBERS.values(), "cancelled"], 0)
    for state, status, count in rows:
        found["cancelled" if state == State.CANCELLED else "environments"] += count
        if status:
            found[NUMBERS[Status(status)]] += count
    return found


def summary(made: Round, actor: Actor = None) -> Summary:
    """The numbers of a round, over the checks that `actor` may read (None = all), in three queries."""
    checks = _checks(made, actor)
    ended: Any = checks.with_status().order_by()  # the stubs forget a status
    ended = ended.annotate(authority=authority_of("environment__domain"))
    rows = list(ended.values_list("authority", "state", "status").annotate(n=Count("pk")))
    counts = _counts(rows)
    scope = counts["environments"]
    solved = _solved(checks)
    return Summary(
        round=made.pk,
        **counts,
        solve_rate={agent: _rate(solved.get(agent, 0), scope) for agent in made.panel},
        floor=_rate(max((solved.get(agent, 0) for agent in _floor(made)), default=None), scope),
        findings=_findings(checks),
        seconds=round(((made.finished or timezone.now()) - made.created).total_seconds(), 3),
        by_authority=_by_authority(rows),
    )


def _counts(rows: Iterable[tuple[str, str, str | None, int]]) -> Counts:
    found = numbers(row[1:] for row in rows)
    return Counts(
        environments=found["environments"],
        solvable=found["solvable"],
        broken=found["broken"],
        unproven=found["unproven"],
        errors=found["errors"],
        solvability=_rate(found["solvable"], found["environments"] - found["errors"]),
    )


def _by_authority(rows: Collection[tuple[str, str, str | None, int]]) -> dict[str, Counts]:
    parts = {name: _counts(row for row in rows if row[0] == name) for name in AUTHORITIES}
    return {name: part for name, part in parts.items() if part["environments"]}


def progress(made: Round, actor: Actor = None) -> Progress:
    """How far a round is, over the checks that `actor` may read, in one query."""
    ended = Q(state__in=FINISHED)
    counts: dict[str, int] = (
        _checks(made, actor)
        .exclude(state=State.CANCELLED)
        .aggregate(
            total=Count("pk"),
            done=Count("pk", filter=ended),
            worked=Count("pk", filter=ended & Q(was_known=False)),
        )
    )
    seconds = ((made.finished or timezone.now()) - made.created).total_seconds()
    left = counts["total"] - counts["done"]
    rate = counts["worked"] / seconds if seconds > 0 else 0.0
    return Progress(
        done=counts["done"],
        total=counts["total"],
        rate=rate,
        seconds_left=left / rate if rate else (None if left else 0.0),
    )


def _checks(made: Round, actor: Actor) -> CheckQuerySet:
    checks = Check.objects.filter(round=made)
    return checks if actor is None else checks.visible_to(actor)


def _floor(made: Round) -> list[str]:
    return [agent for agent in made.panel if agent in agents.FLOOR]


def _rate(part: int | None, whole: int) -> float | None:
    return part / whole if part is not None and whole > 0 else None


def _solved(checks: CheckQuerySet) -> dict[str, int]:
    """Agent → environments that it solved: in its first attempt, or in any where it does not try."""
    counted = Q(result__episodes__attempt=0) | Q(result__episodes__agent__name__in=agents.FLOOR)
    rows = (
        checks.filter(counted, result__episodes__reward=1)
        .order_by()
        .values_list("result__episodes__agent__name")
        .annotate(solved=Count("pk", distinct=True))
    )
    return dict(rows)


def _findings(checks: CheckQuerySet) -> dict[str, int]:
    """Code → findings that count, the most frequent first."""
    rows = Finding.objects.counted().filter(result__checks__in=checks).order_by()
    counts = rows.values_list("code").annotate(count=Count("result__checks"))
    return dict(sorted(counts, key=lambda row: (-row[1], row[0])))


def create_round(
    actor: Actor,
    scope: Scope = EVERYTHING,
    panel: Collection[str] = (),
    *,
    searches: bool = True,
    queue: bool = True,
) -> Round:
    """A round over `scope`; `panel` names the agents (none given = all).

    Without `searches` no other way is looked for where a plan leads nowhere: much faster where much is broken, and it
    certifies nothing. Results known by key are attached at once. With `queue`, workers are told when the transaction
    commits; without it the caller works off the checks. Raises PermissionDenied and RoundInvalid.
    """
    demand(actor, "triage.add_round", "run a round")
    names = _panel(panel)
    with transaction.atomic():
        chosen = choose(scope, actor)
        made = Round.objects.create(
            author=actor,
            scope=chosen.scope,
            panel=names,
            searches=searches,
            recipe=recipe(names, searches=searches),
        )
        made.domains.set(chosen.domains)
        waiting = _create_checks(made, chosen.environments)
        _audit(actor, made, chosen.domains)
        if queue:
            transaction.on_commit(lambda: tasks.tell(waiting))
    return made


def _panel(names: Collection[str]) -> list[str]:
    if unknown := sorted(set(names) - set(agents.PANEL)):
        raise RoundInvalid(
            f"there is no agent {', '.join(unknown)}; there are {', '.join(agents.PANEL)}"
        )
    return [name for name in agents.PANEL if name in names or not names]


def _create_checks(made: Round, environments: Collection[int]) -> list[int]:
    """One check an environment, with its result where that is known and no counterexample waits to be judged;
    returns the ids of the others."""
    chosen = Environment.objects.filter(pk__in=environments)
    pinned, domains = manifests(chosen), dict(chosen.values_list("pk", "domain__slug"))
    outside = behaviours(made, pinned.values())
    telling = tellers(chosen)
    keys = {
        pk: result_key(
            pinned[pk].digest,
            made.recipe,
            domains[pk],
            outside[pinned[pk].digest],
            tells_all=pk in telling,
        )
        for pk in environments
    }
    known = set(Result.objects.filter(pk__in=keys.values()).values_list("pk", flat=True))
    digests = {pk: pinned[pk].digest for pk in environments}
    doubted = unjudged({pk: (digest, outside[digest]) for pk, digest in digests.items()})
    now = timezone.now()
    done = {pk: key for pk, key in keys.items() if key in known and pk not in doubted}
    checks = [
        Check(
            round=made,
            environment_id=pk,
            manifest=pinned[pk].model_dump(mode="json"),
            bundle=pinned[pk].digest,
            result_key=key,
            state=State.DONE if pk in done else State.QUEUED,
            result_id=done.get(pk),
            was_known=key in known,
            finished=now if pk in done else None,
            told=now,
        )
        for pk, key in keys.items()
    ]
    made_checks = Check.objects.bulk_create(checks)
    waiting = [check.pk for check in made_checks if check.state == State.QUEUED]
    AgentProfile.objects.bulk_create(
        [AgentProfile(name=name, digest=agents.digest(name)) for name in sorted(made.panel)],
        ignore_conflicts=True,
    )
    if done:
        certify(made, Check.objects.filter(round=made))
    if not waiting:
        Round.objects.filter(pk=made.pk).update(finished=now)
        made.finished = now
    return waiting


def _audit(actor: Actor, made: Round, domains: Iterable[Domain]) -> None:
    """One entry a domain: readers of one see nothing of the others."""
    AuditEntry.objects.bulk_create(
        AuditEntry(
            actor=actor,
            action="round.create",
            domain=domain,
            target=str(made),
            detail={
                **restricted(made.scope, {domain.slug}),
                "panel": made.panel,
                "recipe": made.recipe,
            },
        )
        for domain in domains
    )
