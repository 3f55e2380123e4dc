"""The goal soundness stage: metamorphic testing of the reference's episode."""

from __future__ import annotations

from dataclasses import dataclass, field

from worlds.counterexample import Counterexample
from worlds.findings import Finding
from worlds.step import Episode
from worlds.toolsession import ToolSession
from worlds.world import World


@dataclass
class Soundness:
    """What the stage showed."""

    findings: list[Finding] = field(default_factory=list)
    counterexamples: list[Counterexample] = field(default_factory=list)


def soundness(world: World, reference: Episode, session: ToolSession) -> Soundness:  # noqa: ARG001
    """Apply every relation to an episode of the reference that has reward 1."""
    return Soundness()
