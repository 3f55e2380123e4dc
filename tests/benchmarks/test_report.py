"""The document that every benchmark prints and keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.report import document, keep, kept


def test_what_is_kept_is_what_was_said(tmp_path: Path) -> None:
    said = document("toy", 1.234, {"τ²": 1}, [{"ms": None}], more=[1])
    assert {"name", "machine", "seconds", "headline", "rows", "more"} == said.keys()
    assert said["seconds"] == 1.23
    keep(said, tmp_path)
    assert kept("toy", tmp_path) == said


def test_where_nothing_can_be_written_it_says_so_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(document("toy", 1, {}, []), tmp_path / "nowhere")
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.endswith("No such file or directory: the figures are printed only\n")
