"""`manage.py propose`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import connection

from components.commands import UsageError
from tests.triage.api.desk import Desk
from triage import jobs, repairing, waiting
from triage.bar import Bar
from triage.management.commands import propose
from triage.models import Fault, Proposal, Repair
from triage.models.fault import FaultStatus
from triage.models.job import JobState
from triage.proposaldiff import unified
from triage.rounds import Progress

KEYS = [
    *("id", "fault", "changes", "fixes", "regressions", "weakens", "redefines", "rank", "diff"),
    *("title", "state", "authority", "likelihood", "repair"),
]
CLEAN = {
    **dict.fromkeys(("fixed", "cured", "affected"), 1),
    **dict.fromkeys(("regressed", "errors"), 0),
    **dict.fromkeys(("weakens", "redefines"), False),
}
"""What a trial says of which nothing speaks against it."""


@pytest.fixture
def desk(db: None) -> Desk:
    made = Desk()
    Fault.objects.exclude(pk=made.fault.pk).delete()
    return made


def call(*arguments: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("propose", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def document(*arguments: str) -> Any:
    return json.loads(call(*arguments, "--json", "--inline")[0])


def finding(desk: Desk) -> Any:
    """A way to work that proposes to mend the pen, as if it had been tried."""

    def run(held: Repair) -> Repair:
        row = desk.proposed()
        Proposal.objects.filter(pk=row.pk).update(state="waiting", likelihood=0.7, repair=held)
        desk.tried(row, **CLEAN)
        Repair.objects.filter(pk=held.pk).update(
            state=JobState.DONE, spent=1.5, counts={"proposed": 1, "failing": 4}
        )
        return held

    return run


@pytest.fixture
def found(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search finds that."""
    monkeypatch.setattr(propose, "run_inline", finding(desk))


def test_the_document_says_what_would_change_and_what_a_trial_showed(
    desk: Desk, found: None
) -> None:
    (row,) = document("--fault", str(desk.fault.pk))
    assert list(row) == KEYS
    made = Proposal.objects.get()
    assert (row["id"], row["fault"], row["repair"]) == (made.pk, desk.fault.pk, made.repair_id)
    assert row["changes"] == [{"component": "pen", "kind": "toolserver", "version": 2}]
    assert (row["fixes"], row["regressions"], row["rank"]) == (1, 0, 1)
    assert (row["weakens"], row["redefines"]) == (False, False)
    assert row["diff"].startswith("--- toolserver/pen")
    assert '+    return db.update("notes", note_id, {"text": text})' in row["diff"]


def test_people_get_a_table_and_what_came_of_each_search(desk: Desk, found: None) -> None:
    out, err = call("--all", "--inline")
    head, row, tally = out.splitlines()
    assert head.split() == ["id", "fault", "rank", "fixes", "breaks", "against", "state", "title"]
    assert "no authority" in row
    assert row.endswith("Save it")
    assert tally == "1 proposal"
    assert f"of fault {desk.fault.pk}, 1.5 s: 4 failing, 1 proposed" in err


def test_all_searches_where_nothing_is_proposed_and_prints_what_stands(
    desk: Desk, found: None
) -> None:
    assert len(document("--all")) == 1
    again = document("--all")
    assert [row["id"] for row in again] == [Proposal.objects.get().pk]
    assert Repair.objects.count() == 1


def test_a_fault_that_is_named_is_searched_anew(desk: Desk, found: None) -> None:
    for count in (1, 2):
        assert len(document("--fault", str(desk.fault.pk))) == count
    assert Repair.objects.count() == 2


def test_what_is_decided_or_of_faults_put_aside_is_not_printed(desk: Desk, found: None) -> None:
    document("--all")
    Proposal.objects.update(state="rejected")
    assert document("--fault", str(desk.fault.pk)) != []
    Proposal.objects.update(state="approved")
    Fault.objects.update(status=FaultStatus.FIXED)
    assert document("--all") == []


def test_what_was_not_tried_has_no_numbers(desk: Desk) -> None:
    desk.proposed()
    (row,) = document("--all")
    assert [row[name] for name in ("fixes", "regressions", "weakens", "rank")] == [None] * 4
    assert " – " in call("--all")[0]


def test_the_search_is_as_long_and_from_where_it_was_asked(desk: Desk, found: None) -> None:
    document("--all", "--seconds", "5", "--no-revert", "--no-siblings")
    held = Repair.objects.get()
    assert (held.seconds, held.takes_back, held.borrows) == (5.0, False, False)


