"""Working off checks."""

from typing import NoReturn

import pytest
from django.db import OperationalError

import agents
from components.models import Body
from tests.triage.shop import Shop
from triage import work
from triage.models import Check, Finding, Result, Round
from triage.models.check import State
from triage.rounds import create_round, summary
from worlds import check as checking


def ids(made: Round) -> list[int]:
    return list(made.checks.order_by("pk").values_list("pk", flat=True))


def test_checks_are_worked_off_one_after_the_other_and_once(shop: Shop) -> None:
    shop.sound("a")
    shop.refused("b")
    made = create_round(None, queue=False)
    assert [check.environment.slug for check in work.work_off(ids(made), "here")] == ["a", "b"]
    assert list(work.work_off(ids(made), "here")) == []
    ended = made.checks.order_by("pk").values_list("state", "result__status", "result__witness")
    assert list(ended) == [("done", "solvable", "plan"), ("done", "broken", "")]


def test_what_has_no_plan_is_proved_by_search_which_no_solve_rate_counts(shop: Shop) -> None:
    shop.environment("Write 'b' to note N1", [{"finish": {}}], ["get('notes', 'N1').text == 'b'"])
    made = create_round(None, queue=False)
    (check,) = work.work_off(ids(made), "here")
    solved = Result.objects.get().episodes.filter(reward=1).values_list("agent__name", flat=True)
    assert list(solved) == ["search"]
    assert set(summary(made)["solve_rate"].values()) == {0.0}
    assert (check.round.panel, Result.objects.get().witness) == (list(agents.PANEL), "search")


def test_one_check_can_be_run_by_its_id(shop: Shop) -> None:
    shop.sound("a")
    (pk,) = ids(create_round(None, queue=False))
    assert work.run_check(pk, "here")
    assert not work.run_check(pk, "here")


def test_trouble_of_ours_ends_in_error_with_its_traceback_and_is_no_finding(shop: Shop) -> None:
    environment = shop.sound("a")
    made = create_round(None, queue=False)
    Check.objects.update(manifest={"format": 1})
    list(work.work_off(ids(made), "here"))
    row = made.checks.get()
    assert (row.state, row.environment, row.result) == (State.ERROR, environment, None)
    assert "ValidationError" in row.error
    assert len(row.error) <= work.LONGEST_ERROR
    assert not Finding.objects.exists()
    assert not Result.objects.exists()


def test_a_result_that_cannot_be_stored_ends_in_error_rather_than_in_silence(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.sound("a")
    made = create_round(None, queue=False)
    outcome = checking.CheckResult("x" * 99, "", [], [], 0.1)  # type: ignore[arg-type]  # too long
    monkeypatch.setattr(checking, "check", lambda *_, **__: outcome)
    list(work.work_off(ids(made), "here"))
    row = made.checks.get()
    assert row.state == State.ERROR
    assert "DataError" in row.error
    assert not Result.objects.exists()


def test_a_check_whose_database_went_away_is_left_to_be_tried_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(*_: object, **__: object) -> NoReturn:
        raise OperationalError("terminating connection due to administrator command")

    shop.sound("a")
    made = create_round(None, queue=False)
    monkeypatch.setattr(checking, "check", lose)
    with pytest.raises(OperationalError):
        list(work.work_off(ids(made), "here"))
    row = made.checks.get()
    assert (row.state, row.attempt, row.error) == (State.RUNNING, 1, "")


def test_the_next_check_is_run_after_one_in_error(shop: Shop) -> None:
    shop.sound("a")
    shop.sound("b")
    made = create_round(None, queue=False)
    Check.objects.filter(pk=ids(made)[0]).update(manifest={})
    list(work.work_off(ids(made), "here"))
    assert list(made.checks.order_by("pk").values_list("state", flat=True)) == ["error", "done"]


def test_a_process_of_another_engine_concludes_nothing(shop: Shop) -> None:
    shop.sound("a")
    made = create_round(None, queue=False)
    Round.objects.update(recipe="0" * 64)
    list(work.work_off(ids(made), "here"))
    row = made.checks.get()
    assert row.state == State.ERROR
    assert "created for another engine (recipe 000000000000" in row.error
    assert "restart the workers" in row.error


def test_what_another_round_has_found_out_meanwhile_is_not_worked_out_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.sound("a")
    first, second = create_round(None, queue=False), create_round(None, queue=False)
    list(work.work_off(ids(first), "here"))
    monkeypatch.delattr(checking, "check")
    list(work.work_off(ids(second), "here"))
    assert second.checks.get().result == first.checks.get().result


def test_a_bundle_whose_body_is_gone_is_an_error_that_names_it(shop: Shop) -> None:
    shop.sound("a")
    made = create_round(None, queue=False)
    manifest = made.checks.get().manifest
    manifest["records"]["body"] = "0" * 64
    assert not Body.objects.filter(pk="0" * 64).exists()
    Check.objects.update(manifest=manifest)
    list(work.work_off(ids(made), "here"))
    assert f"lacks the body {'0' * 64} (records)" in made.checks.get().error
