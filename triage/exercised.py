"""What took part in the reference's attempt on an environment, told from what is stored: no tool is run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from triage.observations import Location
from worlds.callgraph import callgraph
from worlds.clauses import Asked, CompiledClause, written
from worlds.conditions import ConditionFailed
from worlds.intent import Goal
from worlds.play import forbids
from worlds.retrace import Passed, retraced
from worlds.step import Episode, Step
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody
from worlds.world import World

MOST_ROWS = 200
"""Of one environment: those bound first, then those written, then those read."""


def exercised(world: World, reference: Episode | None) -> frozenset[Location]:
    """The intent's places, and of the attempt (None = there was none): functions that may have run, clauses that
    applied, rows and tables that were touched, invariants of those tables."""
    found = {*_intent(world), *_rows(world, reference), *_contract(world, reference)}
    if reference is not None:
        found.update(_functions(world, reference))
        found.update(_clauses(world, reference))
    return frozenset(found)


# The intent


def _intent(world: World) -> Iterator[Location]:
    intent, slug = world.bundle.intent, world.bundle.manifest.intent.slug
    yield Location("intent", slug)
    for name in intent.slots:
        yield Location("intent", slug, f"slots.{name}")
    for place in _goal(intent.goal):
        yield Location("intent", slug, f"goal.{place}")


def _goal(goal: Goal) -> Iterator[str]:
    """The places that findings and assertions name."""
    yield from (f"require[{number}]" for number, _ in enumerate(goal.require))
    yield from (f"answer.{name}.equals" for name in goal.answer)
    yield from (f"mentions[{number}]" for number, _ in enumerate(goal.mentions))
    given = {
        "outcome": goal.outcome,
        "changes": goal.changes is not None,
        "matches_plan": goal.matches_plan,
    }
    yield from (name for name, there in given.items() if there)


# Tool servers


def _functions(world: World, reference: Episode) -> Iterator[Location]:
    called = {step.tool for step in reference.steps if step.kind == "call"}
    bodies = world.bundle.toolservers
    refs = world.bundle.manifest.toolservers
    told: set[str] = set()
    for ref, body in zip(refs, bodies, strict=True):
        if isinstance(body, ToolServerBody):
            mine = called & ToolServer.of(body).tools.keys()
            told |= mine
            graph = callgraph(body)
            for name in chain(mine, *(graph.reached(tool) for tool in mine)):
                yield Location("toolserver", ref.slug, name)
    yield from _outside(world, called - told)


def _outside(world: World, called: set[str]) -> Iterator[Location]:
    """Which tools an outside server has is not asked: those that no other has are its own where there is only one."""
    refs = zip(world.bundle.manifest.toolservers, world.bundle.toolservers, strict=True)
    outside = [(ref.slug, body) for ref, body in refs if not isinstance(body, ToolServerBody)]
    for slug, body in outside:
        reached = {tool: callgraph(body).reached(tool) for tool in called}
        for tool, names in reached.items():
            if names or len(outside) == 1:
                yield from (Location("toolserver", slug, name) for name in {tool, *names})


# Rules


def _clauses(world: World, reference: Episode) -> Iterator[Location]:
    guards = [each for each in world.clauses.on("write") if each.clause.enforce == "guard"]
    for passed in retraced(world, reference):
        for each, asked in _asked(world, passed):
            if _took_part(each, asked):
                yield Location("rule", each.rule, each.clause.id)
        for each in guards if passed.step.status == "guarded" else ():
            # What a guard takes back leaves no write to be asked about.
            if passed.step.result == forbids(each.clause.quote):
                yield Location("rule", each.rule, each.clause.id)


def _asked(world: World, passed: Passed) -> Iterator[tuple[CompiledClause, Asked]]:
    """Each clause with what it was asked about at a step."""
    clauses, step = world.clauses, passed.step
    for change in step.changes:
        write = Asked(passed.after, written(passed.after, change))
        yield from ((each, write) for each in clauses.on("write"))
    if step.kind == "call":
        call = Asked(passed.before, {"call": {"tool": step.tool, "args": step.args}})
        yield from ((each, call) for each in clauses.on("call"))
    if _speaks(step):
        said = Asked(passed.before, {"said_now": step.text})
        yield from ((each, said) for each in clauses.on("say"))
    if step.kind == "finish":
        last = [step.text] if step.text else []
        end = Asked(replace(passed.before, said=[*passed.before.said, *last]), {})
        yield from ((each, end) for each in clauses.on("end"))


def _speaks(step: Step) -> bool:
    return step.kind in ("say", "finish") and bool(step.text)


def _took_part(clause: CompiledClause, asked: Asked) -> bool:
    """Whether it applied, or could not be decided: then it forbade nothing because of that."""
    try:
        return clause.applies(asked) or clause.failure(asked) is not None
    except ConditionFailed:
        return True


# Records and contract


def _rows(world: World, reference: Episode | None) -> Iterator[Location]:
    slug = world.bundle.manifest.records.slug
    for place in islice(dict.fromkeys(_touched(world, reference)), MOST_ROWS):
        table, _, key = place.partition("/")
        if key in world.base.tables.get(table, ()):
            yield Location("records", slug, place)


def _touched(world: World, reference: Episode | None) -> Iterator[str]:
    slots = world.bundle.intent.slots
    yield from (f"{slots[name].table}/{key}" for name, key in world.binding.items())
    if reference is not None:
        yield from (f"{change['table']}/{change['key']}" for change in reference.diff)
        yield from reference.touched


def _contract(world: World, reference: Episode | None) -> Iterator[Location]:
    tables = {place.partition("/")[0] for place in _touched(world, reference)}
    yield from (Location("domain", "domain", table) for table in tables)
    for invariant in world.bundle.domain.invariants:
        if invariant.table in tables:
            yield Location("domain", "domain", invariant.id)