def test_it_acts_as_who_is_named(desk: Desk, found: None, reviewer: User, viewer: User) -> None:
    document("--all", "--as", "reviewer")
    assert Repair.objects.get().author == reviewer
    Proposal.objects.all().delete()
    with pytest.raises(CommandError, match="viewer may not have repairs proposed") as raised:
        call("--all", "--as", "viewer")
    assert raised.value.returncode == 1


def test_of_domains_kept_for_others_nothing_is_searched_or_printed(
    desk: Desk, found: None, reviewer: User
) -> None:
    desk.shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert document("--all", "--as", "reviewer") == []
    with pytest.raises(UsageError, match="there is no fault of that number"):
        call("--fault", str(desk.fault.pk), "--as", "reviewer")
    assert not Repair.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "give --fault ID or --all"),
        (["--all", "--fault", "1"], "give --fault ID or --all"),
        (["--fault", "0"], "--fault 0: there is no fault of that number"),
        (["--all", "--seconds", "0"], "--seconds 0: give a number above 0, up to 600"),
        (["--all", "--seconds", "nan"], "--seconds nan: give a number above 0"),
        (["--fault", "x"], "invalid int value"),
    ],
)
def test_a_wrong_call_is_told(db: None, arguments: list[str], why: str) -> None:
    with pytest.raises(UsageError, match=why) as raised:
        call(*arguments)
    assert raised.value.returncode == 2


def test_a_search_that_failed_is_told_after_what_stands(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.proposed()

    def fail(_: Repair) -> Iterator[tuple[int, int]]:
        yield 0, 1
        raise jobs.JobFailed("nobody is suspected of it")

    monkeypatch.setattr(repairing, "work", fail)
    out = io.StringIO()
    with pytest.raises(CommandError, match="failed: nobody is suspected of it") as raised:
        call_command("propose", fault=desk.fault.pk, inline=True, json=True, stdout=out, stderr=out)
    assert raised.value.returncode == 1
    assert '"title": "Save it"' in out.getvalue()


def test_one_that_cannot_be_begun_stands_in_no_others_way(desk: Desk, found: None) -> None:
    Fault.objects.create(domain=desk.shop.domain, code="tool-crash", title="gone", environments=9)
    with pytest.raises(CommandError, match="no round that is kept shows"):
        call("--all", "--inline")
    assert Proposal.objects.count() == 1


def test_without_a_worker_it_says_so_and_the_search_stays_queued(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 0.0)
    monkeypatch.setattr(waiting, "is_anyone_there", lambda: False)
    with pytest.raises(CommandError, match=r"no worker answers.* 1 search stays queued"):
        call("--all")
    assert Repair.objects.get().state == JobState.QUEUED


def test_with_workers_it_waits_for_the_search_and_the_trials(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[tuple[int, int]] = []

    def look(_: Bar, now: Progress) -> None:
        looks.append((now["done"], now["total"]))
        if len(looks) == 2:
            finding(desk)(Repair.objects.get())

    monkeypatch.setattr(Bar, "show", look)
    out, _ = call("--all")
    assert "Save it" in out
    assert looks == [(0, 1), (0, 1), (2, 2)]


def test_interrupted_inline_it_ends_what_nobody_else_works_off(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: Repair) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(propose, "run_inline", interrupt)
    # The test's transaction would end with its connection.
    monkeypatch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)
    with pytest.raises(KeyboardInterrupt):
        call("--all", "--inline")
    assert Repair.objects.get().state == JobState.CANCELLED


def test_the_diff_of_a_proposal_names_its_file_and_leaves_the_rest_out(desk: Desk) -> None:
    row = desk.proposed()
    lines = unified(row).splitlines()
    assert lines[0].startswith("--- toolserver/pen")
    assert [line[0] for line in lines if line[0] in "+-"].count("+") == 2


def test_for_real_it_finds_what_mends_a_pen_that_forgets(desk: Desk) -> None:
    desk.shop.component("pen", desk.pen.versions.get(number=2).body.parsed())
    first, *_ = document("--fault", str(desk.fault.pk), "--seconds", "10")
    assert (first["state"], first["rank"], first["fixes"]) == ("waiting", 1, 2)
    assert (first["regressions"], first["weakens"], first["redefines"]) == (0, False, False)
    assert first["diff"]
