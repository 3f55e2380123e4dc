"""The clauses of rules at work: asked at each write, call, saying and at the end, they tell what was violated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from worlds.conditions import (
    Condition,
    ConditionFailed,
    ConditionInvalid,
    ConditionSpent,
    NameUnknown,
    Shape,
    View,
    compile_condition,
    row_shape,
)
from worlds.diff import Change, Diff
from worlds.domain import Domain
from worlds.pinned import pinned_sides, pinned_table
from worlds.records import Row
from worlds.rule import Clause, Rule, Trigger
from worlds.step import Call

HISTORY: Shape = {
    "type": "array",
    "items": {"type": "object", "properties": {"tool": {}, "args": {}, "result": {}, "status": {}}},
}
_ALWAYS: dict[str, Shape] = {"actor": None, "history": HISTORY, "said": None, "heard": None}
_TEXT: Shape = {"type": "string"}
_NAMES: dict[Trigger, dict[str, Shape]] = {
    "write": {"table": _TEXT, "key": _TEXT, "before": None, "after": None},
    "call": {"call": {"type": "object", "properties": {"tool": _TEXT, "args": {}}}},
    "say": {"said_now": _TEXT},
    "end": {},
}


@dataclass
class Moment:
    """What clauses (and a scripted user) may look at beside the event itself."""

    view: View
    actor: Row | None = None
    """The row on whose behalf the agent acts."""
    history: list[dict[str, Any]] = field(default_factory=list)
    """Calls so far: `{tool, args, result, status}`."""
    said: list[str] = field(default_factory=list)
    """By the agent."""
    heard: list[str] = field(default_factory=list)
    """By the agent, from the user."""

    def names(self) -> dict[str, Any]:
        """As the names of conditions."""
        return {
            "actor": self.actor,
            "history": self.history,
            "said": self.said,
            "heard": self.heard,
        }


@dataclass(frozen=True)
class Violation:
    """A clause that applied and was not met."""

    rule: str
    clause: str
    quote: str
    enforce: Literal["audit", "guard"]
    detail: str
    """What was violated, in one sentence."""
    invalid: bool = False
    """Whether `require` failed with an error rather than being false."""

    @property
    def name(self) -> str:
        """`rule/clause`"""
        return f"{self.rule}/{self.clause}"


class Asked(dict[str, Any]):
    """Something that clauses are asked about: the names that they see of it, and the moment in which they do."""

    def __init__(self, moment: Moment, names: Mapping[str, Any]) -> None:
        super().__init__({**moment.names(), **names})
        self.moment = moment
        self._held: dict[str, bool | ConditionFailed] = {}

    def meets(self, when: Condition) -> bool:
        """Whether a clause's `when` holds; one that fails does not. Raises ConditionSpent: then it is not known."""
        return self._decided(when) is True

    def failure(self, when: Condition) -> ConditionFailed | None:
        """Why a clause's `when` could not be decided on; None where it could. Raises ConditionSpent."""
        decided = self._decided(when)
        return decided if isinstance(decided, ConditionFailed) else None

    def _decided(self, when: Condition) -> bool | ConditionFailed:
        """Many clauses have the same one: it is evaluated once."""
        if when.text not in self._held:
            try:
                self._held[when.text] = when.holds(self.moment.view, self)
            except ConditionSpent:
                raise
            except ConditionFailed as error:
                self._held[when.text] = error
        return self._held[when.text]


@dataclass(frozen=True)
class Failure:
    """A clause that could not be asked about an event."""

    part: Literal["when", "require"]
    why: str


