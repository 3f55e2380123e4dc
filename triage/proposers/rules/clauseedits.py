"""One clause of a rule with one thing otherwise: its conditions, what excuses it, when it is asked, how it is
enforced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from triage.proposers.conditions import edits
from triage.proposers.conditions.bodyedit import REMOVED, BodyEdit
from triage.proposers.conditions.code import ConditionCode, Neighbour
from triage.proposers.conditions.surroundings import Surroundings
from triage.proposers.conditions.wording import Wording, nearness
from worlds.cel_errors import ConditionInvalid
from worlds.cel_tree import free_names, parse
from worlds.clauses import scope
from worlds.pinned import pinned_sides, pinned_table
from worlds.rule import Clause, Rule, Trigger
from worlds.rulecheck import UNSTOPPABLE

MOST = 110
"""Edits of one condition."""
TELLING: dict[str, Trigger] = {
    "table": "write", "before": "write", "after": "write", "key": "write", "call": "call", "said_now": "say",
}  # fmt: skip
"""Names that events of one kind alone have."""
NO_EXCUSE = 0.18
"""How likely a clause excuses another whose words speak of no exception."""


@dataclass(frozen=True)
class ClauseEdits:
    """Of one clause."""

    surroundings: Surroundings
    rules: Sequence[tuple[str, Rule]]
    """Of the environments that show the fault."""
    slug: str
    number: int
    failed: str = ""
    """`when` or `require`, where it failed with an error."""

    @property
    def rule(self) -> Rule:
        """The rule in which it stands."""
        return next(rule for slug, rule in self.rules if slug == self.slug)

    @property
    def clause(self) -> Clause:
        """The clause as it is."""
        return self.rule.clauses[self.number]

    def all(self) -> Iterator[BodyEdit]:
        """What takes little to try first."""
        yield from self._unless()
        yield from self._trigger()
        yield from self._enforced()
        yield from self.conditions("require")
        yield from self.conditions("when")

    def _edit(
        self, part: str, value: object, says: str, likelihood: float, why: str = ""
    ) -> BodyEdit:
        place = ("clauses", self.number, part)
        return BodyEdit(self.clause.id, {place: value}, says, likelihood, why)

    # Conditions

    def conditions(self, part: str) -> Iterator[BodyEdit]:
        """With `when` or `require` otherwise."""
        code = self.code(part)
        if code is None:
            return
        for each in islice(edits(code), MOST):
            says = f"{each.says}, in the clause {self.clause.id}"
            weight = 1.0 if part == "require" or code.failed else 0.92
            yield self._edit(part, each.text, says, each.likelihood * weight, each.authority)
        if part == "when" and self.clause.require != "true":
            says = f"Ask the clause {self.clause.id} whatever happens"
            yield self._edit("when", REMOVED, says, 0.05)

    def code(self, part: str) -> ConditionCode | None:
        """A condition of the clause with what it sees."""
        text = self.clause.when if part == "when" else self.clause.require
        if text is None or text == "true":
            return None
        domain, clause = self.surroundings.domain, self.clause
        writes = self._written_out(clause.when) if clause.on == "write" else ""
        sides = pinned_sides(writes)
        return ConditionCode(
            text,
            domain,
            scope(clause.on, pinned_table(writes), domain),
            definitions=self.rule.definitions(domain),
            means=clause.quote,
            cites=f"{self.slug}/{clause.id}: “{' '.join(clause.quote.split())}”",
            neighbours=self._neighbours(part),
            tables=self.surroundings.tables,
            known=self.surroundings.known,
            failed=self.failed == part,
            absent=[side for side, there in sides.items() if not there],
        )

    def _written_out(self, text: str | None) -> str:
        try:
            return self.rule.definitions(self.surroundings.domain).written_out(text or "")
        except ConditionInvalid:
            return text or ""

    def _neighbours(self, part: str) -> list[Neighbour]:
        """The same part of other clauses on the same events, those of the same rule first."""
        found = []
        for slug, rule in self.rules:
            for number, other in enumerate(rule.clauses):
                text = other.when if part == "when" else other.require
                is_own = (slug, number) == (self.slug, self.number)
                if text and text != "true" and other.on == self.clause.on and not is_own:
                    weight = 0.9 if slug == self.slug else 0.6
                    found.append(Neighbour(text, f"{slug}/{other.id}", weight))
        return found

    # Exceptions

    def _unless(self) -> Iterator[BodyEdit]:
        named = self.clause.unless
        there = [
            (f"{slug}/{other.id}" if slug != self.slug else other.id, other)
            for slug, rule in self.rules
            for other in rule.clauses
            if other is not self.clause
        ]
        ids = {name for name, _ in there}
        for number, name in enumerate(named):
            if name not in ids and name.removeprefix(f"{self.slug}/") not in ids:
                yield from self._meant(
                    number, name, [n for n, c in there if c.on == self.clause.on]
                )
        for name, other in there:
            if other.on == self.clause.on and name not in named:
                yield self._excused(name, other)

    def _meant(self, number: int, name: str, there: Sequence[str]) -> Iterator[BodyEdit]:
        place = ("clauses", self.number, "unless", number)
        for other in sorted(there, key=lambda each: -nearness(each, name))[:3]:
            says = f"Excuse {self.clause.id} by {other}: there is no clause {name}"
            yield BodyEdit(self.clause.id, {place: other}, says, 0.9 * nearness(other, name))
        says = f"Leave out {name}, which is no clause, of what excuses {self.clause.id}"
        yield BodyEdit(self.clause.id, {place: REMOVED}, says, 0.3)

    def _excused(self, name: str, other: Clause) -> BodyEdit:
        is_exception = Wording(other.quote).is_exception
        allows = other.require == "true"
        likelihood = 0.93 if allows else 0.6 if is_exception else NO_EXCUSE
        likelihood *= 0.5 if "/" in name else 1.0
        why = f"{name}: “{' '.join(other.quote.split())}”" if allows or is_exception else ""
        says = f"Let {name} excuse {self.clause.id}"
        return self._edit("unless", [*self.clause.unless, name], says, likelihood, why)

    # When it is asked, and what follows

    def _trigger(self) -> Iterator[BodyEdit]:
        """Asked at another kind of event, where its conditions speak of one."""
        named = {TELLING[name] for name in self._names() if name in TELLING}
        clause = self.clause
        if len(named) == 1 and clause.on not in named:
            other = next(iter(named))
            why = f"the conditions of {clause.id} speak of a {other}"
            yield self._edit("on", other, f"Ask {clause.id} at each {other}", 0.9, why)
        elif not named and clause.on in ("say", "end"):
            other = "end" if clause.on == "say" else "say"
            yield self._edit("on", other, f"Ask {clause.id} at each {other}", 0.2)

    def _names(self) -> set[str]:
        found: set[str] = set()
        for text in (self.clause.when, self.clause.require):
            try:
                found |= free_names(parse(text or "true"))
            except (ConditionInvalid, RecursionError):
                continue
        return found

    def _enforced(self) -> Iterator[BodyEdit]:
        clause = self.clause
        if clause.enforce == "guard" and clause.on in UNSTOPPABLE:
            why = UNSTOPPABLE[clause.on]
            yield self._edit("enforce", "audit", f"Audit {clause.id}: {why}", 0.9, why)
