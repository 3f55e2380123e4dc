"""The lines that an episode executes; and that noting them changes nothing else."""

from __future__ import annotations

import ast
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.reference import Reference
from tests.worlds.shop import SOURCE, bundle
from worlds.coverage import CoverSession, covered, instrumented
from worlds.episode import play
from worlds.intent import Finish
from worlds.library import read
from worlds.replay import actions_of, replay
from worlds.step import Action, Call, Episode
from worlds.toolserver_body import ToolServerBody
from worlds.toolsession import ToolSession
from worlds.world import World

LIBRARY = Path(__file__).parents[2] / "library"


def reference(world: World) -> Episode:
    with ToolSession() as session:
        return play(world, Reference.of(world), session)


def plain(episode: Episode) -> dict[str, Any]:
    """An episode without the lines at which tools failed."""
    said: dict[str, Any] = episode.model_dump(mode="json", exclude={"agent"})
    for step in said["steps"]:
        del step["line"]
    return said


def both(world: World, actions: Sequence[Action]) -> tuple[dict[str, Any], dict[str, Any]]:
    with ToolSession() as session, CoverSession() as covering:
        without, noted = replay(world, session, actions), replay(world, covering, actions)
    return plain(without), plain(noted)


def lines(source: str, *texts: str) -> set[int]:
    return {number for number, line in enumerate(source.split("\n"), 1) if line.strip() in texts}


def test_every_statement_that_ran_is_noted_and_none_that_did_not() -> None:
    world = World(bundle())
    found = covered(world, actions_of(reference(world).steps))
    in_find = lines(
        SOURCE, 'order = db.get("orders", order_id)', "if order is None:", "return order"
    )
    assert {line.line for line in found if line.function == "find_order"} == in_find
    assert {line.function for line in found} == {"find_order", "cancel_order"}
    assert {line.server for line in found} == {"shop"}
    refused = lines(SOURCE, 'raise ValueError("There is no such order.")')
    assert not refused & {line.line for line in found}
    missing = covered(world, [Call(tool="find_order", args={"order_id": "W9"}), Finish()])
    assert refused < {line.line for line in missing}
    assert covered(world, [Finish()]) == frozenset()


def test_a_call_that_crashes_or_runs_too_long_is_noted_up_to_there() -> None:
    source = dedent('''
        def crash(n: int) -> int:
            """Crash."""
            x = 1
            y = x / n
            return y

        def endless(n: int) -> int:
            """Never end."""
            while n == n:
                n = n + 1
            return n
    ''')
    world = World(bundle(source=source))
    crashed = covered(world, [Call(tool="crash", args={"n": 0}), Finish()])
    assert {line.line for line in crashed} == {4, 5}
    without, noted = both(world, [Call(tool="crash", args={"n": 0}), Finish()])
    assert without == noted
    endless = covered(world, [Call(tool="endless", args={"n": 0}), Finish()])
    assert {line.line for line in endless} <= {10, 11}


def test_what_ran_when_the_source_was_loaded_is_not_what_an_episode_executes() -> None:
    source = '''"""A module."""
from __future__ import annotations

def _table() -> dict:
    return {"a": 1}

TABLE = _table()

def look(name: str) -> int:
    """Look."""
    if name == "b":
        return 2
    elif name == "a":
        found = TABLE[name]
    else:
        found = 0
    return found
'''
    world = World(bundle(source=source))
    found = covered(world, [Call(tool="look", args={"name": "a"}), Finish()])
    assert {line.line for line in found} == {11, 13, 14, 17}
    assert {line.function for line in found} == {"look"}


def test_a_long_chain_of_alternatives_stays_one() -> None:
    chain = "\n".join(f"    elif n == {number}:\n        x = {number}" for number in range(300))
    made = instrumented(ast.parse(f"def tool(n):\n    if n < 0:\n        x = 0\n{chain}\n"))
    assert max(len(line) - len(line.lstrip()) for line in made.split("\n")) == 8


def test_randomness_starts_as_without_notes() -> None:
    source = dedent('''
        import random

        def draw(most: int) -> int:
            """Draw."""
            return random.randint(0, most)
    ''')
    without, noted = both(World(bundle(source=source)), [Call(tool="draw", args={"most": 10**9})])
    assert without == noted


@cache
def worlds(slug: str) -> list[World]:
    """A few worlds of a development domain whose servers are all written in Python."""
    (folder,) = read(LIBRARY, [slug])
    specs = folder.all_environments()
    made = (folder.bundle(spec, folder.pins.get(spec.slug)) for spec in specs[:: len(specs) // 12])
    ours = (each for each in made if all(isinstance(b, ToolServerBody) for b in each.toolservers))
    return [World(each) for each in ours][:6]


@pytest.mark.parametrize("slug", ["meetings", "helpdesk"])
def test_noting_changes_no_episode_of_the_library_and_costs_little(slug: str) -> None:
    spent = {"plain": 0.0, "noting": 0.0}
    for world in worlds(slug):
        actions = actions_of(reference(world).steps)
        assert covered(world, actions)
        without, noted = both(world, actions)
        assert without == noted
        for name, kind in (("plain", ToolSession), ("noting", CoverSession)):
            with kind() as session:
                began = time.perf_counter()
                replay(world, session, actions)
                spent[name] += time.perf_counter() - began
    assert spent["noting"] < 5 * spent["plain"]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_noting_changes_no_call_however_mistaken(data: st.DataObject) -> None:
    world = data.draw(st.sampled_from([*worlds("meetings"), *worlds("helpdesk")]))
    known = [key for table in world.base.tables.values() for key in list(table)[:4]]
    texts = st.sampled_from([*known, "2025-03-04", "2025-03-04T09:00:00+00:00", "", "nobody"])
    values = {"integer": st.integers(-2, 40), "boolean": st.booleans(), "number": st.integers(0, 9)}

    def call() -> Call:
        name = data.draw(st.sampled_from(sorted(world.tools)))
        properties = world.tools[name][2].schema.get("properties", {})
        args = {
            argument: data.draw(
                st.sampled_from(schema["enum"])
                if "enum" in schema
                else st.lists(texts, max_size=2)
                if schema.get("type") == "array"
                else values.get(str(schema.get("type")), texts)
            )
            for argument, schema in properties.items()
        }
        return Call(tool=name, args=args)

    actions = [call() for _ in range(data.draw(st.integers(1, 6)))]
    without, noted = both(world, [*actions, Finish()])
    assert without == noted
