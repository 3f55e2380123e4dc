"""The solving stage: whether an agent that sees only what it may see can get there at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from worlds.counted import counted
from worlds.findings import Finding, finding
from worlds.step import Episode
from worlds.toolsession import ToolSession
from worlds.world import World


@dataclass(frozen=True)
class Proof:
    """What a prover did in a world."""

    episode: Episode | None
    """With reward 1; None where no way was found."""
    calls: int
    depth: int
    """Calls one after another at most."""
    exhausted: bool
    """Whether nothing was left to try; else it was cut off."""
    why: str = ""
    """Why it could not search at all; empty where it could."""


Prover = Callable[[World, ToolSession], Proof]
"""Must be deterministic: the same world, the same proof."""


def solving_findings(world: World, proof: Proof) -> Iterator[Finding]:
    """That no way was found is a warning: the search may have been too short."""
    if proof.episode is None and not proof.why:
        yield finding(
            "goal-unreachable",
            "intent",
            world.bundle.manifest.intent.slug,
            place="goal",
            symbol="goal",
            message=f"No way to meet the goal was found {_searched(proof)}.",
            evidence={"calls": proof.calls, "depth": proof.depth, "exhausted": proof.exhausted},
        )


def _searched(proof: Proof) -> str:
    ended = "nothing was left to try" if proof.exhausted else "the search was cut off"
    if not proof.calls:
        return f"without a call; {ended}"
    far = f"up to {proof.depth} one after another" if proof.depth else "none of which led on"
    return f"with {counted(proof.calls, 'call')}, {far}; {ended}"
