"""What moved between two rounds, and what moved it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone

from components.actor import Actor
from components.models import Domain, Environment, Version
from triage.models import Check, Round
from triage.models.result import Status
from triage.movers import SILENT, Cause, Change, Movers, Seen
from triage.relabelled import counted_at


@dataclass(frozen=True)
class Move:
    """An environment (with its domain at hand) that ended otherwise in the later round."""

    environment: Environment
    before: str | None
    """As it counted when the earlier round ended; None = not in it."""
    after: str | None
    """As it counts now; None = not in the later round."""
    causes: tuple[Cause, ...]

    @property
    def key(self) -> str:
        """That of its causes together."""
        return "+".join(cause.key for cause in self.causes)

    @property
    def is_silent(self) -> bool:
        """Whether nothing is known of how it fares."""
        return any(cause.sort in SILENT for cause in self.causes)

    @property
    def is_fixed(self) -> bool:
        """Not solvable before, solvable after."""
        return self.after == Status.SOLVABLE and not self.is_silent

    @property
    def is_broken(self) -> bool:
        """Solvable before, not after."""
        return self.before == Status.SOLVABLE and not self.is_silent


@dataclass(frozen=True)
class Moved:
    """The environments that the same causes moved."""

    causes: tuple[Cause, ...]
    moves: tuple[Move, ...]
    """By domain and name."""

    @property
    def key(self) -> str:
        return "+".join(cause.key for cause in self.causes)

    @property
    def text(self) -> str:
        return " and ".join(cause.text for cause in self.causes)

    @cached_property
    def fixed(self) -> int:
        """Not solvable before, solvable after."""
        return sum(move.is_fixed for move in self.moves)

    @cached_property
    def broken(self) -> int:
        """Solvable before, not after."""
        return sum(move.is_broken for move in self.moves)

    @property
    def other(self) -> int:
        """Neither."""
        return len(self.moves) - self.fixed - self.broken


@dataclass(frozen=True)
class Moves:
    """All that moved between two rounds."""

    earlier: Round
    later: Round
    groups: tuple[Moved, ...]
    """What moved most first."""
    table: Mapping[tuple[str | None, str | None], int]
    """From and to → environments, those that did not move too."""

    @property
    def moves(self) -> list[Move]:
        """Of all groups."""
        return [move for group in self.groups for move in group.moves]


def previous(later: Round, actor: Actor) -> Round | None:
    """The newest round before it that went to its end over the same domains; two queries."""
    domains = list(Domain.objects.filter(rounds=later).values_list("pk", flat=True))
    rows = Round.objects.all() if actor is None else Round.objects.visible_to(actor)
    whole = rows.filter(pk__lt=later.pk, cancelled=None).exclude(finished=None)
    same = whole.annotate(
        every=Count("domains", distinct=True),
        mine=Count("domains", filter=Q(domains__in=domains), distinct=True),
    )
    return same.filter(every=len(domains), mine=len(domains)).order_by("-pk").first()


def moves(earlier: Round, later: Round, actor: Actor) -> Moves:
    """What moved between two rounds, of what `actor` may read: as many queries whatever the number of environments.

    An environment is of one group: that of all that changed of it, as nobody can tell which of them moved it.
    """
    before, after = _seen(earlier, actor), _seen(later, actor)
    then = _then(earlier, before)
    changes = []
    table: Counter[tuple[str | None, str | None]] = Counter()
    for pk in before.keys() | after.keys():
        old, new = before.get(pk), after.get(pk)
        was = then.get(old.check, old.status) if old else None
        table[was, new.status if new else None] += 1
        if was != (new.status if new else None):
            changes.append((was, old, new))
    return Moves(earlier, later, _groups(earlier, later, changes, then), dict(table))


def _seen(made: Round, actor: Actor) -> dict[int, Seen]:
    """Environment → its check, of those that ended."""
    checks = Check.objects.all() if actor is None else Check.objects.visible_to(actor)
    rows: Any = checks.filter(round=made).with_status(many=True)
    columns = ("pk", "environment", "status", "bundle", "result_key")
    return {
        row[1]: Seen(*row) for row in rows.exclude(status=None).order_by().values_list(*columns)
    }


def _then(earlier: Round, seen: Mapping[int, Seen]) -> dict[int, str]:
    checks = Check.objects.filter(round=earlier, environment__in=seen.keys())
    return counted_at(checks, earlier.finished or timezone.now())


def _groups(
    earlier: Round, later: Round, changes: Sequence[Change], then: Mapping[int, str]
) -> tuple[Moved, ...]:
    seen = [one for _, old, new in changes for one in (old, new) if one]
    places = Environment.objects.select_related("domain").in_bulk({one.environment for one in seen})
    movers = Movers(earlier, later, changes, places)
    grouped: dict[tuple[str, ...], list[Move]] = defaultdict(list)
    for was, old, new in changes:
        environment = places[(old or new).environment]  # type: ignore[union-attr]  # one of them is there
        is_said = old is not None and old.check in then
        causes = movers.causes(environment, old, new, is_said=is_said)
        move = Move(environment, was, new.status if new else None, causes)
        grouped[tuple(cause.key for cause in causes)].append(move)
    made = [Moved(_together(rows), tuple(sorted(rows, key=_name))) for rows in grouped.values()]
    return tuple(sorted(made, key=lambda one: (-len(one.moves), one.key)))


def _together(rows: Sequence[Move]) -> tuple[Cause, ...]:
    """The causes of a group, each with the versions that its environments hold of it."""
    versions: dict[str, dict[int, Version]] = defaultdict(dict)
    for move in rows:
        for cause in move.causes:
            versions[cause.key] |= {one.pk: one for one in cause.versions}
    return tuple(
        Cause(cause.sort, _ordered(versions[cause.key].values()), cause.proposal, cause.key)
        for cause in rows[0].causes
    )


def _ordered(versions: Iterable[Version]) -> tuple[Version, ...]:
    return tuple(sorted(versions, key=lambda one: (one.component.slug, one.number)))


def _name(move: Move) -> tuple[str, str]:
    return move.environment.domain.slug, move.environment.slug
