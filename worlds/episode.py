"""The episode loop: an agent acts in a world until it finishes, or is cut off by us."""

from __future__ import annotations

from worlds.agent import Agent
from worlds.play import Play
from worlds.step import Action, Episode
from worlds.toolsession import ToolSession
from worlds.verdict import judge
from worlds.world import World

STEPS = 200
"""Actions that an attempt may take."""


def play(
    world: World, agent: Agent, session: ToolSession, *, seed: int = 0, attempt: int = 0
) -> Episode:
    """One attempt, judged. Same bundle, seed and actions: the same episode, whatever the process.

    What goes wrong in tools, conditions or plans is recorded in the episode; an exception from here
    is trouble of ours (no sandbox, say), and nothing may be concluded from it.
    """
    attempt_in = Play(world, session)
    try:
        cut = run(attempt_in, agent, agent.begin(world.briefing, seed, attempt))
    finally:
        session.end_attempt()
    return record(attempt_in, agent.name, seed, attempt, cut)


def run(attempt: Play, agent: Agent, action: Action) -> str:
    """Let the agent act, first with `action`, until it finishes (returns "") or is cut off (why)."""
    for _ in range(STEPS):
        steps = attempt.act(action)
        if attempt.finish is not None:
            return ""
        if attempt.exhausted:
            return attempt.exhausted
        action = agent.go_on(steps)
    return f"the agent took {STEPS} actions without finishing"


def record(attempt: Play, agent: str, seed: int, number: int, cut: str) -> Episode:
    """An attempt that has ended, as an episode."""
    return Episode(
        bundle=attempt.world.bundle.digest,
        agent=agent,
        seed=seed,
        attempt=number,
        steps=attempt.steps,
        ended="cut" if cut else "finished",
        cut=cut,
        forbidden=sorted(
            {(index, what) for index, outcome in attempt.forbidden for what in outcome.forbidden}
        ),
        noise=attempt.noise,
        diff=attempt.records.diff(),
        touched=sorted("/".join(place) for place in attempt.records.touched),
        state=attempt.records.digest(),
        verdict=judge(attempt),
    )
