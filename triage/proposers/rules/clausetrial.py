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
from worlds.events import events
from worlds.records import RecordsInvalid, Row
from worlds.rule import Clause, Rule, Trigger
from worlds.sandbox import SandboxUnavailable
from worlds.servers import ServerUnavailable
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.toolsession import ToolSession

LOOKED_AT = 3
"""Failing environments, and as many sound ones."""
EVENTS = 80
"""Of one episode."""
VARIED = 6
"""Events of which variants are made."""
MOST_VARIANTS = 40
FIELDS = 4
UNPLAYABLE = (
    RecordsInvalid,
    ServerUnavailable,
    TemplateInvalid,
    TemplateUnfilled,
    LookupError,
    SandboxUnavailable,
)


@dataclass(frozen=True)
class Happened:
    """An event of a plan's episode."""

    trigger: Trigger
    asked: Asked
    seen: int
    """In which environment: its place in the trial, those that fail first."""


@dataclass(frozen=True)
class Found:
    """What a rule with another clause makes of what happened."""

    cures: bool
    """Whether there is an environment in which something was broken, and nothing of this rule is any longer."""
    breaks: bool
    """Whether something is broken that was not."""
    applies: bool = False
    """Whether the clause applies to anything that happened."""
    teeth: float = 0.0
    """The share of wrong variants of events that it forbids."""


Broken = frozenset[tuple[int, str]]
"""Environment, and clause that is violated or fails there."""


class ClauseTrial:
    """The events of a case's plans, and what the clauses of a rule make of them."""

    def __init__(self, case: Case, slug: str) -> None:
        self.case, self.slug = case, slug
        self.failing = case.users(("rule", slug))[:LOOKED_AT]
        self.sound = [each for each in case.sound if each.body(("rule", slug))][:LOOKED_AT]
        bundle = (self.failing or case.seen)[0].bundle
        refs = zip(bundle.manifest.rules, bundle.rules, strict=True)
        self.domain = bundle.domain
        self.rules = {ref.slug: rule for ref, rule in refs}
        self._variants: dict[tuple[Trigger, str | None], list[Asked]] = {}

    @cached_property
    def happened(self) -> Sequence[Happened]:
        """All events that clauses are asked about; none of an environment that cannot be played."""
        found: list[Happened] = []
        with ToolSession() as session:
            for number, seen in enumerate([*self.failing, *self.sound]):
                try:
                    found += self._of(seen, number, session)
                except UNPLAYABLE:
                    continue
        return found

    def _of(self, seen: Seen, number: int, session: ToolSession) -> list[Happened]:
        if seen.reference is None:
            return []
        all_of_it = islice(events(seen.world, seen.reference, session), EVENTS)
        return [Happened(each.trigger, _apart(each.asked), number) for each in all_of_it]

    @cached_property
    def broken(self) -> Broken:
        """What the clauses as they are forbid of what the plans do, or fail of."""
        rule = self.rules.get(self.slug)
        return self._broken_by(rule.clauses, self._compiled(rule)) if rule else frozenset()

    def _broken_by(self, clauses: Sequence[Clause], compiled: Clauses) -> Broken:
        ready = [compiled.named(self.slug, each.id) for each in clauses]
        return frozenset(
            (each.seen, clause.clause.id)
            for each in self.happened
            for clause in ready
            if clause is not None and clause.clause.on == each.trigger
            if _breaks(clause, each.asked)
        )

    def of(self, rule: Rule, clause: str) -> Found | None:
        """What a rule with another clause of this id makes of what happened; None where it does not compile."""
        touched = [each for each in rule.clauses if clause in (each.id, *each.unless)]
        compiled = self._compiled(rule, touched)
        own = compiled.named(self.slug, clause)
        if own is None:
            return None
        ids = {each.id for each in touched}
        rest = {pair for pair in self.broken if pair[1] not in ids}
        broken = self._broken_by(touched, compiled) | rest
        cures = bool({seen for seen, _ in self.broken} - {seen for seen, _ in broken})
        if broken - self.broken or (self.broken and not cures):
            return Found(cures, bool(broken - self.broken))
        near = [each.asked for each in self.happened if each.trigger == own.clause.on]
        applies = any(own.stands(each) is not None for each in near)
        return Found(cures, False, applies, self._teeth(own))

    def _teeth(self, compiled: CompiledClause) -> float:
        made = self._made(compiled.clause.on, compiled.table)
        return sum(compiled.stands(each) is False for each in made) / len(made) if made else 0.0

    def _made(self, trigger: Trigger, table: str | None) -> Sequence[Asked]:
        """Wrong variants of what happened to a table."""
        if (trigger, table) not in self._variants:
            near = [
                each.asked
                for each in self.happened
                if each.trigger == trigger and table in (None, each.asked.get("table"))
            ]
            made = [variant for each in near[:VARIED] for variant in variants(each)]
            self._variants[(trigger, table)] = made[:MOST_VARIANTS]
        return self._variants[(trigger, table)]

    def _compiled(self, rule: Rule, only: Sequence[Clause] | None = None) -> Clauses:
        """The clauses of a rule, or some of them, with what excuses them."""
        wanted = rule.clauses if only is None else only
        named = {name for each in wanted for name in each.unless}
        rules = {**self.rules, self.slug: rule}
        return Clauses(
            [
                (slug, each.model_copy(update={"clauses": kept}))
                for slug, each in rules.items()
                if (kept := [c for c in each.clauses if self._is_kept(slug, c, wanted, named)])
            ],
            self.domain,
        )

    def _is_kept(
        self, slug: str, clause: Clause, wanted: Sequence[Clause], named: set[str]
    ) -> bool:
        if slug == self.slug and (clause in wanted or clause.id in named):
            return True
        return f"{slug}/{clause.id}" in named


