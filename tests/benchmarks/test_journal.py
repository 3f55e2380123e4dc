"""What a run that was broken off leaves to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import journal
from benchmarks.journal import Journal

ASKED = {"name": "write-dropped", "seconds": 30.0}


def test_what_was_asked_of_the_same_code_is_known(tmp_path: Path) -> None:
    Journal(tmp_path).add(ASKED, {"repaired": True})
    Journal(tmp_path).add(ASKED | {"seconds": 5.0}, {"repaired": False})
    assert Journal(tmp_path).row(ASKED) == {"repaired": True}
    assert Journal(tmp_path).row(ASKED | {"name": "write-doubled"}) is None


def test_other_code_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Journal(tmp_path).add(ASKED, {"repaired": True})
    monkeypatch.setattr(journal, "code", lambda: "other")
    assert Journal(tmp_path).row(ASKED) is None


def test_without_a_folder_nothing_is_known() -> None:
    Journal(None).add(ASKED, {"repaired": True})
    assert Journal(None).row(ASKED) is None
