"""Calls against what their tools are for: reading ones that write, writing ones that change nothing."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.citation import called, server_of
from worlds.diff import without_volatile
from worlds.findings import Finding, finding
from worlds.step import Episode, Step
from worlds.world import World


def read_writes(world: World, episode: Episode) -> Iterator[Finding]:
    """Tools that are declared to read only (or whose source names no write) and changed rows that count."""
    volatile = world.bundle.domain.volatile
    for step in episode.steps:
        changes = without_volatile(step.changes, volatile) if step.changes else []
        if changes and step.tool in world.tools and not world.tools[step.tool][2].writes:
            first = changes[0]
            yield finding(
                "read-writes",
                "toolserver",
                server_of(world, step),
                place=step.tool,
                symbol=step.tool,
                message=f"{step.tool} is declared to read only, and changed {first['table']}/{first['key']}.",
                evidence=called(world, episode, step),
            )


def idle_steps(world: World, episode: Episode) -> Iterator[Step]:
    """Calls of tools that are known to write, answered without an error, that changed nothing at all."""
    answered = (step for step in episode.steps if step.kind == "call" and step.status == "ok")
    for step in answered if not world.hides_state else ():
        writes = step.tool in world.tools and world.tools[step.tool][2].known_to_write
        if writes and not step.changes:
            yield step