def _breaks(clause: CompiledClause, asked: Asked) -> bool:
    try:
        return clause.violation(asked, "") is not None or clause.failure(asked) is not None
    except ConditionFailed:
        return True


def _apart(asked: Asked, **names: Any) -> Asked:
    """The same event, to be asked about again and again: there is always enough left to evaluate conditions with."""
    view = asked.moment.view
    allowance = Allowance(10**12, 10**12, 3_600.0)
    moment = replace(asked.moment, view=View(view.records, view.now, allowance))
    return Asked(moment, {**asked, **names})


# What nobody should do


def variants(asked: Asked) -> Iterator[Asked]:
    """An event as it might have been wrong: by somebody else, the other way round, with a field of before, of another
    row, with nothing said or called before."""
    others = _others(asked)
    for actor in others[:2]:
        yield _apart(asked, actor=actor)
    for name in ("history", "said", "heard"):
        if asked.get(name):
            yield _apart(asked, **{name: []})
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
    yield _apart(asked, before=after, after=before)
    if before is not None and after is not None:
        changed = [name for name in after if before.get(name) != after[name]]
        for name in changed[:FIELDS]:
            yield _apart(asked, after={**after, name: before.get(name)})
    rows = list(islice(asked.moment.view.records.base.tables.get(asked["table"], {}).values(), 30))
    for other in (rows[:1] + rows[-1:]) if after is not None else ():
        yield _apart(asked, after={**other, **_keyed(asked, after)})
        if before is not None:
            yield _apart(asked, before={**other, **_keyed(asked, after)})


def _keyed(asked: Asked, row: Row) -> Row:
    key = asked.moment.view.records.base.domain.tables[asked["table"]].key
    return {key: row.get(key)}


def _called(asked: Asked) -> Iterator[Asked]:
    call = asked["call"]
    for name in list(call["args"])[: 2 * FIELDS]:
        other = {**call, "args": {**call["args"], name: "another"}}
        yield _apart(asked, call=other)
