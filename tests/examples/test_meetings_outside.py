"""The meetings with an ordinary MCP server over SQLite: judged as with the tools that run here."""

from __future__ import annotations

import pytest

from tests.examples.alike import differences, specs
from worlds.environments import EnvironmentSpec

FIRST = [spec for spec in specs() if spec.seed == 0]


@pytest.mark.parametrize("spec", FIRST, ids=lambda spec: spec.slug)
def test_an_environment_is_solvable_and_every_episode_the_same_in_steps_state_and_verdict(
    spec: EnvironmentSpec,
) -> None:
    assert differences(spec) == ("solvable", [])


def test_every_intent_that_needs_only_the_calendar_is_there() -> None:
    assert len({spec.intent for spec in FIRST}) >= 33
