"""The prover on the calendars: most environments are shown solvable without their plan."""

from __future__ import annotations

from pathlib import Path

from agents.search import prove
from worlds.bundle import Bundle
from worlds.commands.prove import without_plan
from worlds.library import read
from worlds.toolsession import ToolSession
from worlds.world import World

FOLDER = read(Path(__file__).parents[2] / "library" / "meetings")[0]
SPECS = [spec for spec in FOLDER.all_environments() if "sqlite" not in spec.slug]
SAMPLE = SPECS[::8]
"""Nobody chose them: every eighth, of all intents and both organisations."""
CALLS = 700
"""Fewer than it may make in earnest, so that this ends soon."""


def bare(slug: str) -> Bundle:
    spec = next(spec for spec in SPECS if spec.slug == slug)
    return without_plan(FOLDER.bundle(spec))


def is_proved(slug: str) -> bool:
    with ToolSession() as session:
        found = prove(World(bare(slug)), session, calls=CALLS)
    return found.episode is not None


def test_most_environments_are_solved_without_their_plan() -> None:
    solved = [spec.slug for spec in SAMPLE if is_proved(spec.slug)]
    assert len(solved) >= 0.7 * len(SAMPLE), f"only {', '.join(solved)}"
