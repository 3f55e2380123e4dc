"""Repairs of planted faults, judged by keys and sequences of calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.attribution import faults
from benchmarks.faults.harm import Sound
from benchmarks.faults.judged import Judge
from benchmarks.faults.planting import Planter
from benchmarks.faults.split import read_split
from tests.benchmarks.faults.test_split import opened
from worlds.body import Body
from worlds.intent import Intent
from worlds.toolserver_body import ToolServerBody

SERVER = "write-dropped"
"""An operator that plants in the source of a tool server."""


@pytest.fixture(scope="module")
def planter() -> Planter:
    return Planter("development", "helpdesk")


@pytest.fixture(scope="module")
def sound(planter: Planter) -> Sound:
    return Sound(planter.folder)


def judge_of(planter: Planter, sound: Sound, name: str) -> Iterator[tuple[Judge, Any]]:
    """A judge of a planted fault, with its only culprit."""
    rows = [row for row in faults("development") if row["domain"] == "helpdesk"]
    row = next(row for row in rows if row["name"] == name)
    fault = planter.fault(row["name"], row["place"])
    with planter.planted([fault]) as folder:
        specs = sound.concerned(fault.culprits, fault.touches)
        yield Judge(sound, folder, fault.culprits, specs), fault.culprits[0]


@pytest.fixture(scope="module")
def server(planter: Planter, sound: Sound) -> Iterator[tuple[Judge, Any]]:
    yield from judge_of(planter, sound, SERVER)


@pytest.fixture(scope="module")
def intent(planter: Planter, sound: Sound) -> Iterator[tuple[Judge, Any]]:
    yield from judge_of(planter, sound, "goal-vacuous")


def body(sound: Sound, name: Any) -> Body:
    file = sound.folder.file(*name)
    assert file is not None
    said: Body = file.body
    return said


def test_the_sound_server_in_place_of_the_faulted_one_is_right(
    sound: Sound, server: tuple[Judge, Any]
) -> None:
    judge, name = server
    said = judge.judged({name: body(sound, name)})
    assert (said.keys_hold, said.calls_agree, said.same) == (True, True, True)
    assert (said.broken, said.harm) == ([], "")


def test_another_text_that_does_the_same_is_right_and_not_the_same(
    sound: Sound, server: tuple[Judge, Any]
) -> None:
    judge, name = server
    original = body(sound, name)
    assert isinstance(original, ToolServerBody)
    reworded = ToolServerBody(source=f"{original.source}\n\nSPARE = 1\n")
    said = judge.judged({name: reworded})
    assert (said.keys_hold, said.calls_agree, said.same) == (True, True, False)


def test_a_server_that_is_left_as_it_was_is_not_repaired_and_breaks_nothing_new(
    server: tuple[Judge, Any],
) -> None:
    judge, name = server
    file = judge.faulted.file(*name)
    assert file is not None
    said = judge.judged({name: file.body})
    assert not (said.keys_hold and said.calls_agree)
    assert said.harm
    assert said.broken == []


def test_a_change_elsewhere_does_not_hide_that_the_server_still_answers_otherwise(
    sound: Sound, server: tuple[Judge, Any]
) -> None:
    judge, _ = server
    other = ("toolserver", "directory")
    assert judge.judged({other: body(sound, other)}).calls_agree is False  # type: ignore[dict-item]


def test_of_an_intent_no_calls_are_compared(sound: Sound, intent: tuple[Judge, Any]) -> None:
    judge, name = intent
    said = judge.judged({name: body(sound, name)})
    assert (said.keys_hold, said.calls_agree, said.same) == (True, None, True)


def test_a_goal_that_nothing_meets_breaks_episodes_that_were_right(
    sound: Sound, intent: tuple[Judge, Any]
) -> None:
    judge, name = intent
    content = body(sound, name).content()
    content["goal"]["require"] = ["false"]
    said = judge.judged({name: Intent.parse(content)})
    assert not said.keys_hold
    assert any("right, but its reward is 0" in each.says for each in said.broken)


def test_what_the_loader_refuses_holds_no_key(sound: Sound, intent: tuple[Judge, Any]) -> None:
    judge, _ = intent
    (slug, records), *_ = sound.folder.records.items()
    content = json.loads(json.dumps(records.body.content()))
    table = next(iter(content["tables"]))
    content["tables"][table].append({})
    name = ("records", slug)
    said = judge.judged({name: type(records.body).model_validate(content)})  # type: ignore[dict-item]
    assert not said.keys_hold
    assert said.harm.startswith("it cannot be loaded")


JUDGE = """
from benchmarks.attribution import faults
from benchmarks.faults.harm import Sound
from benchmarks.faults.judged import Judge
from benchmarks.faults.planting import Planter

planter = Planter("{half}", "{domain}")
row = next(row for row in faults("{half}") if row["domain"] == "{domain}" and row["kind"] == "intent")
fault = planter.fault(row["name"], row["place"])
sound = Sound(planter.folder)
with planter.planted([fault]) as folder:
    specs = sound.concerned(fault.culprits, fault.touches)[:1]
    name = fault.culprits[0]
    Judge(sound, folder, fault.culprits, specs).judged({{name: planter.folder.file(*name).body}})
"""


def test_work_on_development_opens_no_held_out_file() -> None:
    split = read_split()
    files = opened(JUDGE.format(half="development", domain="helpdesk"))
    assert files & set(split.development.files())
    assert not files & set(split.heldout.files())
