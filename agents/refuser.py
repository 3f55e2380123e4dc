"""The agent that refuses whatever is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from worlds.agent import Briefing
from worlds.intent import Finish
from worlds.step import Action, Step


class Refuser:
    """Finishes at once: as refused in its first attempt, as handed off in its second."""

    name: ClassVar[str] = "refuser"
    attempts: ClassVar[int] = 2

    def begin(self, briefing: Briefing, seed: int, attempt: int) -> Action:  # noqa: ARG002  # ignores all
        """Refuse or hand off."""
        return Finish(outcome="handed_off" if attempt % 2 else "refused")

    def go_on(self, steps: Sequence[Step]) -> Action:  # noqa: ARG002  # never asked
        """Refuse."""
        return Finish(outcome="refused")
