"""The home and its secrets."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envcurate import home


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ENVCURATE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_it_lies_beside_manage_py_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENVCURATE_HOME")
    assert home.home() == home.BASE_DIR / ".envcurate"
    assert (home.BASE_DIR / "manage.py").exists()


def test_nobody_may_list_it(folder: Path) -> None:
    home.make_home()
    assert not folder.stat().st_mode & (stat.S_IROTH | stat.S_IRGRP)


def test_a_folder_that_held_something_is_left_as_it_is(folder: Path) -> None:
    folder.mkdir()
    (folder / "mine").touch()
    folder.chmod(0o750)
    home.make_home()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o750


def test_a_secret_stays_the_same_and_closed(folder: Path) -> None:
    drawn = home.secret("key")
    assert len(drawn) > 30
    assert home.secret("key") == drawn
    assert stat.S_IMODE((folder / "key").stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == ["key"]


def test_all_who_ask_at_once_get_the_same_secret(folder: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        assert len(set(pool.map(home.secret, ["key"] * 64))) == 1


def test_the_outermost_closed_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "a" / "b").chmod(0o700)
    (tmp_path / "a" / "b" / "c").chmod(0o700)
    found = home.closed_to_others(tmp_path / "a" / "b" / "c" / "not-yet-made")
    own = home.closed_to_others(tmp_path)  # pytest's folders may be closed themselves
    assert found == (own or tmp_path / "a" / "b")


def test_a_link_to_a_short_folder_is_made_anew_because_anybody_may_own_its_target(
    tmp_path: Path,
) -> None:
    deep = tmp_path / ("long" * 25)
    deep.mkdir()
    (deep / "run").symlink_to(tmp_path)
    run = home.make_run_folder(deep)
    assert run != tmp_path
    assert len(os.fsencode(run)) < home.LONGEST_RUN_FOLDER
    home.drop_run_folder(deep)
    assert not run.exists()
