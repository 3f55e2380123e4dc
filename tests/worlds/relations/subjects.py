"""Episodes taken apart, to try relations and their parts on."""

from __future__ import annotations

from agents.reference import Reference
from worlds.bundle import Bundle
from worlds.episode import play
from worlds.relations.attempts import Attempts
from worlds.relations.subject import Subject
from worlds.replay import actions_of
from worlds.toolsession import ToolSession
from worlds.world import World


def subject_of(made: Bundle) -> Subject:
    """The reference's episode of a bundle."""
    world = World(made)
    with ToolSession() as session:
        episode = play(world, Reference.of(world), session)
        attempts = Attempts(world, session, actions_of(episode.steps))
        return Subject(world, attempts.actions, attempts.run(attempts.actions))
