"""Pins: the rows that an environment speaks of, and the effect that its plan has, fixed when it is composed."""

from __future__ import annotations

from dataclasses import replace

from agents.reference import Reference
from worlds.bundle import Bundle, Pin
from worlds.diff import Diff
from worlds.episode import run
from worlds.play import Play
from worlds.records import RecordsInvalid
from worlds.toolsession import ToolSession
from worlds.verdict import effect
from worlds.world import World


def pin(bundle: Bundle) -> Pin:
    """The pin of a bundle that has none. Never raises for what is wrong with the bundle: a slot that
    finds no row, or a plan that cannot be played, leaves its part empty, and the check says so."""
    unpinned = replace(bundle, manifest=bundle.manifest.model_copy(update={"pin": None}))
    try:
        world = World(unpinned)
    except RecordsInvalid:
        return Pin()
    if not bundle.intent.goal.matches_plan or world.unbound or world.plan_key is None:
        return Pin(binding=world.binding)
    return Pin(binding=world.binding, effect=planned_effect(world))


def planned_effect(world: World) -> Diff:
    """What the plan of a world changes, as a pin holds it."""
    with ToolSession() as session:
        attempt, agent = Play(world, session), Reference.of(world)
        run(attempt, agent, agent.begin(world.briefing, 0, 0))
        return effect(attempt)
