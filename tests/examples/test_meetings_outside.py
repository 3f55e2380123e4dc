"""The meetings with an ordinary MCP server over SQLite: judged as with the tools that run here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.examples.alike import differences, specs
from tests.examples.warm import kept_warm
from worlds.environments import EnvironmentSpec
from worlds.servers import Servers


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The server is started some four hundred times: how long an interpreter takes shows nothing."""
    name, folder = "meetings-sqlite", tmp_path_factory.mktemp("warm")
    with kept_warm("examples.meetings_server.__main__", folder) as command:
        settings = Servers.installed().named(name).model_copy(update={"command": command})
        Servers.install(Servers(servers={name: settings}))
        yield
        Servers.install(None)


@pytest.mark.parametrize("spec", specs(), ids=lambda spec: spec.slug)
def test_an_environment_is_solvable_and_every_episode_the_same_in_steps_state_and_verdict(
    spec: EnvironmentSpec,
) -> None:
    assert differences(spec) == ("solvable", [])


def test_all_environments_of_the_calendar_are_there() -> None:
    assert len(specs()) == 119
