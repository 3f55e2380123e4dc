"""Saying on a page that a verdict is wrong, and what the environment's page makes of it."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from tests.browser.seed import Library
from triage.models import Counterexample, Episode, Round


@pytest.fixture
def passed(done: Round, shop: Library) -> Episode:
    """An episode that passed."""
    return Episode.objects.filter(
        agent__name="reference", reward=1, results__checks__environment__domain=shop.domain
    )[0]


def doubt(client: Client, episode: Episode, reason: str = "it <b>cancelled</b> too much") -> str:
    answer = client.post(f"/episodes/{episode.key}/doubt/", {"reason": reason}, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_reviewer_doubts_a_pass_and_retires_the_counterexample(
    client: Client, reviewer: User, passed: Episode
) -> None:
    client.force_login(reviewer)
    assert "This pass is wrong…" in client.get(f"/episodes/{passed.key}/").content.decode()
    text = doubt(client, passed)
    row = Counterexample.objects.get()
    assert f'id="counterexample-{row.pk}"' in text
    assert "it &lt;b&gt;cancelled&lt;/b&gt; too much" in text
    assert "verdict-open" in text
    link = f'<a href="#counterexample-{row.pk}">counterexample {row.pk}</a>'
    assert link in text.split('id="findings"')[1].split("</section>")[0]
    assert "found nothing against it" not in text
    answer = client.post(f"/counterexamples/{row.pk}/retire/", {"reason": "sorry"}, follow=True)
    text = answer.content.decode()
    assert "retired by reviewer: sorry" in text
    assert "verdict-open" not in text
    assert "found nothing against it" in text
    assert link not in text


def test_a_failure_can_be_said_to_be_right(
    client: Client, reviewer: User, done: Round, shop: Library
) -> None:
    client.force_login(reviewer)
    failed = Episode.objects.filter(
        agent__name="noop", results__checks__environment__domain=shop.domain
    )[0]
    assert "This failure was right…" in client.get(f"/episodes/{failed.key}/").content.decode()
    assert "goal-narrow" in doubt(client, failed)
    assert Counterexample.objects.get().should == 1


def test_a_reason_with_a_nul_is_kept_without_it(
    client: Client, reviewer: User, passed: Episode
) -> None:
    client.force_login(reviewer)
    doubt(client, passed, "too\x00 much")
    row = Counterexample.objects.get()
    assert row.reason == "too much"
    client.post(f"/counterexamples/{row.pk}/retire/", {"reason": "sorry\x00"})
    row.refresh_from_db()
    assert row.retired_because == "sorry"


def test_without_a_reason_none_is_made_and_the_page_says_so(
    client: Client, reviewer: User, passed: Episode
) -> None:
    client.force_login(reviewer)
    assert "No counterexample was made" in doubt(client, passed, "")
    assert not Counterexample.objects.exists()


def test_the_download_has_them_all(client: Client, reviewer: User, passed: Episode) -> None:
    client.force_login(reviewer)
    doubt(client, passed)
    row = Counterexample.objects.get()
    url = f"/environments/shop/{row.environment.slug}/?format=csv&list=counterexamples"
    answer = client.get(url)
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    assert f"{row.pk},open,goal-blind,blocking,person,reference,0," in text


def test_the_list_of_environments_says_what_people_break_it_by(
    client: Client, reviewer: User, passed: Episode
) -> None:
    client.force_login(reviewer)
    doubt(client, passed)
    row = Counterexample.objects.get()
    url = f"/environments/?q={row.environment.slug}"
    text = client.get(url).content.decode()
    assert f'{row.environment.slug}/#counterexample-{row.pk}"' in text
    answer = client.get(f"{url}&format=csv")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    assert "goal-blind: reviewer says that reference should have failed: " in text


def test_viewers_are_offered_nothing_and_refused(reader: Client, passed: Episode) -> None:
    assert "This pass is wrong" not in reader.get(f"/episodes/{passed.key}/").content.decode()
    assert reader.post(f"/episodes/{passed.key}/doubt/", {"reason": "x"}).status_code == 403
    assert not Counterexample.objects.exists()


def test_what_one_may_not_see_is_not_there(
    client: Client, reviewer: User, passed: Episode, shop: Library
) -> None:
    client.force_login(reviewer)
    doubt(client, passed)
    shop.domain.readers.add(Group.objects.get(name="insiders"))
    row = Counterexample.objects.get()
    for path in (f"/episodes/{passed.key}/doubt/", f"/counterexamples/{row.pk}/retire/"):
        assert client.post(path, {"reason": "x"}).status_code == 404
        assert client.get(path).status_code == 405
