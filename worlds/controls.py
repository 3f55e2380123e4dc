"""The controls stage: what the episodes of the reference and of the trivial agents contradict."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.findings import Finding
from worlds.reference import ReferenceControl
from worlds.step import Episode
from worlds.toolfailures import tool_failures
from worlds.toolsession import ToolSession
from worlds.trivial import trivial_wins
from worlds.world import World


def control_findings(
    world: World,
    episodes: Sequence[Episode],
    session: ToolSession,  # noqa: ARG001
) -> list[Finding]:
    """All findings of the stage; a defect that several episodes show stands there as often, the
    reference's first."""
    found: list[Finding] = []
    for episode in episodes:
        found += tool_failures(world, episode)
        if episode.agent == "reference":
            found += ReferenceControl(world, episode).findings()
    return [*found, *trivial_wins(world, episodes)]
