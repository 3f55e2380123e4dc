"""The settings of outside tool servers: read strictly, and what follows from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from worlds.servers import SHIPPED, Servers, ServerSettings, filled, read
from worlds.source import LibraryInvalid

COMMAND = {"command": ["crm"]}


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "servers.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("servers: {crm: {comand: [crm]}}", ":1: unknown key 'comand' in servers.crm"),
        (
            "servers:\n  crm: {command: [crm], url: 'https://x.example/mcp'}",
            ":2: servers.crm: give either a command or a url",
        ),
        ("servers:\n  crm: {}", ":2: servers.crm: give either a command or a url"),
        ("servers:\n  crm: {url: 'file:///etc'}", "is no address such as"),
        ("servers:\n  crm: {url: 'https://user@x.example/'}", "is no address such as"),
        (
            "servers:\n  crm: {url: 'https://x.example/', reset: restart}",
            "a server at a url cannot be restarted",
        ),
        ("servers:\n  crm:\n    command: [crm]\n    result: value", ":4: servers.crm.result"),
        ("servers:\n  crm: {url: 'http://x:99999/'}", "port out of range"),
        ("servers:\n  crm: {url: 'http://[::1/'}", "invalid IPv6 URL"),
        (
            "servers:\n  crm: {command: [crm], limits: {call_seconds: -1}}",
            "should be greater than 0",
        ),
        (
            "servers:\n  crm: {command: [crm], repair: true}",
            ":2: servers.crm: repair: true needs a command, and the source",
        ),
        (
            "servers:\n  crm: {url: 'https://x.example/', source: crm, repair: true}",
            "repair: true needs a command",
        ),
        ("hosts: [10.0.0.1/8]", "hosts: 10.0.0.1/8 has host bits set"),
        ("servers:\n  crm:\n    command: [crm]\n    reset: never", ":4: servers.crm.reset"),
        (
            "servers:\n  crm: {command: [crm], process: check, state: {sqlite: crm.db}}",
            ":2: servers.crm: process: check needs a database of its own",
        ),
    ],
)
def test_a_mistake_in_the_settings_is_told_with_file_and_line(
    tmp_path: Path, text: str, said: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(LibraryInvalid) as error:
        read(path)
    assert str(path) in str(error.value)
    assert said in str(error.value)


def test_the_settings_that_come_with_the_examples_can_be_read() -> None:
    assert read(SHIPPED).servers["meetings-sqlite"].source_path is not None


def test_the_file_that_the_environment_names_is_used_beside_what_is_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "servers: {crm: {command: [crm]}}")
    monkeypatch.setenv("ENVCURATE_TOOL_SERVERS", str(path))
    Servers.install(None)
    assert list(Servers.installed().servers) == [*read(SHIPPED).servers, "crm"]
    Servers.install(None)


def settings(tmp_path: Path, **said: Any) -> ServerSettings:
    return ServerSettings.model_validate({**COMMAND, "home": str(tmp_path), **said})


def test_what_can_be_done_with_a_server_follows_from_state_and_source(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    nothing = dict.fromkeys(("snapshot", "diff", "coverage", "repair"), False)
    assert settings(tmp_path).capabilities == nothing
    read_only = settings(tmp_path, state={"export": "dump"})
    assert read_only.capabilities == {**nothing, "diff": True}
    whole = settings(tmp_path, state={"sqlite": "{dir}/x.db"}, source="src")
    assert whole.capabilities == {**dict.fromkeys(nothing, True), "repair": False}
    assert settings(tmp_path, source="src", repair=True).capabilities["repair"]
    assert not settings(tmp_path, source="missing", repair=True).capabilities["repair"]


def test_a_server_that_may_be_repaired_is_the_server_that_it_was(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    one, other = (settings(tmp_path, source="src", repair=each) for each in (False, True))
    assert one.identity == other.identity


def test_the_behaviour_is_another_when_settings_version_or_source_are(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "server.py").write_text("one")
    first = settings(tmp_path, source="src").behaviour
    assert settings(tmp_path, source="src").behaviour == first
    (tmp_path / "src" / "server.py").write_text("two")
    second = settings(tmp_path, source="src").behaviour
    (tmp_path / "src" / "more.py").write_text("")
    third = settings(tmp_path, source="src").behaviour
    fourth = settings(tmp_path, source="src", env={"A": "b"}).behaviour
    versions = [settings(tmp_path, version=version).behaviour for version in "12"]
    assert len({first, second, third, fourth, *versions}) == 6


def test_what_is_no_source_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "src" / "__pycache__").mkdir(parents=True)
    before = settings(tmp_path, source="src").behaviour
    (tmp_path / "src" / "__pycache__" / "x.pyc").write_text("")
    (tmp_path / "src" / ".hidden").write_text("")
    assert settings(tmp_path, source="src").behaviour == before


def test_a_source_in_a_hidden_folder_is_a_source_like_any_other(tmp_path: Path) -> None:
    home = tmp_path / ".local"
    (home / "src").mkdir(parents=True)
    (home / "src" / "server.py").write_text("one")
    before = settings(home, source="src").behaviour
    (home / "src" / "server.py").write_text("two")
    assert settings(home, source="src").behaviour != before


def test_nobody_can_say_how_a_server_without_source_and_version_behaves(tmp_path: Path) -> None:
    assert settings(tmp_path).behaviour is None


@pytest.mark.parametrize(
    ("said", "shared"),
    [
        ({**COMMAND, "state": {"sqlite": "{dir}/x.db"}}, False),
        ({**COMMAND, "state": {"sqlite": "/var/x.db"}}, True),
        ({**COMMAND, "state": {"json": "/var/x.json#/db"}}, True),
        ({**COMMAND, "state": {"export": "dump"}}, False),
        ({"url": "https://x.example/mcp"}, True),
    ],
)
def test_a_state_that_is_one_for_all_is_shared(said: dict[str, Any], shared: bool) -> None:
    assert ServerSettings.model_validate(said).is_shared is shared


def test_only_known_words_are_filled_in() -> None:
    value = {"a": ["{dir}/x", "{other}", 3], "b": {"c": "{dir}{dir}"}}
    assert filled(value, {"dir": "D"}) == {"a": ["D/x", "{other}", 3], "b": {"c": "DD"}}


def test_settings_do_not_change(tmp_path: Path) -> None:
    with pytest.raises(ValidationError):
        settings(tmp_path).version = "2"