@dataclass
class CompiledClause:
    """A clause of a rule, ready to be asked about events."""

    rule: str
    clause: Clause
    table: str | None
    """The only table whose writes `when` can hold for, where it says so."""
    sides: Mapping[str, bool]
    """Whether a row has to be there `before` and `after` a write, where `when` says so."""
    when: Condition | None
    require: Condition
    unless: list[CompiledClause] = field(default_factory=list)

    def applies(self, asked: Asked) -> bool:
        """Whether `when` holds. Raises ConditionSpent: then it is not known."""
        return self._may_apply(asked) and (self.when is None or asked.meets(self.when))

    def _may_apply(self, asked: Asked) -> bool:
        if self.table is not None and asked["table"] != self.table:
            return False
        return all((asked[side] is not None) == there for side, there in self.sides.items())

    @property
    def name(self) -> str:
        """`rule/clause`"""
        return f"{self.rule}/{self.clause.id}"

    def stands(self, asked: Asked) -> bool | None:
        """Whether `require` holds of an event; None where the clause does not apply, or cannot be told."""
        try:
            excused = any(each.applies(asked) for each in self.unless)
            if excused or not self.applies(asked):
                return None
            return self.require.holds(asked.moment.view, asked)
        except ConditionFailed:
            return None

    def failure(self, asked: Asked) -> Failure | None:
        """What of it fails with an error when it is asked about an event; None where nothing does. A `when` that
        fails is not met, so that the clause forbids nothing."""
        part: Literal["when", "require"] = "when"
        try:
            if any(each.applies(asked) for each in self.unless) or not self._may_apply(asked):
                return None
            error = None if self.when is None else asked.failure(self.when)
            if error is None and self.applies(asked):
                part = "require"
                self.require.holds(asked.moment.view, asked)
        except ConditionFailed as failed:
            error = failed
        return None if error is None else Failure(part, str(error))

    def violation(self, asked: Asked, event: str) -> Violation | None:
        """What it has to say about an event."""
        try:
            if not self.applies(asked) or any(each.applies(asked) for each in self.unless):
                return None
            if self.require.holds(asked.moment.view, asked):
                return None
            return self._violated(f"{event}: not met: {' '.join(self.clause.require.split())}")
        except ConditionFailed as error:
            return self._violated(f"{event}: {error}", invalid=True)

    def _violated(self, detail: str, *, invalid: bool = False) -> Violation:
        clause = self.clause
        return Violation(self.rule, clause.id, clause.quote, clause.enforce, detail, invalid)


