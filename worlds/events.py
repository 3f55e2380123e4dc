"""What happened in an episode, as clauses are asked about it: each call, write, saying, and the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from worlds.clauses import Asked, Moment, described, written
from worlds.diff import Diff
from worlds.hosts import Host
from worlds.retrace import Passed, retraced
from worlds.rule import Trigger
from worlds.step import Episode, Step
from worlds.toolserver import ToolServer
from worlds.toolsession import ToolSession
from worlds.world import World


@dataclass(frozen=True)
class Event:
    """Something that clauses are asked about."""

    step: Step
    trigger: Trigger
    text: str
    """In short: `update orders/W1#status`, `call of find_order`."""
    asked: Asked


def events(world: World, episode: Episode, session: ToolSession) -> Iterator[Event]:
    """All events of an episode that clauses were asked about, those of writes included that a guard took back."""
    for passed in retraced(world, episode):
        step, before = passed.step, passed.before
        if step.kind == "call" and step.tool in world.tools and step.status != "invalid":
            call = {"call": {"tool": step.tool, "args": step.args}}
            yield Event(step, "call", f"call of {step.tool}", Asked(before, call))
            yield from _writes(world, passed, session)
        if step.kind in ("say", "finish") and step.text:
            yield Event(step, "say", "what is said", Asked(before, {"said_now": step.text}))
        if step.kind == "finish":
            said = [*before.said, step.text] if step.text else before.said
            yield Event(step, "end", "the end", Asked(replace(before, said=said), {}))


def _writes(world: World, passed: Passed, session: ToolSession) -> Iterator[Event]:
    moment, changes = passed.after, passed.step.changes
    if passed.step.status == "guarded" and world.clauses.guard_writes:
        moment, changes = _taken_back(world, passed, session)
    for change in changes:
        asked = Asked(moment, written(moment, change))
        yield Event(passed.step, "write", described(change), asked)


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
