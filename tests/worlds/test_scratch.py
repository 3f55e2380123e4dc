"""Folders for processes: each its own, and none left by those that are gone."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from worlds.scratch import Scratch, home


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where scratch folders are, for the test alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return home()


def test_what_processes_left_is_swept_also_where_they_were_killed_before_they_held_it(
    folder: Path,
) -> None:
    (folder / "killed").mkdir()
    (folder / "held-once" / "deep").mkdir(parents=True)
    (folder / "held-once" / ".held").touch()
    mine, other = Scratch(), Scratch()
    assert {path for path in folder.iterdir() if path.is_dir()} == {mine.root, other.root}


def test_many_may_begin_at_once_beside_what_others_left(folder: Path) -> None:
    for number in range(300):
        (folder / f"left-{number}").mkdir()
        (folder / f"left-{number}" / ".held").touch()
    code = "from worlds.scratch import Scratch; Scratch.mine().fresh()"
    begun = [
        subprocess.Popen([sys.executable, "-c", code], env={"TMPDIR": str(folder.parent)})
        for _ in range(6)
    ]
    assert [process.wait() for process in begun] == [0] * len(begun)
    assert [path for path in folder.iterdir() if path.is_dir()] == []
