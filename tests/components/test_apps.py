"""What is wrong with the settings of tool servers is told when anything starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.checks import run_checks

from worlds.servers import VARIABLE, Servers


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    Servers.install(None)
    yield
    Servers.install(None)


def test_a_mistake_in_the_tool_servers_file_is_an_error_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "servers.yaml"
    path.write_text("servers:\n  crm: {commando: [x]}\n")
    monkeypatch.setenv(VARIABLE, str(path))
    (error,) = [item for item in run_checks() if item.id == "components.E001"]
    assert f"{path}:2: unknown key 'commando'" in error.msg


def test_a_file_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/no/such/file.yaml")
    assert [item.id for item in run_checks()] == ["components.E001"]


def test_what_comes_with_envcurate_is_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert run_checks() == []
