"""`python -m worlds prove DIR`: whether there is a way for who does not know the plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.worlds.shop import written
from worlds.__main__ import main
from worlds.intent import PlanStep


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
    out = capsys.readouterr().out
    assert (
        "shop/first: not solved: the search was cut off after 1 call (more with --calls), " in out
    )


def test_the_way_found_is_printed_as_a_plan_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prove", str(written(tmp_path))]) == 0
    way = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line[:2] == "  "]
    (cancelled,) = [each for each in way if each.get("call") == "cancel_order"]
    assert cancelled["args"]["order_id"].startswith("W")
    assert (list(way[-1]), way[-1]["finish"]["outcome"]) == (["finish"], "done")
    assert way[-1]["finish"]["answer"]["refund"] > 0
    for each in way:
        PlanStep.model_validate(each)


@pytest.mark.parametrize("calls", ["0", "-1", "many"])
def test_a_search_of_no_calls_is_a_wrong_call(
    calls: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["prove", str(written(tmp_path)), "--calls", calls])
    assert ended.value.code == 2
    assert "argument --calls" in capsys.readouterr().err
