"""What an agent is to a world: it is briefed, acts, sees what came of it, and acts again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

from worlds.body import Part
from worlds.step import Action, Step


class ToolCard(Part):
    """A tool as an agent sees it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of the arguments."""
    reads_only: bool


class Briefing(Part):
    """All that an agent may see before it acts: never slots, plans, goals or the user's brief."""

    opening: str
    """The instruction, or what the user opens the dialogue with."""
    policy: str
    tools: tuple[ToolCard, ...]
    finish: dict[str, Any]
    """JSON Schema of `finish`."""
    is_dialogue: bool
    now: str


class Agent(Protocol):
    """Who acts. One object lives for one episode."""

    name: ClassVar[str]
    attempts: ClassVar[int]
    """How many attempts make up its check."""

    def begin(self, briefing: Briefing, seed: int, attempt: int) -> Action:
        """The first action."""
        ...

    def go_on(self, steps: Sequence[Step]) -> Action:
        """The next action, after what the last one led to (a call's step; a say and what was heard)."""
        ...
