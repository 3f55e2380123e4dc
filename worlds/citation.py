"""What findings about episodes cite, and whom they blame for a call."""

from __future__ import annotations

from typing import Any

from worlds.step import Episode, Step
from worlds.world import World

FAILED = ("crashed", "limit")
"""How a call ends that is the tool's fault."""


def cited(episode: Episode, step: int | None = None, **more: Any) -> dict[str, Any]:
    """Evidence that opens an episode, at a step."""
    return {
        "agent": episode.agent,
        "attempt": episode.attempt,
        **({"step": step} if step is not None else {}),
        **more,
    }


def server_of(world: World, step: Step) -> str:
    """The slug of the tool server that a call went to; empty where there is no such tool."""
    return world.tools[step.tool][0] if step.tool in world.tools else ""


def called(world: World, episode: Episode, step: Step, **more: Any) -> dict[str, Any]:
    """Evidence that opens an episode at a call: with the tool, what it was given, and where it stands in its source."""
    line = world.tools[step.tool][2].line if step.tool in world.tools else 0
    place = {"line": line} if line else {}
    return cited(episode, step.index, tool=step.tool, args=step.args, **place, **more)
