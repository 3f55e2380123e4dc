"""Answer keys: what they must say, and that the library judges each episode as its label."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.faults.answerkeys import (
    LEAST,
    LIBRARY,
    IntentKeys,
    Key,
    complaints,
    read_keys,
    unsaid,
)
from tests.library.workplace import DOMAINS
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.intent import PlanStep
from worlds.library import LibraryInvalid, read


def one_of_each(folder: DomainFolder) -> Sequence[EnvironmentSpec]:
    """An environment for each intent and main tool server: the first on each records set."""
    found = {
        (spec.intent, spec.toolservers[0], spec.records): spec
        for spec in reversed(folder.all_environments())
    }
    return list(found.values())


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_intent_has_right_and_wrong_episodes_on_each_of_its_servers(domain: str) -> None:
    (folder,), keys = read(LIBRARY, [domain]), read_keys(domain)
    assert keys.keys() == folder.intents.keys()
    for spec in folder.all_environments():
        mine = [key for key in keys[spec.intent].keys if key.way(spec.toolservers) is not None]
        for label, least in LEAST.items():
            assert sum(key.label == label for key in mine) >= least, (spec.slug, label)


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_verdict_is_the_label(domain: str) -> None:
    (folder,), keys = read(LIBRARY, [domain]), read_keys(domain)
    assert list(complaints(folder, keys, one_of_each(folder))) == []


def test_a_key_whose_verdict_is_not_its_label_is_told() -> None:
    (folder,) = read(LIBRARY, ["helpdesk"])
    spec = next(each for each in folder.all_environments() if each.intent == "hand-over")
    idle = Key(key="idle", label="right", why="", ways={"default": [PlanStep(say="Done.")]})
    said = list(complaints(folder, {"hand-over": IntentKeys(keys=[idle])}, [spec]))
    assert f"helpdesk/{spec.slug} idle: right, but the reward is 0" in said[0]
    assert any("0 wrong, at least 3" in each for each in said)


def test_a_fact_that_nobody_tells_is_told() -> None:
    (folder,) = read(LIBRARY, ["helpdesk"])
    spec = next(each for each in folder.all_environments() if each.intent == "hand-over")
    keys = read_keys("helpdesk")["hand-over"]
    more = keys.model_copy(update={"told": [*keys.told, "the moon landing"]})
    said = list(complaints(folder, {"hand-over": more}, [spec]))
    assert said
    assert all("nobody tells 'the moon landing'" in each for each in said)


def test_facts_are_looked_for_in_the_opening_and_in_all_that_was_heard() -> None:
    rows = {"order": {"id": "O7", "day": "2026-03-26"}}
    told = ["{order.id}", "{order.day}", "Two   Rooms"]
    assert unsaid(told, rows, "About o7:", ["It was 2026-03-26."]) == ["Two   Rooms"]
    assert unsaid(told, rows, "About O7", ["two rooms", "on 2026-03-26"]) == []


def test_a_way_is_chosen_as_a_plan_is() -> None:
    ways = {"default": [PlanStep(say="a")], "portal": [PlanStep(say="b")]}
    key = Key(key="k", label="wrong", why="", ways=ways)
    assert key.way(["desk", "directory"]) == ways["default"]
    assert key.way(["portal", "directory"]) == ways["portal"]
    assert key.model_copy(update={"ways": {"portal": ways["portal"]}}).way(["desk"]) is None


def test_a_misspelt_label_is_refused_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    text = "keys:\n  - key: one\n    label: rigth\n    why: x\n    ways: {}\n"
    (tmp_path / "shop" / "buy.yaml").write_text(text)
    with pytest.raises(LibraryInvalid, match=r"buy\.yaml:3.*rigth"):
        read_keys("shop", tmp_path)
