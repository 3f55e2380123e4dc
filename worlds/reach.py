"""Goals that nobody can meet, as far as that is proven without a search."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.conditions import Condition, ConditionFailed, View
from worlds.findings import Finding, finding
from worlds.records import Records
from worlds.toolserver import ToolServer
from worlds.world import World

TIME = {"now"}
MOVING = TIME | {"get", "find", "count", "changed"}
"""Functions that may say something else at the end than at the start."""


def unreachable(world: World) -> Iterator[Finding]:
    """Requirements that are false at the start and that no call can change: they look only at the start and at
    constants, or no tool writes at all. (Where a plan is said to do it all the same, what it did tells more.)"""
    start = View(Records(world.base), world.base.clock.now)
    fixed = world.plan_key is None and _writes_nothing(world)
    for requirement in world.goal.require:
        condition = requirement.condition
        if condition is None or condition.functions & (TIME if fixed else MOVING):
            continue
        if _is_false(condition, start, world):
            why = "no tool writes" if fixed else "nothing that it looks at can change"
            yield finding(
                "goal-unreachable",
                "intent",
                world.bundle.manifest.intent.slug,
                severity="blocking",
                place=requirement.place,
                symbol=requirement.place,
                message=f"“{requirement.text}” is false at the start, and {why}.",
                evidence={"text": requirement.text},
            )


def _writes_nothing(world: World) -> bool:
    """Whether it is known of all tools that they change no row."""
    ours = all(isinstance(server, ToolServer) for server in world.servers.values())
    return ours and not any(tool.writes for _, _, tool in world.tools.values())


def _is_false(condition: Condition, start: View, world: World) -> bool:
    try:
        return not condition.holds(start, world.rows)
    except ConditionFailed:
        return False
