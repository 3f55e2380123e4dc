"""The panel: every agent by name, each with an identity."""

from __future__ import annotations

import pytest

from agents import FLOOR, NO_AGENTS, PANEL, PROVER, VERSIONS, UnknownAgent, digest, panel


def test_every_agent_has_a_version_and_a_digest_of_its_own() -> None:
    assert set(VERSIONS) == {*PANEL, *NO_AGENTS}
    assert len({digest(name) for name in VERSIONS}) == len(VERSIONS)


def test_the_prover_is_no_agent_that_a_round_may_let_in() -> None:
    assert PROVER not in PANEL


def test_the_floor_is_made_of_agents_that_never_see_the_plan() -> None:
    assert set(FLOOR) == set(PANEL) - {"reference"}


def test_agents_are_chosen_by_name_and_all_by_default() -> None:
    assert list(panel(["noop"])) == ["noop"]
    assert list(panel()) == list(PANEL)


def test_an_unknown_agent_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownAgent, match="'nobody'; there are reference, noop"):
        panel(["nobody"])
