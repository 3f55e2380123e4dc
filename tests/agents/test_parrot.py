"""The parrot reads what it can reach, within bounds, writes nothing, and repeats it all."""

from __future__ import annotations

from typing import Any

from agents.parrot import CALLS, PER_TOOL, Parrot
from tests.worlds.shop import bundle
from worlds.episode import play
from worlds.step import Episode
from worlds.toolsession import ToolSession
from worlds.world import World


def episode(**changes: Any) -> Episode:
    world = World(bundle(**changes))
    with ToolSession() as session:
        return play(world, Parrot(), session)


def test_it_reads_with_the_words_of_the_request_and_says_what_it_read() -> None:
    found = episode()
    read = [step for step in found.steps if step.status == "ok" and step.kind == "call"]
    assert {step.tool for step in read} == {"find_order", "list_users"}
    assert '"total": 20' in found.steps[-1].text
    assert "Bob" in found.steps[-1].text


def test_it_never_writes() -> None:
    assert episode().diff == []


def test_it_never_makes_the_same_call_twice_and_stops_at_its_bounds() -> None:
    calls = [(s.tool, str(s.args)) for s in episode().steps if s.kind == "call"]
    assert len(calls) == len(set(calls)) <= CALLS
    assert max([name for name, _ in calls].count(tool) for tool, _ in calls) <= PER_TOOL


def test_it_does_the_same_every_time() -> None:
    assert episode().model_dump_json() == episode().model_dump_json()
