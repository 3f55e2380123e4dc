"""The controls stage: what the episodes of the reference and of the trivial agents contradict."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.clausefailures import clause_failures
from worlds.enforcement import unenforced
from worlds.findings import Finding
from worlds.grounding import grounding_findings
from worlds.leaks import replay_findings
from worlds.missing import missing_findings
from worlds.reference import ReferenceControl
from worlds.ruleconflict import rule_conflicts
from worlds.step import Episode
from worlds.toolfailures import tool_failures
from worlds.toolsession import ToolSession
from worlds.trivial import trivial_wins
from worlds.world import World
from worlds.writing import read_writes
from worlds.writtenrows import written_findings


def control_findings(
    world: World,
    episodes: Sequence[Episode],
    session: ToolSession,
) -> list[Finding]:
    """All findings of the stage; a defect that several episodes show stands there as often, the
    reference's first."""
    found: list[Finding] = []
    for episode in episodes:
        found += tool_failures(world, episode)
        found += read_writes(world, episode)
        found += written_findings(world, episode)
        found += unenforced(world, episode)
        control = ReferenceControl(world, episode) if episode.agent == "reference" else None
        found += clause_failures(world, episode, session, control.lacking if control else ())
        found += control.findings() if control else ()
    found += trivial_wins(world, episodes)
    found += rule_conflicts(world, episodes, session)
    for reference in (each for each in episodes if each.agent == "reference"):
        found += replay_findings(world, reference, session)
        found += grounding_findings(world, reference, session)
        crashed = {item.place for item in found if item.code == "tool-crash"}
        missing = missing_findings(world, reference, session)
        found += [item for item in missing if item.place not in crashed]
    return found
