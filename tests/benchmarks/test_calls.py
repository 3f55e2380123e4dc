"""What is measured is the same work: the floor answers as the sandbox does, on records of any size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks import calls
from benchmarks.calls import (
    Calls,
    Copied,
    Sandboxed,
    Size,
    headline,
    measure,
    multiplied,
    office,
    on_records,
    reference_calls,
)
from benchmarks.panel import bundles
from worlds.bundle import Bundle
from worlds.canonical import canonical
from worlds.toolsession import ToolSession
from worlds.world import World

RETAIL = bundles()[:6]
ROWS = 9_000


@pytest.fixture(scope="module")
def session() -> Iterator[ToolSession]:
    with ToolSession() as opened:
        yield opened


@pytest.mark.parametrize("bundle", [*office(12), *RETAIL], ids=lambda b: b.manifest.intent.slug)
def test_the_floor_answers_as_the_sandbox_does_and_leaves_the_same_rows(
    bundle: Bundle, session: ToolSession
) -> None:
    world = World(bundle)
    made = reference_calls(world, session)
    ours, floor = Sandboxed(world, session), Copied(world)
    ours.reset()
    floor.reset()
    for tool, args in made:
        ours.call(tool, args)
        assert canonical(floor.call(tool, args)) == canonical(ours.play.steps[-1].result)
    for table, rows in floor.db.tables.items():
        records = ours.play.records
        assert canonical(rows) == canonical(
            {key: records.get(table, key) for key in records.keys(table)}
        )


def test_an_attempt_of_the_floor_begins_with_the_rows_as_they_were() -> None:
    world = World(RETAIL[0])
    floor = Copied(world)
    for _ in range(2):
        floor.reset()
        key, row = next(iter(floor.db.tables["orders"].items()))
        assert "spoilt" not in row
        row["spoilt"] = True
    assert "spoilt" not in world.base.tables["orders"][key]


def test_on_more_rows_the_same_calls_are_answered_alike(session: ToolSession) -> None:
    large = multiplied(RETAIL[0].records, ROWS)
    assert ROWS - 1_500 <= sum(map(len, large.tables.values())) <= ROWS
    for bundle in RETAIL[:2]:
        assert answers(on_records(bundle, large), session) == answers(bundle, session)


def answers(bundle: Bundle, session: ToolSession) -> list[tuple[str, Any]]:
    world = World(bundle)
    ours = Sandboxed(world, session)
    ours.reset()
    made: Calls = reference_calls(world, session)
    for tool, args in made:
        ours.call(tool, args)
    return [(step.tool, step.result) for step in ours.play.steps]


def test_each_way_has_a_row_and_the_headline_compares_them(
    session: ToolSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "ATTEMPTS", 2)  # what a figure is worth is not shown here
    rows = measure(Size("toy", office(2), outside="meetings-sqlite"), session)
    assert [row["way"] for row in rows] == ["Envcurate", "deep-copied dict", "outside server"]
    assert all(row["resets_per_second"] > 0 and row["calls_per_second"] > 0 for row in rows)
    assert set(headline(rows)) == {
        "checks_per_second, toy",
        "resets over floor, toy",
        "calls over floor, toy",
    }
