"""Counterexamples: wrong episodes that were accepted and right ones that were refused, kept to be judged again."""

from __future__ import annotations

from typing import Any, Literal

from worlds.body import Part
from worlds.replay import replay
from worlds.step import Action, Episode, Status
from worlds.toolsession import ToolSession
from worlds.world import World


class Counterexample(Part):
    """Actions with the values that they used, and the reward that they should have."""

    label: Literal["relation", "person"]
    """Who says that the reward is wrong: a metamorphic relation, or somebody who read the episode."""
    name: str
    """The relation's, or who it was that acted."""
    should: Literal[0, 1]
    actions: list[Action]
    statuses: list[Status]
    """How its calls ended when it was found, in their order."""
    edits: list[dict[str, Any]] = []
    """What no tool wrote, as a diff, before the finish."""

    def judged(self, world: World, session: ToolSession) -> Episode | None:
        """The episode today; None where it is not applicable: a call does not end as it did."""
        episode = replay(world, session, self.actions, self.edits, "counterexample")
        ended = [step.status for step in episode.steps if step.kind == "call"]
        return episode if ended == self.statuses and episode.verdict is not None else None
