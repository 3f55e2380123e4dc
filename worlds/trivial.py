"""The trivial agents: a goal that they meet asks for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worlds.citation import cited
from worlds.findings import Finding, finding
from worlds.step import Episode
from worlds.world import World


def trivial_wins(world: World, episodes: Sequence[Episode]) -> Iterator[Finding]:
    """A goal that doing nothing meets is also met by refusing and by reading: then only the first is told."""
    winners = [
        e for e in episodes if e.agent != "reference" and e.verdict and e.verdict.reward == 1
    ]
    vacuous = [episode for episode in winners if episode.agent == "noop"]
    for episode in vacuous or winners:
        code, did = {
            "noop": ("goal-vacuous", "does nothing"),
            "refuser": ("goal-trivial", "refuses at once"),
            "parrot": ("goal-trivial", "reads and repeats all it can"),
        }.get(episode.agent, ("", ""))
        if code:
            beyond = sorted({each.kind for each in world.bundle.intent.unscored if each.counts})
            yield finding(
                code,
                "intent",
                world.bundle.manifest.intent.slug,
                severity="warning" if beyond else "blocking",
                place="goal",
                symbol="goal",
                message=f"An agent that {did} meets the goal: {_why(world, episode)}{_beyond(beyond)}",
                evidence=cited(episode),
            )


def _beyond(kinds: Sequence[str]) -> str:
    """What may tell such an agent from others where the intent came from."""
    if not kinds:
        return ""
    return f" (Where it came from, what nothing here can judge counts as well: {', '.join(kinds)}.)"


def _why(world: World, episode: Episode) -> str:
    goal = world.bundle.intent.goal
    pin = world.bundle.manifest.pin
    if goal.matches_plan and pin is not None and pin.effect == []:
        return "the plan changes nothing, and the goal asks only that nothing else changes."
    held = [item.text for item in episode.verdict.assertions] if episode.verdict else []
    return f"it asks for {'; '.join(held[:4]) or 'nothing'}."
