"""`manage.py round`."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from celery import current_app
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command

from components.models import Component
from tests.triage.shop import Shop
from triage import waiting
from triage.cancellation import cancel
from triage.models import Check, Fault, Round
from triage.models.check import State
from triage.rounds import create_round, summary
from triage.work import work_off

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
    "by_authority",
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
    assert (got["solvable"], got["broken"]) == (1, 1)
    assert got["findings"] == {"goal-unreachable": 1, "plan-refused": 1}


def test_our_environments_and_published_ones_each_have_a_line(shop: Shop) -> None:
    shop.sound("a")
    shop.refused("b")
    got = document()
    counts = ("environments", "solvable", "broken", "unproven", "errors", "solvability")
    assert got["by_authority"] == {"ours": {name: got[name] for name in counts}}
    assert "our environments" not in call("--inline")[0]
    bench = Shop("bench")
    bench.sound("c")
    Component.objects.contracts().filter(domain=bench.domain).update(about={"authority": "given"})
    lines = call("--inline")[0].splitlines()
    assert lines[1:4] == [
        "solvability 66.7% (2 of 3); 1 broken, 0 unproven, 0 errors",
        "our environments: solvability 50.0% (1 of 2); 1 broken, 0 unproven, 0 errors",
        "published ones: solvability 100.0% (1 of 1); 0 broken, 0 unproven, 0 errors",
    ]
    parts = document()["by_authority"]
    assert list(parts) == ["ours", "given"]
    assert [part["environments"] for part in parts.values()] == [2, 1]


def test_what_was_found_is_gathered_before_the_numbers_are_printed(shop: Shop) -> None:
    shop.vacuous("a")
    made = Round.objects.get(pk=document()["round"])
    assert made.gathered is not None
    assert Fault.objects.filter(sightings__check_row__round=made).exists()


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
    assert ["plan-refused", "1"] in [line.split() for line in lines]
    assert ["reference", "50.0%"] in [line.split() for line in lines]
    assert "2/2" in err


def test_it_says_its_number_and_what_is_left_to_check_before_it_begins(shop: Shop) -> None:
    for slug in "ab":
        shop.sound(slug)
    assert call("--inline")[1].startswith(
        f"round {Round.objects.get().pk}: 2 environments, 2 to check\n"
    )
    shop.sound("c")
    assert ": 3 environments, 1 to check\n" in call("--inline")[1]
    out, err = call("--inline", "--environment", "c")
    assert ": 1 environment, none to check\n" in err
    assert ": 1 environment in " in out


def test_each_error_is_told_once_with_its_count(shop: Shop) -> None:
    for slug in "ab":
        shop.astray(slug)
    shop.sound("c")
    lines = call("--inline")[0].splitlines()
    assert lines[1].endswith("0 unproven, 2 errors")
    (told,) = [line for line in lines if "no tool server 'far'" in line]
    assert told.startswith("2 errors: no tool server 'far' in the settings")


def test_a_round_in_which_every_check_ended_in_error_has_failed(shop: Shop) -> None:
    shop.astray("a")
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(CommandError, match="every check ended in error: no tool server") as raised:
        call_command("round", "--inline", "--json", stdout=out, stderr=err)
    assert raised.value.returncode == 1
    assert json.loads(out.getvalue())["errors"] == 1


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
        (["--environment", "snooze*"], "no environment in notes fits snooze*"),
        (["--domain", "nowhere"], "there is no domain nowhere; there are notes"),
        (["--agents", "oracle"], "there is no agent oracle; there are reference"),
        (["--status", "brokn"], "argument --status: invalid choice: 'brokn' (choose from "),
        (["--cancel", "abc"], "argument --cancel: invalid int value: 'abc'"),
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


def test_cancel_ends_a_round_and_prints_its_numbers(shop: Shop, curator: User) -> None:
    for slug in "abc":
        shop.sound(slug)
    made = create_round(None, queue=False)
    list(work_off([made.checks.earliest("pk").pk], "here"))
    got = json.loads(call("--cancel", str(made.pk), "--json", "--as", "curator")[0])
    assert list(got) == KEYS
    assert (got["round"], got["environments"], got["solvability"]) == (made.pk, 1, 1.0)
    made.refresh_from_db()
    assert made.cancelled_by == curator
    assert status("--cancel", str(made.pk)) == (
        1,
        f"round {made.pk} was cancelled before: there is nothing left to cancel",
    )


def test_cancel_says_to_people_what_was_dropped_and_what_is_kept(shop: Shop) -> None:
    for slug in "abc":
        shop.sound(slug)
    made = create_round(None, queue=False)
    out, _ = call("--cancel", str(made.pk))
    assert out == f"round {made.pk} is cancelled: 3 checks dropped, 0 kept\n"
    made = create_round(None, queue=False)
    list(work_off([made.checks.earliest("pk").pk], "here"))
    out, _ = call("--cancel", str(made.pk))
    assert out.startswith(
        f"round {made.pk} is cancelled: 2 checks dropped, 1 kept\nround {made.pk}: 1 environment in"
    )


def test_who_may_not_cancel_is_told_so_and_an_unknown_round_is_a_wrong_call(
    shop: Shop, viewer: User
) -> None:
    shop.sound("a")
    made = create_round(None, queue=False)
    code, said = status("--cancel", str(made.pk), "--as", "viewer")
    assert (code, "viewer may not cancel" in said) == (1, True)
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    for arguments in (["--cancel", "999"], ["--cancel", str(made.pk), "--as", "viewer"]):
        code, said = status(*arguments)
        assert (code, "there is no round of that number" in said) == (2, True)
    assert Check.objects.get().state == State.QUEUED


def started(services: dict[str, str], *arguments: str) -> "subprocess.Popen[str]":
    """The command as people run it, in a process of its own."""
    command = [sys.executable, "manage.py", "round", *arguments]
    return subprocess.Popen(
        command,
        env=os.environ | services,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.django_db(transaction=True)
def test_interrupted_inline_it_cancels_its_round(shop: Shop, services: dict[str, str]) -> None:
    shop.sound("a")
    shop.sound("b", rounds=3_000_000, calls=20)
    shop.sound("c")
    process = started(services, "--inline")
    until(lambda: Check.objects.filter(state=State.DONE).exists())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    made = Round.objects.get()
    assert process.returncode == 130, err
    assert out == ""
    assert f"round {made.pk} was cancelled by the command line after 1 of 3 checks" in err
    assert list(made.checks.order_by("pk").values_list("state", flat=True)) == [
        State.DONE,
        State.CANCELLED,
        State.CANCELLED,
    ]
    assert made.finished is not None


@pytest.mark.django_db(transaction=True)
def test_interrupted_while_workers_work_it_leaves_the_round_to_them_and_says_how_to_end_it(
    shop: Shop, services: dict[str, str]
) -> None:
    shop.sound("a")
    process = started(services)
    try:
        assert process.stderr
        assert "1 environment, 1 to check" in process.stderr.readline()
        time.sleep(0.5)  # from then on it waits
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        current_app.control.purge()
    made = Round.objects.get()
    assert process.returncode == 130, err
    assert f"round {made.pk} goes on; to end it: manage.py round --cancel {made.pk}" in err
    assert made.checks.get().state == State.QUEUED


@pytest.mark.django_db(transaction=True)
def test_cancelled_by_somebody_else_while_it_waits_it_has_failed_and_says_who(
    shop: Shop, services: dict[str, str], curator: User
) -> None:
    shop.sound("a")
    process = started(services, "--json")
    try:
        until(Check.objects.exists)
        cancel(curator, made := Round.objects.get())
        out, err = process.communicate(timeout=30)
    finally:
        current_app.control.purge()
    assert (process.returncode, out) == (1, "")
    assert f"round {made.pk} was cancelled by curator after 0 of 1 check" in err


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
    assert "or run it here: --inline; round" in said
    assert Check.objects.get().state == State.QUEUED


@pytest.mark.django_db(transaction=True)
def test_what_is_all_known_needs_no_worker(shop: Shop, services: dict[str, str]) -> None:
    shop.sound("a")
    document()
    assert json.loads(call("--json")[0])["solvable"] == 1
