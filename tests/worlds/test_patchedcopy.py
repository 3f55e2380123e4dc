"""An outside server runs from a patched copy of its source, and the source stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import outside
from worlds.callgraph import callgraph
from worlds.outside import OutsideServer
from worlds.patch import patch_of
from worlds.patchedcopy import KEPT, settings_of
from worlds.servers import Servers, ServerSettings, ServerUnavailable
from worlds.toolserver_body import OutsideBody

SHOP = Path(outside.__file__).with_name("outside_shop.py").read_text()


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    yield
    Servers.install(None)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A working folder: a program that starts the source beside it, and other things."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text("")
    (tmp_path / "shop" / "server.py").write_text(SHOP)
    (tmp_path / "shop" / "words.txt").write_text("one\n")
    (tmp_path / "run.py").write_text(
        "import runpy, sys\nsys.argv[1:] = ['memory']\n"
        "runpy.run_module('shop.server', run_name='__main__', alter_sys=False)\n"
    )
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "big.bin").write_bytes(b"\xff\x00")
    return tmp_path


def named(home: Path, **said: Any) -> ServerSettings:
    meant = {
        "command": ["{python}", "run.py"],
        "source": "shop",
        "repair": True,
        "home": str(home),
        "limits": outside.QUICK,
    }
    made = ServerSettings.model_validate({**meant, **said})
    outside.install(shop=made)
    return made


def patched(home: Path, after: str = SHOP.replace('"misbehave"', '"behave"')) -> OutsideBody:
    patch = patch_of({"server.py": SHOP}, {"server.py": after})
    return OutsideBody(server="shop", patch=patch)


def tools(body: OutsideBody) -> set[str]:
    return set(OutsideServer.of(body).tools)


def files(home: Path) -> dict[str, bytes]:
    found = (path for path in home.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {str(path.relative_to(home)): path.read_bytes() for path in found}


def test_the_server_runs_with_the_patch_and_its_source_is_as_it_was(home: Path) -> None:
    named(home)
    before = files(home)
    assert "misbehave" in tools(OutsideBody(server="shop"))
    assert "behave" in tools(patched(home))
    assert "misbehave" not in tools(patched(home))
    assert files(home) == before


@pytest.mark.parametrize(
    "said",
    [
        {"command": ["{python}", "-m", "shop.server", "memory"]},
        {"command": ["{python}", "server.py", "memory"], "folder": "shop", "source": "."},
        {"command": ["{python}", "-S", "HOME/shop/server.py", "memory"], "source": "HOME/shop"},
        {
            "command": ["{python}", "HOME/shop/server.py", "memory"],
            "source": "HOME/shop",
            "folder": "data",
        },
        {"command": ["{python}", "shop/server.py", "memory"], "source": "shop/server.py"},
        {
            "command": ["{python}", "-m", "shop.server", "memory"],
            "source": "HOME/shop",
            "folder": "data",
            "env": {"PYTHONPATH": "HOME"},
        },
    ],
    ids=["module", "in its folder", "by its path", "elsewhere", "one file", "not found"],
)
def test_it_is_found_wherever_the_command_looks_for_it_or_said_not_to_be(
    home: Path, said: dict[str, Any]
) -> None:
    def placed(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("HOME", str(home))
        return [placed(each) for each in value]

    meant = {
        key: {name: placed(each) for name, each in value.items()}
        if isinstance(value, dict)
        else placed(value)
        for key, value in said.items()
    }
    named(home, **meant)
    before = files(home)
    if "env" in said:
        with pytest.raises(ServerUnavailable, match="neither command nor env name it"):
            tools(patched(home))
    else:
        assert "behave" in tools(patched(home))
    assert files(home) == before


def test_what_stands_beside_the_source_is_there_and_not_copied(home: Path) -> None:
    named(home)
    copy = settings_of(patched(home)).working_folder
    assert (copy / "data").is_symlink()
    assert (copy / "data" / "big.bin").read_bytes() == b"\xff\x00"
    assert not (copy / "shop").is_symlink()
    assert not (copy / "run.py").is_symlink(), "Python looks beside where a program really stands"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"repair": False}, "they want repair: true"),
        ({"source": "missing"}, "a source that is there"),
    ],
)
def test_where_the_settings_do_not_say_so_no_patch_runs(
    home: Path, said: dict[str, Any], why: str
) -> None:
    named(home, **said)
    with pytest.raises(ServerUnavailable, match=why):
        OutsideServer.of(patched(home))


def test_a_patch_that_does_not_fit_the_source_as_it_is_runs_nothing(home: Path) -> None:
    named(home)
    body = patched(home)
    (home / "shop" / "server.py").write_text("\n" + SHOP)
    with pytest.raises(ServerUnavailable, match=r"server\.py says something else from line"):
        OutsideServer.of(body)


def test_a_patch_reaches_nothing_through_a_link(home: Path, tmp_path_factory: Any) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "a.py").write_text("one\n")
    (home / "shop" / "away").symlink_to(elsewhere)
    (home / "shop" / "b.py").symlink_to(elsewhere / "a.py")
    named(home)
    for path in ("away/a.py", "b.py"):
        patch = patch_of({path: "one\n"}, {path: "two\n"})
        with pytest.raises(ServerUnavailable, match="behind, a link"):
            settings_of(OutsideBody(server="shop", patch=patch))
    new = patch_of({}, {"away/new.py": "x\n"})
    with pytest.raises(ServerUnavailable, match="behind, a link"):
        settings_of(OutsideBody(server="shop", patch=new))
    assert [path.name for path in elsewhere.iterdir()] == ["a.py"]


def test_a_patch_does_not_touch_what_is_no_text(home: Path) -> None:
    (home / "shop" / "words.txt").write_bytes(b"\xff\n")
    named(home)
    patch = patch_of({"words.txt": "one\n"}, {"words.txt": "two\n"})
    with pytest.raises(ServerUnavailable, match="cannot be run from a patched copy"):
        settings_of(OutsideBody(server="shop", patch=patch))


def test_a_source_that_is_one_file_has_that_one_to_patch(home: Path) -> None:
    named(home, source="run.py")
    patch = patch_of({"shop/words.txt": "one\n"}, {"shop/words.txt": "two\n"})
    with pytest.raises(ServerUnavailable, match=r"the source is the one file run\.py"):
        settings_of(OutsideBody(server="shop", patch=patch))


def test_a_copy_is_made_once_and_anew_when_the_source_changed(home: Path) -> None:
    named(home)
    patch = patch_of({"words.txt": "one\n"}, {"words.txt": "two\n"})
    body = OutsideBody(server="shop", patch=patch)
    first = settings_of(body).working_folder
    assert settings_of(body).working_folder == first
    (home / "shop" / "server.py").write_text("# another\n")
    second = settings_of(body).working_folder
    assert second != first
    assert (second / "shop" / "server.py").read_text() == "# another\n"


def test_of_many_copies_the_oldest_go_and_come_again(home: Path) -> None:
    named(home)
    bodies = [
        OutsideBody(server="shop", patch=patch_of({"words.txt": "one\n"}, {"words.txt": f"{n}\n"}))
        for n in range(KEPT + 1)
    ]
    folders = [settings_of(body).working_folder for body in bodies]
    assert [path.is_dir() for path in folders] == [False, *[True] * KEPT]
    assert settings_of(bodies[0]).working_folder == folders[0]
    assert (folders[0] / "shop" / "words.txt").read_text() == "0\n"
    assert (home / "shop" / "words.txt").read_text() == "one\n"


def test_what_it_may_run_is_told_by_the_patched_source(home: Path) -> None:
    named(home)
    more = patched(home, SHOP + "\n\ndef added():\n    pass\n")
    assert "added" in callgraph(more).functions
    assert "added" not in callgraph(OutsideBody(server="shop")).functions


def test_a_body_without_a_patch_is_the_one_that_it_was() -> None:
    body = OutsideBody(server="shop")
    assert body.content() == {"server": "shop"}
    assert body.digest != OutsideBody(server="shop", patch=patch_of({}, {"a.py": "x\n"})).digest
