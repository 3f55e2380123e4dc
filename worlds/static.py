"""The static stage: what can be told from a bundle's bodies without acting in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worlds.changes import Allowance, ChangesInvalid
from worlds.conditions import (
    ConditionInvalid,
    NameUnknown,
    Shape,
    row_shape,
)
from worlds.domain import Domain
from worlds.findings import Finding, finding
from worlds.intent import Intent, PlanStep, Unscored
from worlds.literals import impossible
from worlds.rulecheck import rule_findings
from worlds.scriptnames import script_findings
from worlds.slots import SlotUnbound, shapes, where_condition
from worlds.sourcecheck import SourceProblem
from worlds.template import TemplateInvalid, TemplateTooLong, TemplateUnfilled, placeholders
from worlds.toolserver import ToolServer
from worlds.typecheck import type_problems
from worlds.uncounted import uncounted_findings
from worlds.unmatched import unmatched_findings
from worlds.unscored import uncounted
from worlds.user import when_condition
from worlds.world import ASK_USER, World


def static_findings(world: World) -> list[Finding]:
    """All findings of the stage but those about rows, which are `worlds.recordcheck`'s."""
    return [
        *_servers(world),
        *_rules(world),
        *IntentCheck(world).findings(),
        *script_findings(world),
        *uncounted_findings(world),
        *unmatched_findings(world),
        *_pin(world),
    ]


def condition_finding(problem: ConditionInvalid, kind: Any, component: str, place: str) -> Finding:
    """The finding for a condition that does not compile."""
    code = "name-unknown" if isinstance(problem, NameUnknown) else "condition-invalid"
    return finding(
        code,
        kind,
        component,
        place=place,
        symbol=place,
        message=str(problem),
        evidence={"text": problem.text},
    )


def _servers(world: World) -> Iterator[Finding]:
    for slug, server in world.servers.items():
        yield from (_source_finding(slug, problem) for problem in server.problems)
        if not server.problems:
            # The checker's types are a reading of the code, no execution of it: a warning.
            types = type_problems(server.body) if isinstance(server, ToolServer) else ()
            for problem in types:
                yield _source_finding(slug, problem).model_copy(update={"severity": "warning"})
        if not server.tools and not server.problems:
            is_ours = isinstance(server, ToolServer)
            yield finding(
                "body-invalid",
                "toolserver",
                slug,
                place="source" if is_ours else "server",
                symbol="tools",
                message="The source has no public function, so the server has no tools."
                if is_ours
                else "The server lists no tools.",
            )
    yield from _twice(world)


def _source_finding(slug: str, problem: SourceProblem) -> Finding:
    return finding(
        "source-invalid",
        "toolserver",
        slug,
        place=f"{problem.symbol or 'module'}:{problem.line}",
        symbol=problem.symbol or "module",
        message=problem.message,
        evidence={"line": problem.line, "column": problem.column},
    )


def _twice(world: World) -> Iterator[Finding]:
    owner: dict[str, str] = {}
    for slug, server in world.servers.items():
        for name, tool in server.tools.items():
            if name in owner or name in (ASK_USER, "finish"):
                yield finding(
                    "body-invalid",
                    "toolserver",
                    slug,
                    place=f"{name}:{tool.line}",
                    symbol=name,
                    message=f"The tool {name!r} is also one of {owner.get(name, 'the built-in tools')}.",
                )
            owner.setdefault(name, slug)


def _rules(world: World) -> Iterator[Finding]:
    for slug, place, problem in world.clauses.problems:
        yield condition_finding(problem, "rule", slug, place)
    yield from rule_findings(world)


