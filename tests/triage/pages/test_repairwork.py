"""What is done about searches for repairs from the pages."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from tests.browser.seed import Library
from tests.triage import faultcast, repaircast
from triage.models import Fault, Repair, Round
from triage.models.fault import FaultStatus
from triage.models.job import JobState
from triage.repairing import repair


@pytest.fixture
def row(done: Round) -> Fault:
    return faultcast.fault(faultcast.checks(done, "shop")[:2])


@pytest.fixture
def judge(client: Client, reviewer: User) -> Client:
    """A browser in which a reviewer is logged in."""
    client.force_login(reviewer)
    return client


def page(client: Client, row: Fault) -> str:
    return client.get(f"/faults/{row.pk}/").content.decode()


def test_a_search_is_begun_from_the_fault_and_shows_how_far_it_is(
    judge: Client, row: Fault, reviewer: User
) -> None:
    assert f'action="/faults/{row.pk}/repair/"' in page(judge, row)
    text = judge.post(f"/faults/{row.pk}/repair/", follow=True).content.decode()
    held = Repair.objects.get()
    assert (held.fault, held.author) == (row, reviewer)
    assert "The search for repairs waits for a worker" in text
    assert f'hx-get="/repairs/{held.pk}/progress/"' in text
    assert f'action="/faults/{row.pk}/repair/"' not in text
    Repair.objects.update(state=JobState.RUNNING, done=12, total=43, started=held.created)
    answer = judge.get(f"/repairs/{held.pk}/progress/")
    assert "12 candidates tried, 43 known" in answer.content.decode()
    assert " left</span>" in answer.content.decode()
    assert "HX-Refresh" not in answer
    Repair.objects.update(state=JobState.DONE, finished=held.created)
    assert judge.get(f"/repairs/{held.pk}/progress/")["HX-Refresh"] == "true"
    assert 'data-poll="2"' not in page(judge, row).split("<main")[1]


def test_time_that_is_up_is_said(judge: Client, row: Fault) -> None:
    held = repaircast.repair(row, "running", done=12, total=43, seconds=0.001)
    text = judge.get(f"/repairs/{held.pk}/progress/").content.decode()
    assert "time is up, trying what works" in text


def test_what_came_of_it_stands_with_the_fault_and_leads_to_the_alternatives(
    judge: Client, row: Fault, done: Round
) -> None:
    server = faultcast.part(faultcast.checks(done, "shop")[0], "toolserver")
    made = faultcast.proposal(row, server, state="waiting")
    faultcast.trial(made, fixed=2)
    held = repaircast.searched(row, made)
    text = page(judge, row)
    assert "by itself, 72%" in text
    assert f'href="/repairs/{held.pk}/?fate=failing">30</a>' in text
    assert "Alternatives tried, and why they lost" in text


def test_proposals_stand_by_rank(judge: Client, row: Fault, done: Round) -> None:
    server = faultcast.part(faultcast.checks(done, "shop")[0], "toolserver")
    for title, fixed, likelihood in (("worst", 1, 0.9), ("likely", 5, 0.8), ("unlikely", 5, 0.1)):
        made = faultcast.proposal(
            row, server, state="waiting", title=title, likelihood=likelihood, authority="so"
        )
        faultcast.trial(made, fixed=fixed)
    text = page(judge, row)
    order = [text.index(f">{title}<") for title in ("likely", "unlikely", "worst")]
    assert order == sorted(order)


def test_it_is_ended_once(judge: Client, row: Fault, reviewer: User) -> None:
    held = repaircast.repair(row, "running", done=2, total=5)
    text = judge.post(f"/repairs/{held.pk}/cancel/", follow=True).content.decode()
    assert "was cancelled by reviewer" in text
    assert "after 2 candidates" in text
    held.refresh_from_db()
    assert (held.state, held.cancelled_by) == ("cancelled", reviewer)
    text = judge.post(f"/repairs/{held.pk}/cancel/", follow=True).content.decode()
    assert "there is nothing left to cancel" in text


def test_one_that_failed_says_why_and_may_be_begun_again(judge: Client, row: Fault) -> None:
    repaircast.repair(row, "failed", error="the sandbox did not answer")
    text = page(judge, row)
    assert "the sandbox did not answer" in text
    assert f'action="/faults/{row.pk}/repair/"' in text


def test_a_viewer_watches_and_begins_and_ends_nothing(reader: Client, row: Fault) -> None:
    held = repaircast.repair(row, "running")
    text = reader.get(f"/repairs/{held.pk}/progress/").content.decode()
    assert "Searching for repairs" in text
    assert "<form" not in text
    for path in (f"/repairs/{held.pk}/cancel/", f"/faults/{row.pk}/repair/", "/faults/repair/"):
        assert reader.post(path).status_code == 403, path
        assert reader.get(path).status_code == 405, path
    assert "Propose repairs" not in page(reader, row)
    assert "Propose repairs" not in reader.get("/faults/").content.decode()
    held.refresh_from_db()
    assert held.state == "running"


def test_what_one_may_not_see_one_does_nothing_to(judge: Client, row: Fault, shop: Library) -> None:
    held = repaircast.repair(row, "running")
    shop.domain.readers.add(Group.objects.create(name="others"))
    for path in (f"/repairs/{held.pk}/cancel/", f"/faults/{row.pk}/repair/"):
        assert judge.post(path).status_code == 404, path
    judge.post("/faults/repair/")
    assert Repair.objects.count() == 1


def test_no_form_is_taken_from_elsewhere(reviewer: User, row: Fault) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    for path in (f"/faults/{row.pk}/repair/", "/faults/repair/"):
        assert client.post(path).status_code == 403


def test_a_fault_that_no_kept_round_shows_is_refused_in_words(judge: Client, row: Fault) -> None:
    Fault.objects.update(last_round=None)
    text = judge.post(f"/faults/{row.pk}/repair/", follow=True).content.decode()
    assert "Nothing was done: no round that is kept shows" in text
    text = judge.post("/faults/repair/", follow=True).content.decode()
    assert "Not searched for: no round that is kept shows" in text


@pytest.fixture
def several(done: Round, reviewer: User) -> dict[str, Fault]:
    """Faults with and without something proposed, open and not, and one that is searched."""
    shown = faultcast.checks(done, "shop")
    made = {
        name: faultcast.fault(shown[:size], name, status=status, code=code)
        for name, size, status, code in (
            ("wanting", 4, FaultStatus.NEW, "tool-crash"),
            ("regressed", 3, FaultStatus.REGRESSED, "plan-refused"),
            ("proposed", 2, FaultStatus.ONGOING, "tool-crash"),
            ("searched", 2, FaultStatus.ONGOING, "tool-crash"),
            ("fixed", 2, FaultStatus.FIXED, "tool-crash"),
        )
    }
    faultcast.proposal(made["proposed"], faultcast.part(shown[0], "toolserver"))
    repair(reviewer, made["searched"], queue=False)
    return made


def begun(several: dict[str, Fault]) -> set[str]:
    rows = Repair.objects.exclude(fault=several["searched"])
    return set(rows.values_list("fault__title", flat=True))


def test_all_that_are_listed_and_have_nothing_proposed_are_searched(
    judge: Client, several: dict[str, Fault]
) -> None:
    text = judge.get("/faults/").content.decode()
    assert "Propose repairs for 2 faults" in text
    assert "Repairs are being searched for" in text
    text = judge.post("/faults/repair/", {"where": ""}, follow=True).content.decode()
    assert begun(several) == {"wanting", "regressed"}
    assert "Repairs are searched for, of 2 faults." in text
    assert "Propose repairs…" not in text
    text = judge.post("/faults/repair/", {"where": ""}, follow=True).content.decode()
    assert "for each of them something is proposed" in text
    assert Repair.objects.count() == 3


def test_the_filters_of_the_list_hold(judge: Client, several: dict[str, Fault]) -> None:
    text = judge.get("/faults/?code=tool-crash").content.decode()
    assert "Propose repairs for 1 fault<" in text
    assert 'name="where" value="code=tool-crash"' in text
    where = {"where": "code=tool-crash&page=2"}
    answer = judge.post("/faults/repair/", where, follow=True)
    assert answer.redirect_chain[-1][0] == "/faults/?code=tool-crash"
    assert begun(several) == {"wanting"}


def test_what_is_put_aside_is_not_searched_even_where_it_is_listed(
    judge: Client, several: dict[str, Fault]
) -> None:
    judge.post("/faults/repair/", {"where": "status=fixed"})
    assert begun(several) == set()
