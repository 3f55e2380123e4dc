"""A rule with other clauses, asked about what really happened: what the plans of a case did, and what nobody should do.

A world that is checked costs a hundred times more; what still forbids what the plan does is dropped here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

from triage.proposers.case import Case, Seen
from worlds.clauses import Asked, Clauses, CompiledClause
from worlds.conditions import Allowance, ConditionFailed, View
from worlds.events import Event, events
from worlds.records import RecordsInvalid, Row
from worlds.rule import Rule
from worlds.servers import ServerUnavailable
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.toolsession import ToolSession

LOOKED_AT = 3
"""Failing environments, and as many sound ones."""
EVENTS = 80
"""Of one episode."""
VARIED = 10
"""Events of which variants are made."""
FIELDS = 4


@dataclass(frozen=True)
class Happened:
    """An event of a plan's episode."""

    event: Event
    seen: int
    """In which environment: its place in the trial, those that fail first."""
    is_failing: bool


@dataclass(frozen=True)
class Found:
    """What the clauses of a rule make of what happened."""

    broken: frozenset[tuple[int, str]]
    """Environment, and clause that is violated or fails there."""
    applies: int
    """To how many of the events the clause that is looked at applies."""
    teeth: float
    """The share of wrong variants of events that it forbids."""


class ClauseTrial:
    """The events of a case's plans."""

    def __init__(self, case: Case, slug: str) -> None:
        self.case, self.slug = case, slug
        self.failing = case.users(("rule", slug))[:LOOKED_AT]
        self.sound = [each for each in case.sound if each.body(("rule", slug))][:LOOKED_AT]

    @cached_property
    def happened(self) -> Sequence[Happened]:
        """All events that clauses are asked about; none of an environment that cannot be played."""
        found: list[Happened] = []
        with ToolSession() as session:
            for number, seen in enumerate([*self.failing, *self.sound]):
                try:
                    found += self._of(seen, number, session)
                except (
                    RecordsInvalid,
                    ServerUnavailable,
                    TemplateInvalid,
                    TemplateUnfilled,
                    LookupError,
                ):
                    continue
        return found

    def _of(self, seen: Seen, number: int, session: ToolSession) -> list[Happened]:
        if seen.reference is None:
            return []
        all_of_it = events(seen.world, seen.reference, session)
        is_failing = number < len(self.failing)
        return [Happened(each, number, is_failing) for each in islice(all_of_it, EVENTS)]

    @cached_property
    def broken(self) -> frozenset[tuple[int, str]]:
        """What the clauses as they are forbid of what the plans do, or fail of."""
        rule = self._rule
        return self.broken_by(rule) if rule else frozenset()

    @property
    def _rule(self) -> Rule | None:
        body = self.case.body(("rule", self.slug))
        return body if isinstance(body, Rule) else None

    def broken_by(self, rule: Rule) -> frozenset[tuple[int, str]]:
        """The same of another rule in its place."""
        clauses = self._compiled(rule)
        return frozenset(
            (each.seen, clause.clause.id)
            for each in self.happened
            for clause in clauses.on(each.event.trigger)
            if clause.rule == self.slug and _breaks(clause, each.event.asked)
        )

    def of(self, rule: Rule, clause: str) -> Found | None:
        """What a rule with another clause makes of what happened; None where the clause does not compile."""
        compiled = self._compiled(rule).named(self.slug, clause)
        if compiled is None:
            return None
        asked = [
            each.event.asked for each in self.happened if each.event.trigger == compiled.clause.on
        ]
        applies = sum(compiled.stands(_fresh(each)) is not None for each in asked)
        return Found(self.broken_by(rule), applies, self._teeth(compiled, asked))

    def _teeth(self, compiled: CompiledClause, asked: Sequence[Asked]) -> float:
        near = [each for each in asked if compiled.table in (None, each.get("table"))]
        made = [variant for each in near[:VARIED] for variant in variants(each)]
        bites = sum(compiled.stands(each) is False for each in made)
        return bites / len(made) if made else 0.0

    def _compiled(self, rule: Rule) -> Clauses:
        bundle = (self.failing or self.case.seen)[0].bundle
        refs = zip(bundle.manifest.rules, bundle.rules, strict=True)
        rules = [(ref.slug, rule if ref.slug == self.slug else body) for ref, body in refs]
        return Clauses(rules, bundle.domain)


def _breaks(clause: CompiledClause, asked: Asked) -> bool:
    try:
        fresh = _fresh(asked)
        return clause.violation(fresh, "") is not None or clause.failure(fresh) is not None
    except ConditionFailed:
        return True


def _fresh(asked: Asked, **names: Any) -> Asked:
    """The same event, asked about as if nothing had been before: what conditions may use together is not used up."""
    view = asked.moment.view
    moment = replace(asked.moment, view=View(view.records, view.now, Allowance()))
    return Asked(moment, {**asked, **names})


# What nobody should do


def variants(asked: Asked) -> Iterator[Asked]:
    """An event as it might have been wrong: by somebody else, the other way round, with a field of before, of another
    row, with nothing said or called before."""
    others = _others(asked)
    for actor in others[:2]:
        yield _fresh(asked, actor=actor)
    for name in ("history", "said", "heard"):
        if asked.get(name):
            yield _fresh(asked, **{name: []})
    if "table" in asked:
        yield from _written(asked)
    if "call" in asked:
        yield from _called(asked)


def _others(asked: Asked) -> list[Row]:
    """Rows of the actor's table, beside the actor."""
    actor, base = asked.get("actor"), asked.moment.view.records.base
    if actor is None:
        return []
    for name, rows in base.tables.items():
        key = actor.get(base.domain.tables[name].key)
        if isinstance(key, str) and key in rows and rows[key].keys() == actor.keys():
            others = [row for each, row in islice(rows.items(), 40) if each != key]
            return [*others[:1], *others[-1:]]
    return []


def _written(asked: Asked) -> Iterator[Asked]:
    before, after = asked["before"], asked["after"]
    yield _fresh(asked, before=after, after=before)
    if before is not None and after is not None:
        changed = [name for name in after if before.get(name) != after[name]]
        for name in changed[:FIELDS]:
            yield _fresh(asked, after={**after, name: before.get(name)})
    rows = list(islice(asked.moment.view.records.base.tables.get(asked["table"], {}).values(), 30))
    for other in (rows[:1] + rows[-1:]) if after is not None else ():
        yield _fresh(asked, after={**other, **_keyed(asked, after)})
        if before is not None:
            yield _fresh(asked, before={**other, **_keyed(asked, after)})


def _keyed(asked: Asked, row: Row) -> Row:
    key = asked.moment.view.records.base.domain.tables[asked["table"]].key
    return {key: row.get(key)}


def _called(asked: Asked) -> Iterator[Asked]:
    call = asked["call"]
    for name in list(call["args"])[: 2 * FIELDS]:
        other = {**call, "args": {**call["args"], name: "another"}}
        yield _fresh(asked, call=other)
