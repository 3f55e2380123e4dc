"""`manage.py round`."""

import io
import json
from typing import Any

import pytest
from celery import current_app
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from tests.triage.shop import Shop
from triage import waiting
from triage.models import Check, Round
from triage.models.check import State
from triage.rounds import summary

KEYS = [
    "round",
    "environments",
    "solvable",
    "broken",
    "unproven",
    "errors",
    "solvability",
    "solve_rate",
    "floor",
    "findings",
    "seconds",
]


def call(*arguments: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("round", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def document(*arguments: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(call("--inline", "--json", *arguments)[0])
    return parsed


def status(*arguments: str) -> tuple[int, str]:
    with pytest.raises(CommandError) as raised:
        call(*arguments)
    return raised.value.returncode, str(raised.value)


def test_the_document_is_the_rounds_summary(shop: Shop) -> None:
    shop.sound("a")
    shop.refused("b")
    got = document()
    assert list(got) == KEYS
    assert got == summary(Round.objects.get())
    assert (got["solvable"], got["broken"], got["findings"]) == (1, 1, {"plan-refused": 1})


def test_inline_works_through_claims_and_closes_the_round(shop: Shop) -> None:
    shop.sound("a")
    document()
    row = Check.objects.get()
    assert (row.state, row.attempt) == (State.DONE, 1)
    assert row.worker
    assert Round.objects.get().finished is not None


def test_people_get_the_same_numbers_as_a_table_and_progress_on_stderr(shop: Shop) -> None:
    shop.sound("a")
    shop.refused("b")
    out, err = call("--inline")
    lines = out.splitlines()
    assert lines[1] == "solvability 50.0% (1 of 2); 1 broken, 0 unproven, 0 errors"
    assert "plan-refused  1" in lines
    assert ["reference", "50.0%"] in [line.split() for line in lines]
    assert "2/2" in err


def test_scope_panel_and_sample_are_as_asked_for(shop: Shop) -> None:
    for number in range(6):
        shop.sound(f"task-{number}")
    Shop("more").sound("b")
    got = document(
        "--domain", "notes", "--agents", "noop, reference", "--sample", "3", "--seed", "5"
    )
    assert got["environments"] == 3
    assert list(got["solve_rate"]) == ["reference", "noop"]
    scope = Round.objects.get().scope
    assert scope == {"domains": ["notes"], "sample": 3, "seed": 5}


def test_environments_and_statuses_narrow_it(shop: Shop) -> None:
    for slug in "ab":
        shop.sound(slug)
    shop.refused("c")
    assert document("--environment", "notes/a", "--environment", "c")["environments"] == 2
    assert document("--status", "broken", "--status", "unverified")["environments"] == 2
    got = document("--status", "solvable", "--sample", "1", "--domain", "notes")
    assert (got["environments"], got["solvable"]) == (1, 1)
    assert Round.objects.latest("pk").scope == {
        "domains": ["notes"],
        "sample": 1,
        "seed": 0,
        "statuses": ["solvable"],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--environment", "b"], "there is no environment b in notes: name it as DOMAIN/SLUG"),
        (["--domain", "nowhere"], "there is no domain nowhere; there are notes"),
        (["--agents", "oracle"], "there is no agent oracle; there are reference"),
        (["--sample", "0"], "--sample 0: give the number of environments"),
        (["--as", "nobody"], "--as nobody"),
    ],
)
def test_a_wrong_call_is_refused_with_exit_2_and_no_round(
    shop: Shop, arguments: list[str], message: str
) -> None:
    shop.sound("a")
    code, said = status("--inline", *arguments)
    assert (code, message in said) == (2, True)
    assert not Round.objects.exists()


def test_nothing_to_check_is_exit_1_and_says_what_to_do(shop: Shop) -> None:
    assert status("--inline") == (
        1,
        "no environment in notes: load a library or import one first",
    )


def test_it_acts_as_the_user_named(shop: Shop, curator: User, viewer: User) -> None:
    shop.sound("a")
    code, said = status("--inline", "--as", "viewer")
    assert (code, "viewer may not run a round" in said) == (1, True)
    document("--as", "curator")
    assert Round.objects.get().author == curator


@pytest.mark.django_db(transaction=True)
def test_without_a_worker_it_says_what_to_start_and_leaves_the_round_queued(
    shop: Shop, services: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 1.5)
    shop.sound("a")
    try:
        code, said = status()
    finally:
        current_app.control.purge()
    assert code == 1
    assert "no worker answers: start one with `celery -A envcurate worker --beat`" in said
    assert Check.objects.get().state == State.QUEUED


@pytest.mark.django_db(transaction=True)
def test_what_is_all_known_needs_no_worker(shop: Shop, services: dict[str, str]) -> None:
    shop.sound("a")
    document()
    assert json.loads(call("--json")[0])["solvable"] == 1
