"""Tools that fail, whatever the agent: crashes, limits, forbidden things, noise."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.citation import FAILED, cited, server_of
from worlds.findings import Finding, finding
from worlds.step import Episode, Step
from worlds.world import World


def tool_failures(world: World, episode: Episode) -> Iterator[Finding]:
    """What the tools of an episode did that no tool may do."""
    for step in episode.steps:
        if step.status in FAILED:
            yield _failed_call(world, episode, step)
    for index, what in episode.forbidden:
        step = episode.steps[index]
        yield finding(
            "source-invalid",
            "toolserver",
            server_of(world, step),
            place=step.tool,
            symbol=step.tool,
            message=f"{step.tool} tried something forbidden: {what}.",
            evidence=cited(episode, index, tool=step.tool, args=step.args),
        )
    for index, line in episode.noise[:1]:
        step = episode.steps[index]
        yield finding(
            "source-invalid",
            "toolserver",
            server_of(world, step),
            severity="warning",
            place="server",
            symbol="stdout",
            message=f"During {step.tool} the server wrote to stdout what is no message: {line!r}.",
            evidence=cited(episode, index, tool=step.tool, args=step.args),
        )


def _failed_call(world: World, episode: Episode, step: Step) -> Finding:
    crashed = step.status == "crashed"
    function = step.function or step.tool
    return finding(
        "tool-crash" if crashed else "limit-exceeded",
        "toolserver",
        server_of(world, step),
        place=f"{function}:{step.line}" if step.line else function,
        symbol=function,
        message=f"{step.tool} {'crashed' if crashed else 'was stopped'}: {step.result}",
        evidence=cited(episode, step.index, tool=step.tool, args=step.args, line=step.line),
    )
