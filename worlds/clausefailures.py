"""Clauses that could not be asked about what happened: whoever wrote them believes that they hold, and they do not."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from worlds.citation import cited
from worlds.clauses import CompiledClause, Failure
from worlds.events import Event, events
from worlds.findings import Finding, finding
from worlds.step import Episode
from worlds.toolsession import ToolSession
from worlds.world import World


def clause_failures(
    world: World, episode: Episode, session: ToolSession, skip: Collection[int] = ()
) -> Iterator[Finding]:
    """The first failure of each clause in an episode, but for the steps of `skip`."""
    known: set[str] = set()
    for event in events(world, episode, session):
        for clause in () if event.step.index in skip else world.clauses.on(event.trigger):
            failure = None if clause.name in known else clause.failure(event.asked)
            if failure is not None:
                known.add(clause.name)
                yield _finding(episode, event, clause, failure)


def _finding(episode: Episode, event: Event, clause: CompiledClause, failure: Failure) -> Finding:
    step = event.step
    what = step.tool or step.kind
    return finding(
        "condition-invalid",
        "rule",
        clause.rule,
        place=f"clauses.{clause.clause.id}",
        symbol=clause.clause.id,
        message=f"`{failure.part}` of the clause {clause.name} failed at {event.text} (step {step.index}, {what}):"
        f" {failure.why}.",
        evidence=cited(episode, step.index, clause=clause.name, part=failure.part),
    )