class IntentCheck:
    """The static checks of an intent within its bundle."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.intent: Intent = world.bundle.intent
        self.domain: Domain = world.bundle.domain
        self.slug = world.bundle.manifest.intent.slug
        self.shapes = shapes(self.intent, self.domain)
        self.defined = self.intent.definitions(self.domain)

    def findings(self) -> Iterator[Finding]:
        """Everything, in the order of the file."""
        yield from self._texts()
        yield from self._define()
        yield from self._slots()
        yield from self._script()
        yield from self._goal()
        yield from self._plan()
        unused = uncounted(self.intent.goal, self.intent.unscored)
        if unused:
            texts = [criterion.text for criterion in unused]
            yield self._found("criteria-unused", "unscored", _unused(unused), criteria=texts)

    def _found(self, code: str, place: str, message: str, **evidence: Any) -> Finding:
        return finding(
            code, "intent", self.slug, place=place, symbol=place, message=message, evidence=evidence
        )

    def _template(
        self, place: str, value: Any, also: dict[str, Any] | None = None
    ) -> Iterator[Finding]:
        """What the templates in `value` name that is not there."""
        try:
            paths = placeholders(value)
        except TemplateInvalid as problem:
            yield self._found("body-invalid", place, str(problem))
            return
        unknown = list(self._unknown(place, paths, {**self.shapes, **(also or {})}))
        yield from unknown
        if not unknown and also is None and all(_head(path) in self.world.rows for path in paths):
            yield from self._filled(place, value)

    def _unknown(
        self, place: str, paths: list[str], known: Mapping[str, Shape]
    ) -> Iterator[Finding]:
        for path in paths:
            name, rest = _head(path), path.partition(".")[2]
            if name not in known:
                there = ", ".join(sorted(known)) or "none"
                yield self._found(
                    "name-unknown", place, f"{{{path}}} names {name!r}; there are {there}."
                )
            elif rest and not has_field(known[name], rest):
                yield self._found(
                    "name-unknown", place, f"{{{path}}}: rows of {name!r} have no such field."
                )

    def _filled(self, place: str, value: Any) -> Iterator[Finding]:
        """What the schema allows may still be missing from the very row that is bound."""
        try:
            self.world.rendered(value)
        except TemplateUnfilled as problem:
            too_long = isinstance(problem, TemplateTooLong)
            yield self._found("body-invalid" if too_long else "name-unknown", place, f"{problem}")

    def _texts(self) -> Iterator[Finding]:
        yield from self._template("instruction", self.intent.instruction)
        if self.intent.actor is not None and self.intent.actor not in self.intent.slots:
            yield self._found("name-unknown", "actor", f"There is no slot {self.intent.actor!r}.")
        user = self.intent.user
        if user is not None:
            yield from self._template("user.opens", user.opens or "")
            yield from self._template("user.knows", user.knows)

    def _define(self) -> Iterator[Finding]:
        for name, problem in self.defined.problems():
            yield condition_finding(problem, "intent", self.slug, f"define.{name}")

    def _slots(self) -> Iterator[Finding]:
        for name, slot in self.intent.slots.items():
            place = f"slots.{name}"
            if name in self.domain.define:
                message = (
                    f"{name!r} is a definition of the domain already: name the slot otherwise."
                )
                yield self._found("condition-invalid", place, message)
            if slot.table not in self.domain.tables:
                tables = ", ".join(self.domain.tables)
                message = f"There is no table {slot.table!r}; there are {tables}."
                yield self._found("name-unknown", f"{place}.table", message)
                continue
            for path in slot.match:
                if not has_field(self.shapes[name], path):
                    message = f"Rows of {slot.table} have no field {path!r}."
                    yield self._found("name-unknown", f"{place}.match", message)
            yield from self._template(f"{place}.match", slot.match)
            try:
                where_condition(self.intent, self.domain, name)
            except ConditionInvalid as problem:
                yield condition_finding(problem, "intent", self.slug, f"{place}.where")

    def _script(self) -> Iterator[Finding]:
        lines = self.intent.user.script if self.intent.user else []
        for number, line in enumerate(lines):
            place = f"user.script[{number}]"
            try:
                when_condition(line, self.domain, self.shapes, self.defined)
            except ConditionInvalid as problem:
                yield condition_finding(problem, "intent", self.slug, f"{place}.when")
            yield from self._template(f"{place}.says", line.says)

    def _goal(self) -> Iterator[Finding]:
        for requirement in self.world.goal.problems:
            assert requirement.problem is not None  # noqa: S101  # that is what `problems` are
            yield condition_finding(requirement.problem, "intent", self.slug, requirement.place)
        for number, why in self.world.goal.bad_changes.items():
            yield self._found("body-invalid", f"goal.changes[{number}]", why)
        for number, entry in enumerate(self.intent.goal.changes or ()):
            yield from self._allowance(f"goal.changes[{number}]", entry)
        yield from self._template("goal.mentions", self.intent.goal.mentions)
        for requirement in self.world.goal.conditions:
            for why in impossible(requirement.written_out, self.domain, self.shapes):
                item = self._found("condition-invalid", requirement.place, f"{why}.")
                yield item.model_copy(update={"severity": "warning"})

    def _allowance(self, place: str, entry: str) -> Iterator[Finding]:
        try:
            allowance = Allowance.of(entry)
        except ChangesInvalid:
            return
        shape = row_shape(self.domain, allowance.table)
        if shape is None:
            yield self._found("name-unknown", place, f"There is no table {allowance.table!r}.")
            return
        for field in allowance.fields:
            if not has_field(shape, field):
                message = f"Rows of {allowance.table} have no field {field!r}."
                yield self._found("name-unknown", place, message)
        yield from self._template(place, allowance.key or "")

    def _plan(self) -> Iterator[Finding]:
        key = self.world.plan_key
        if key is None:
            return
        results: dict[str, Any] = {}
        for number, step in enumerate(self.intent.plans[key]):
            place = f"plans.{key}[{number}]"
            if step.call is not None:
                yield from self._plan_call(place, step, results)
            yield from self._template(f"{place}.say", step.say or "", results)
            if step.finish is not None:
                yield from self._template(f"{place}.finish.answer", step.finish.answer, results)
                yield from self._template(f"{place}.finish.message", step.finish.message, results)
                yield from self._answers(f"{place}.finish.answer", step.finish.answer)
            if step.as_:
                results[step.as_] = None

    def _answers(self, place: str, answer: dict[str, Any]) -> Iterator[Finding]:
        for name in answer:
            if name not in self.intent.goal.answer:
                asked = ", ".join(self.intent.goal.answer) or "none"
                yield self._found(
                    "arguments-invalid",
                    place,
                    f"The goal asks for no answer {name!r}; it asks for {asked}.",
                )

    def _plan_call(self, place: str, step: PlanStep, results: dict[str, Any]) -> Iterator[Finding]:
        yield from self._template(f"{place}.args", step.args, results)
        if step.call == ASK_USER and self.intent.is_dialogue:
            return
        if step.call not in self.world.tools:
            if not any(server.problems for server in self.world.servers.values()):
                hint = ": only an intent with a user has it" if step.call == ASK_USER else ""
                yield self._found("name-unknown", place, f"There is no tool {step.call!r}{hint}.")
            return
        why = self._arguments(step)
        if why:
            yield finding(
                "arguments-invalid",
                "intent",
                self.slug,
                place=f"{place}.args",
                symbol=f"plan {step.call}",
                message=why,
                evidence={"tool": step.call, "args": step.args},
            )

    def _arguments(self, step: PlanStep) -> str | None:
        """Why a tool would refuse the arguments whatever their templates become."""
        assert step.call is not None  # noqa: S101  # the caller looked
        _, _, tool = self.world.tools[step.call]
        try:
            open_ones = {name for name, value in step.args.items() if placeholders(value)}
        except TemplateInvalid:
            return None
        properties = tool.schema.get("properties", {})
        unknown = [name for name in step.args if name not in properties]
        missing = [name for name in tool.schema.get("required", ()) if name not in step.args]
        if unknown:
            return (
                f"{step.call} takes no argument {unknown[0]!r}; it takes {', '.join(properties)}."
            )
        if missing:
            return f"{step.call} needs the argument {missing[0]!r}."
        return tool.refuse(step.args) if not open_ones else None


def _unused(criteria: Sequence[Unscored]) -> str:
    kinds = ", ".join(sorted({criterion.kind for criterion in criteria}))
    first = " ".join(criteria[0].text.split())
    more = f" and {len(criteria) - 1} more" if len(criteria) > 1 else ""
    return f"Criteria of the source ({kinds}) that count nowhere: “{first}”{more}."


def _head(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def has_field(schema: Shape, path: str) -> bool:
    """Whether rows of a schema may have `path`; what the schema does not say is allowed."""
    name = _head(path)
    if not schema or "properties" not in schema or schema.get("additionalProperties") is True:
        return True
    if name not in schema["properties"]:
        return False
    inner = schema["properties"][name]
    rest = path.partition(".")[2]
    return not rest or "[" in path.partition(".")[0] or has_field(inner, rest)


def _unbound(world: World, problem: SlotUnbound) -> Finding:
    place = f"slots.{problem.slot}"
    return finding(
        "condition-invalid" if problem.reason == "spent" else "slot-unbound",
        "intent",
        world.bundle.manifest.intent.slug,
        place=f"{place}.where" if problem.reason == "spent" else place,
        symbol=f"{place}.where" if problem.reason == "spent" else problem.slot,
        message=f"{problem}.",
        evidence={"tried": problem.tried, "records": world.bundle.manifest.records.slug},
    )


def _pin(world: World) -> Iterator[Finding]:
    slug = world.bundle.manifest.intent.slug
    if world.unbound is not None:
        if world.unbound.reason != "invalid":  # else the slot's own finding tells
            yield _unbound(world, world.unbound)
        return
    pin = world.bundle.manifest.pin
    pinned = pin.binding if pin else {}
    for name in (each for each in world.rebound if each in pinned):
        was, now = pinned[name], world.binding.get(name, "")
        yield finding(
            "slot-rebound",
            "intent",
            slug,
            place=f"slots.{name}",
            symbol=name,
            message=f"The pinned row {was!r} no longer fits slot {name!r}; {now or 'no row'!r} is bound instead.",
            evidence={"pinned": was, "bound": now},
        )
