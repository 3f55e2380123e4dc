"""Two clauses that demand opposite things of one event: whatever is done, a rule is broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any, get_args

from worlds.cel_tree import parse
from worlds.citation import cited
from worlds.clauses import Asked, CompiledClause, Moment, written
from worlds.contradiction import contradictory
from worlds.diff import Diff
from worlds.findings import Finding, finding
from worlds.hosts import Host
from worlds.retrace import Passed, retraced
from worlds.rule import Trigger
from worlds.step import Episode, Step
from worlds.toolserver import ToolServer
from worlds.toolsession import ToolSession
from worlds.world import World

Pair = tuple[CompiledClause, CompiledClause]


@dataclass(frozen=True)
class Event:
    """Something that clauses are asked about."""

    step: Step
    trigger: Trigger
    moment: Moment
    names: dict[str, Any]


def rule_conflicts(
    world: World, episodes: Sequence[Episode], session: ToolSession
) -> Iterator[Finding]:
    """Pairs of clauses that both applied to one event, of which one held and one did not, and whose trees prove that
    they never hold together."""
    left = {trigger: _opposed(world, trigger) for trigger in get_args(Trigger)}
    for episode in episodes if any(left.values()) else ():
        for event in _events(world, episode, session):
            for pair in [pair for pair in left[event.trigger] if _fire(pair, event)]:
                left[event.trigger].remove(pair)
                yield _finding(episode, event, pair)


def _opposed(world: World, trigger: Trigger) -> list[Pair]:
    return [
        (one, other)
        for one, other in combinations(world.clauses.on(trigger), 2)
        if (one.table is None or other.table is None or one.table == other.table)
        and _exclude(one.require.text, other.require.text)
    ]


@lru_cache(maxsize=8_192)
def _exclude(one: str, other: str) -> bool:
    return contradictory(parse(one), parse(other))


def _fire(pair: Pair, event: Event) -> bool:
    asked = Asked(event.moment, event.names)
    one, other = (clause.stands(asked) for clause in pair)
    return one is not None and other is not None and one is not other


def _events(world: World, episode: Episode, session: ToolSession) -> Iterator[Event]:
    for passed in retraced(world, episode):
        step, before = passed.step, passed.before
        if step.kind == "call" and step.tool in world.tools and step.status != "invalid":
            yield Event(step, "call", before, {"call": {"tool": step.tool, "args": step.args}})
            yield from _writes(world, passed, session)
        if step.kind in ("say", "finish") and step.text:
            yield Event(step, "say", before, {"said_now": step.text})
        if step.kind == "finish":
            said = [*before.said, step.text] if step.text else before.said
            yield Event(step, "end", replace(before, said=said), {})


def _writes(world: World, passed: Passed, session: ToolSession) -> Iterator[Event]:
    moment, changes = passed.after, passed.step.changes
    if passed.step.status == "guarded" and world.clauses.guard_writes:
        moment, changes = _taken_back(world, passed, session)
    for change in changes:
        yield Event(passed.step, "write", moment, written(moment, change))


def _taken_back(world: World, passed: Passed, session: ToolSession) -> tuple[Moment, Diff]:
    """What a call that a guard stopped would have written: our own tools can be asked again."""
    step, before = passed.step, passed.before
    _, server, _ = world.tools[step.tool]
    if not isinstance(server, ToolServer):
        return before, []
    records = before.view.records.fork()
    session.call(server, step.tool, step.args, Host(records, before.view.now))
    changes = records.diff_since(before.view.records.snapshot())
    return replace(before, view=replace(before.view, records=records)), changes


def _finding(episode: Episode, event: Event, pair: Pair) -> Finding:
    one, other = sorted(pair, key=lambda clause: clause.name)
    step = event.step
    what = step.tool or step.kind
    return finding(
        "rule-conflict",
        "rule",
        one.rule,
        place=f"clauses.{one.clause.id}",
        symbol=f"{one.clause.id} × {other.name}",
        message=f"Of step {step.index}, {what}, two clauses demand opposite things: “{_quoted(one)}” ({one.name}) and"
        f" “{_quoted(other)}” ({other.name}).",
        evidence=cited(
            episode, step.index, clauses=[one.name, other.name], tool=step.tool, args=step.args
        ),
    )


def _quoted(clause: CompiledClause) -> str:
    return " ".join(clause.clause.quote.split())
