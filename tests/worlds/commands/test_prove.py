"""`python -m worlds prove DIR`: whether there is a way for who does not know the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worlds.shop import written
from worlds.__main__ import main


def test_an_environment_is_solved_without_its_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = written(tmp_path)
    assert main(["prove", str(shop)]) == 0
    said = capsys.readouterr().out
    assert "shop/first: solved after" in said
    assert "1 of 1 environment solved without the plan" in said


def test_a_search_that_is_cut_off_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = written(tmp_path)
    assert main(["prove", str(shop), "--calls", "1"]) == 0
    assert "shop/first: not solved: the search was cut off" in capsys.readouterr().out


@pytest.mark.parametrize("calls", ["0", "-1", "many"])
def test_a_search_of_no_calls_is_a_wrong_call(
    calls: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["prove", str(written(tmp_path)), "--calls", calls])
    assert ended.value.code == 2
    assert "argument --calls" in capsys.readouterr().err
