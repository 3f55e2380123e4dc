"""The keys by which results and episodes are shared."""

import pytest

import agents
from triage import recipe
from worlds import check


def test_a_panel_in_another_order_is_the_same_recipe() -> None:
    assert recipe.recipe(["noop", "reference"]) == recipe.recipe(["reference", "noop"])


def test_another_panel_is_another_recipe() -> None:
    assert recipe.recipe(["noop", "reference"]) != recipe.recipe(["reference"])


@pytest.mark.parametrize("part", ["VERSIONS", "LIMITS"])
def test_another_version_of_a_check_or_another_limit_changes_both_keys(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = recipe.recipe(["noop"]), recipe.episode_key("b", "a", 0, 0)
    monkeypatch.setattr(check, part, {**getattr(check, part), "controls": 99})
    after = recipe.recipe(["noop"]), recipe.episode_key("b", "a", 0, 0)
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_another_prover_changes_the_key_of_results_and_has_episodes_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = recipe.recipe(["noop"]), agents.digest(agents.PROVER)
    monkeypatch.setattr(agents, "VERSIONS", {**agents.VERSIONS, agents.PROVER: 99})
    assert recipe.recipe(["noop"]) != before[0]
    assert agents.digest(agents.PROVER) != before[1]


def test_another_engine_changes_the_keys_of_results_and_of_episodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = recipe.recipe(["noop"]), recipe.episode_key("b", "a", 0, 0)
    other = {**recipe.engine(), "monty": "99"}
    monkeypatch.setattr(recipe, "engine", lambda: other)
    after = recipe.recipe(["noop"]), recipe.episode_key("b", "a", 0, 0)
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_keys_differ_in_each_of_their_parts() -> None:
    base = ("bundle", "agent", 0, 0)
    others = [("x", *base[1:]), ("bundle", "x", 0, 0), ("bundle", "agent", 1, 0), (*base[:3], 1)]
    assert len({recipe.episode_key(*key) for key in [base, *others]}) == 5
    keys = [("a", "b", "c"), ("b", "a", "c"), ("a", "b", "d")]
    assert len({recipe.result_key(*key) for key in keys}) == 3
