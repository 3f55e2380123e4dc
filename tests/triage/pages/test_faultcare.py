"""What is done with a fault from its page."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from tests.browser.seed import Library
from tests.triage import faultcast
from triage.models import Attribution, Comment, Fault, Round
from triage.models.job import JobState

ACTS: dict[str, dict[str, str]] = {
    "assign": {"assignee": "viewer"},
    "comment": {"text": "seen before"},
    "archive": {"reason": "a matter of taste"},
    "reopen": {},
    "weigh": {},
}


@pytest.fixture
def row(done: Round) -> Fault:
    return faultcast.fault(faultcast.checks(done, "shop")[:2])


@pytest.fixture
def judge(client: Client, reviewer: User) -> Client:
    """A browser in which a reviewer is logged in."""
    client.force_login(reviewer)
    return client


def post(client: Client, row: Fault, act: str, **said: str) -> str:
    """The page that follows, after all redirects."""
    answer = client.post(f"/faults/{row.pk}/{act}/", said, follow=True)
    assert answer.redirect_chain[-1][0].partition("#")[0] == f"/faults/{row.pk}/"
    return answer.content.decode()


@pytest.mark.parametrize("act", ACTS)
def test_a_viewer_does_nothing(reader: Client, row: Fault, act: str) -> None:
    url = f"/faults/{row.pk}/{act}/"
    assert reader.post(url, ACTS[act]).status_code == 403
    assert reader.get(url).status_code == 405
    row.refresh_from_db()
    assert (row.assignee, row.status) == (None, "new")
    assert not Comment.objects.exists()
    assert not Attribution.objects.exists()


@pytest.mark.parametrize("act", ACTS)
def test_what_one_may_not_see_one_does_nothing_to(
    judge: Client, row: Fault, shop: Library, act: str
) -> None:
    shop.domain.readers.add(Group.objects.create(name="others"))
    assert judge.post(f"/faults/{row.pk}/{act}/", ACTS[act]).status_code == 404


@pytest.mark.parametrize("act", ACTS)
def test_no_form_is_taken_from_elsewhere(reviewer: User, row: Fault, act: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    assert client.post(f"/faults/{row.pk}/{act}/", ACTS[act]).status_code == 403


def test_is_given_to_somebody_who_may_read_it_or_to_nobody(
    judge: Client, row: Fault, viewer: User, shop: Library
) -> None:
    assert f"<option selected>{viewer.username}</option>" in post(
        judge, row, "assign", assignee="viewer"
    )
    assert "<option selected>" not in post(judge, row, "assign", assignee="")
    shop.domain.readers.add(Group.objects.get(name="reviewer"))
    text = post(judge, row, "assign", assignee="viewer")
    assert "Nobody who may read this fault is called viewer." in text
    assert "<option>viewer</option>" not in text
    row.refresh_from_db()
    assert row.assignee is None


def test_is_talked_about(judge: Client, row: Fault) -> None:
    text = post(judge, row, "comment", text="<b>seen</b>\x00 before")
    assert "&lt;b&gt;seen&lt;/b&gt; before" in text
    assert "Nothing was done: " in post(judge, row, "comment", text="  ")
    assert Comment.objects.count() == 1


def test_is_put_aside_with_a_reason_and_taken_up_again(judge: Client, row: Fault) -> None:
    assert "Nothing was done: " in post(judge, row, "archive", reason="")
    text = post(judge, row, "archive", reason="a matter of taste")
    assert "Archived: a matter of taste" in text
    assert f'action="/faults/{row.pk}/reopen/"' in text
    assert "Archived:" not in post(judge, row, "reopen")


def test_weighing_shows_how_far_it_is_and_loads_the_page_again_when_done(
    judge: Client, row: Fault
) -> None:
    assert "Weighing waits for a worker" in post(judge, row, "weigh")
    held = Attribution.objects.get()
    url = f"/attributions/{held.pk}/progress/"
    assert f'hx-get="{url}"' in judge.get(f"/faults/{row.pk}/").content.decode()
    Attribution.objects.update(state=JobState.RUNNING, done=3, total=8, started=row.created)
    answer = judge.get(url)
    assert "3 of 8" in answer.content.decode()
    assert " left</span>" in answer.content.decode()
    assert "HX-Refresh" not in answer
    Attribution.objects.update(state=JobState.DONE, finished=row.created)
    assert judge.get(url)["HX-Refresh"] == "true"
    text = judge.get(f"/faults/{row.pk}/").content.decode()
    assert "by swapping each alone" in text
    assert 'data-poll="2"' not in text.split("<main")[1]


def test_weighing_is_cancelled_once(judge: Client, row: Fault, reviewer: User) -> None:
    held = faultcast.weighing(row, author=reviewer, done=2, total=5)
    text = judge.post(f"/attributions/{held.pk}/cancel/", follow=True).content.decode()
    assert "Weighing was cancelled by reviewer <time" in text
    assert "</time>, after 2 of 5." in text
    held.refresh_from_db()
    assert (held.state, held.cancelled_by) == ("cancelled", reviewer)
    text = judge.post(f"/attributions/{held.pk}/cancel/", follow=True).content.decode()
    assert "there is nothing left to cancel" in text


def test_a_viewer_sees_progress_and_cancels_nothing(reader: Client, row: Fault) -> None:
    held = faultcast.weighing(row)
    text = reader.get(f"/attributions/{held.pk}/progress/").content.decode()
    assert "Weighing the suspects" in text
    assert "<form" not in text
    assert reader.post(f"/attributions/{held.pk}/cancel/").status_code == 403
    assert reader.get("/attributions/99999/progress/").status_code == 404


def test_a_weighing_that_failed_says_why(judge: Client, row: Fault) -> None:
    faultcast.weighing(row, "failed", error="the sandbox did not answer", finished=row.created)
    text = judge.get(f"/faults/{row.pk}/").content.decode()
    assert "Weighing failed" in text
    assert "the sandbox did not answer" in text
    assert f'action="/faults/{row.pk}/weigh/"' in text
