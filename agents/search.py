"""The prover: best-first over calls, with arguments only from what an agent may see.

It never acts on the plan, the slots, the records or the goal's words. The verdict says how far a state is from the goal
and whether an answer is right, and nothing else. So it shows that an environment can be solved, and is
no agent to be compared with others.
"""

from __future__ import annotations

import time

from agents.finishes import Finishes
from agents.seeker import Seeker
from worlds.outside import OutsideServer
from worlds.solving import Proof
from worlds.toolsession import ToolSession
from worlds.world import World

CALLS = 2_000
SECONDS = 40.0
"""A last resort, for tools that are slow: what it cuts off depends on the machine."""


def prove(
    world: World, session: ToolSession, calls: int = CALLS, seconds: float = SECONDS
) -> Proof:
    """Look for a way to meet the goal with at most so many calls. The same world gives the same proof,
    unless time ran out, and then `why` says so."""
    blind = unforkable(world)
    if blind:
        return Proof(None, 0, 0, False, blind)
    seeker = Seeker(world, session, calls)
    finishes = Finishes(world, seeker)
    until = time.monotonic() + seconds
    episode = finishes.after(seeker.start)
    while episode is None and seeker.calls < calls:
        branch = seeker.next()
        if branch is None:
            return Proof(None, seeker.calls, seeker.depth, True)
        episode = finishes.after(branch)
        if episode is None and time.monotonic() > until:
            why = f"the search was stopped after {seconds:g} s and {seeker.calls} calls"
            return Proof(None, seeker.calls, seeker.depth, False, why)
    return Proof(episode, seeker.calls, seeker.depth, False)


def unforkable(world: World) -> str:
    """Which tool server keeps a state that cannot be put back; empty where all can."""
    for slug, server in world.servers.items():
        if isinstance(server, OutsideServer) and not server.settings.capabilities["snapshot"]:
            return f"the state of {slug} cannot be put back"
    return ""