class Clauses:
    """All clauses of a bundle's rules, compiled once. Those of `problems` are never evaluated."""

    def __init__(self, rules: Sequence[tuple[str, Rule]], domain: Domain) -> None:
        self.problems: list[tuple[str, str, ConditionInvalid]] = []
        """Rule, place in its body (`clauses[2].require`), what is wrong."""
        self._domain = domain
        self._definitions = {slug: rule.definitions(domain) for slug, rule in rules}
        self._by_name: dict[str, CompiledClause] = {}
        self._all = {
            f"{slug}/{clause.id}": clause for slug, rule in rules for clause in rule.clauses
        }
        numbered = [
            (slug, number, clause)
            for slug, rule in rules
            for number, clause in enumerate(rule.clauses)
        ]
        for slug, definitions in self._definitions.items():
            for name, error in definitions.problems():
                self._problem(slug, f"define.{name}", error)
        for slug, number, clause in numbered:
            self._compile(slug, f"clauses[{number}]", clause)
        for slug, number, clause in numbered:
            self._link(slug, f"clauses[{number}]", clause)
        self._by_trigger: dict[Trigger, list[CompiledClause]] = {
            "write": [],
            "call": [],
            "say": [],
            "end": [],
        }
        for compiled in self._by_name.values():
            self._by_trigger[compiled.clause.on].append(compiled)

    @property
    def watch_writes(self) -> bool:
        """Whether any clause looks at writes."""
        return bool(self._by_trigger["write"])

    @property
    def guard_writes(self) -> bool:
        """Whether any clause takes writes back."""
        return any(each.clause.enforce == "guard" for each in self._by_trigger["write"])

    def named(self, rule: str, clause: str) -> CompiledClause | None:
        """A clause by its id; None for one with a problem."""
        return self._by_name.get(f"{rule}/{clause}")

    def on(self, trigger: Trigger) -> Sequence[CompiledClause]:
        """The clauses that look at events of a kind."""
        return self._by_trigger[trigger]

    def on_write(self, moment: Moment, changes: Diff) -> list[Violation]:
        """Violations by rows just written; `moment.view` shows the state after the write."""
        if not self._by_trigger["write"]:
            return []
        return [
            violation
            for change in changes
            for violation in self._on("write", moment, written(moment, change), described(change))
        ]

    def on_call(self, moment: Moment, call: Call) -> list[Violation]:
        """Violations by a call about to be made."""
        names = {"call": {"tool": call.tool, "args": call.args}}
        return list(self._on("call", moment, names, f"call of {call.tool}"))

    def on_say(self, moment: Moment, text: str) -> list[Violation]:
        """Violations by something that the agent says."""
        return list(self._on("say", moment, {"said_now": text}, "said"))

    def on_end(self, moment: Moment) -> list[Violation]:
        """Violations by how it ended."""
        return list(self._on("end", moment, {}, "at the end"))

    def _on(
        self, trigger: Trigger, moment: Moment, event: Mapping[str, Any], said: str
    ) -> Iterator[Violation]:
        asked = Asked(moment, event)
        for compiled in self._by_trigger[trigger]:
            violation = compiled.violation(asked, said)
            if violation is not None:
                yield violation

    def _compile(self, rule: str, place: str, clause: Clause) -> None:
        name = f"{rule}/{clause.id}"
        if name in self._by_name:
            self._problem(
                rule, f"{place}.id", ConditionInvalid("two clauses have this id", clause.id)
            )
            return
        writes = self._written_out(rule, clause.when) if clause.on == "write" else ""
        table, sides = pinned_table(writes), pinned_sides(writes)
        self._check_table(rule, f"{place}.when", table, clause)
        shapes = scope(clause.on, table, self._domain)
        when = self._condition(rule, f"{place}.when", clause.when, shapes)
        require = self._condition(rule, f"{place}.require", clause.require, shapes)
        if require is not None and (clause.when is None or when is not None):
            self._by_name[name] = CompiledClause(rule, clause, table, sides, when, require)

    def _written_out(self, rule: str, text: str | None) -> str:
        try:
            return "" if text is None else self._definitions[rule].written_out(text)
        except ConditionInvalid:
            return ""  # whoever compiles it tells

    def _check_table(self, rule: str, place: str, table: str | None, clause: Clause) -> None:
        if table is not None and table not in self._domain.tables:
            known = ", ".join(sorted(self._domain.tables))
            error = NameUnknown(f"unknown table {table!r} (there are {known})", clause.when or "")
            self._problem(rule, place, error)

    def _condition(
        self, rule: str, place: str, text: str | None, names: Mapping[str, Shape]
    ) -> Condition | None:
        if text is None:
            return None
        defined = self._definitions[rule]
        try:
            return compile_condition(text, self._domain, names, definitions=defined)
        except ConditionInvalid as error:
            self._problem(rule, place, error)
            return None

    def _link(self, rule: str, place: str, clause: Clause) -> None:
        compiled = self._by_name.get(f"{rule}/{clause.id}")
        for number, name in enumerate(clause.unless):
            full = name if "/" in name else f"{rule}/{name}"
            other = self._all.get(full)
            if other is None:
                error: ConditionInvalid = NameUnknown(f"there is no clause {full!r}", name)
            elif other.on != clause.on:
                error = ConditionInvalid(
                    f"clause {full} is on {other.on}, this one on {clause.on}", name
                )
            else:
                if compiled is not None and full in self._by_name:
                    compiled.unless.append(self._by_name[full])
                continue
            self._problem(rule, f"{place}.unless[{number}]", error)
            self._by_name.pop(f"{rule}/{clause.id}", None)

    def _problem(self, rule: str, place: str, error: ConditionInvalid) -> None:
        self.problems.append((rule, place, error))


def scope(on: Trigger, table: str | None, domain: Domain) -> dict[str, Shape]:
    """The names that conditions of a clause see, with their shapes; `table` is the only one whose rows they see."""
    row = row_shape(domain, table) if table is not None else None
    rows = {"before": row, "after": row} if row is not None else {}
    return {**_ALWAYS, **_NAMES[on], **rows}


def written(moment: Moment, change: Change) -> dict[str, Any]:
    """What clauses on writes see of a change, beside the moment after it."""
    table, key = change["table"], change["key"]
    before, after = _sides(moment, change)
    return {"table": table, "key": key, "before": before, "after": after}


def _sides(moment: Moment, change: Change) -> tuple[Row | None, Row | None]:
    if change["op"] == "insert":
        return None, change["row"]
    if change["op"] == "delete":
        return change["row"], None
    after = moment.view.records.get(change["table"], change["key"]) or {}
    before = dict(after)
    for name, sides in change["fields"].items():
        if "before" in sides:
            before[name] = sides["before"]
        else:
            before.pop(name, None)
    return before, after


def described(change: Change) -> str:
    """A write in short: `update orders/W1#status`."""
    fields = f"#{','.join(change['fields'])}" if change["op"] == "update" else ""
    return f"{change['op']} {change['table']}/{change['key']}{fields}"
