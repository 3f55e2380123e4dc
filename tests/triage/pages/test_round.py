from __future__ import annotations

import csv
import io
import re
from html import unescape

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser import seed
from tests.browser.seed import Library
from triage.cancellation import cancel
from triage.models import Round

ROW = re.compile(r'href="/environments/[^"/]+/([^"]+)/" data-open')


def test_lists_the_checks_that_the_reader_may_see(reader: Client, done: Round) -> None:
    text = reader.get(f"/rounds/{done.pk}/").content.decode()
    assert len(ROW.findall(text)) == 12
    assert "secret" not in text


def test_filters_checks_by_status_state_and_words(reader: Client, done: Round) -> None:
    def listed(query: str) -> list[str]:
        return ROW.findall(reader.get(f"/rounds/{done.pk}/?{query}").content.decode())

    by_status = [listed(f"status={name}") for name in ("solvable", "broken", "unproven", "error")]
    assert sum(map(len, by_status)) == 12
    assert listed("q=reorder-005") == ["reorder-005"]
    assert listed("state=error") == listed("status=error")
    assert listed("sort=-environment") == sorted(listed(""), reverse=True)


def test_the_download_says_how_each_check_ended(reader: Client, done: Round) -> None:
    answer = reader.get(f"/rounds/{done.pk}/?format=csv&status=broken")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows
    assert {row["status"] for row in rows} == {"broken"}
    assert all(int(row["findings"]) >= 1 for row in rows)


def test_a_round_without_a_finished_check_has_no_rates(reader: Client, shop: Library) -> None:
    row = seed.running_round([shop], done=0)
    text = reader.get(f"/rounds/{row.pk}/").content.decode()
    assert "0 of 12" in text
    assert "None yet." in text


def test_who_may_cancels_a_running_round_and_reads_who_did(
    client: Client, curator: User, shop: Library
) -> None:
    row = seed.running_round([shop], done=5)
    client.force_login(curator)
    page = client.get(f"/rounds/{row.pk}/").content.decode()
    assert f'action="/rounds/{row.pk}/cancel/"' in page
    answer = client.post(f"/rounds/{row.pk}/cancel/")
    assert answer["Location"] == f"/rounds/{row.pk}/"
    text = client.get(answer["Location"]).content.decode()
    assert "Cancelled by curator after 5 of 12" in text
    assert f'href="/rounds/{row.pk}/?state=cancelled">7 cancelled</a>' in text
    assert f'action="/rounds/{row.pk}/cancel/"' not in text
    assert "data-poll" not in text.split('id="running"')[0].split("<main")[-1]
    shown = ROW.findall(client.get(f"/rounds/{row.pk}/?state=cancelled").content.decode())
    assert len(shown) == 7
    listed = client.get("/rounds/").content.decode()
    assert "of 12, cancelled<" in listed
    again = client.post(f"/rounds/{row.pk}/cancel/", follow=True)
    assert "was cancelled before: there is nothing left" in again.content.decode()


def test_who_may_not_cancel_is_not_offered_to_and_refused_in_words(
    reader: Client, shop: Library
) -> None:
    row = seed.running_round([shop], done=5)
    assert "/cancel/" not in reader.get(f"/rounds/{row.pk}/").content.decode()
    answer = reader.post(f"/rounds/{row.pk}/cancel/")
    assert answer.status_code == 403
    assert "viewer may not cancel" in answer.content.decode()
    assert reader.get(f"/rounds/{row.pk}/cancel/").status_code == 405
    row.refresh_from_db()
    assert row.finished is None


def test_nobody_cancels_a_round_of_domains_kept_for_others(
    client: Client, curator: User, shop: Library, secret: Library
) -> None:
    client.force_login(curator)
    hidden, mixed = seed.running_round([secret]), seed.running_round([shop, secret])
    assert client.post(f"/rounds/{hidden.pk}/cancel/").status_code == 404
    assert client.post(f"/rounds/{mixed.pk}/cancel/").status_code == 403


def test_what_was_cancelled_is_listed_with_no_environments_of_the_round(
    reader: Client, shop: Library
) -> None:
    row = seed.running_round([shop], done=5)
    cancel(None, row)
    text = reader.get(f"/environments/?round={row.pk}").content.decode()
    assert len(ROW.findall(text)) == 5
    assert "unverified" not in text.split("list__rows")[1]


def test_errors_are_no_clean_round_and_each_text_stands_above_with_how_many_it_ended(
    reader: Client, shop: Library
) -> None:
    row = seed.open_round([shop])
    missing = (
        "no tool server 'crm' in the settings: add it to the file that names them, " + "x" * 90
    )
    for environment in shop.environments[:2]:
        seed.finish(seed.queued(row, environment), "error", message=missing)
    seed.finish(seed.queued(row, shop.environments[2]), "error", message="the disk is full")
    seed.finish(seed.queued(row, shop.environments[3]), "solvable")
    Round.objects.filter(pk=row.pk).update(finished=timezone.now())
    text = unescape(reader.get(f"/rounds/{row.pk}/").content.decode())
    assert "No findings; 3 checks ended in error, nothing is concluded of them." in text
    assert "came out clean" not in text
    above, below = text.split('id="list"')[1].split("list__body")
    assert above.index(">2 ×</a>") < above.index(missing) < above.index(">1 ×</a>")
    assert f'href="/rounds/{row.pk}/?status=error">1 ×</a>' in above
    assert f">{missing}</span>" in below


def test_a_round_that_never_was_is_not_found(reader: Client, db: None) -> None:
    assert reader.get("/rounds/99999999999999999999/").status_code == 404


def test_a_round_over_both_sorts_of_domains_shows_two_sums(
    reader: Client, shop: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    alone = seed.finished_round([shop], broken=0.5)
    text = reader.get(f"/rounds/{alone.pk}/").content.decode()
    assert text.count('class="tiles"') == 1
    assert "authority=" not in text
    published = seed.library("published", 7, authority="given")
    mixed = seed.finished_round([shop, published], broken=0.5)
    reader.get(f"/rounds/{mixed.pk}/")  # bodies are read once
    with django_assert_num_queries(QUERIES):
        text = reader.get(f"/rounds/{mixed.pk}/").content.decode()
    assert text.count('class="tiles"') == 2
    assert text.index("Our environments <") < text.index("Published environments <")
    numbers = re.findall(r'href="(/environments/[^"]*authority=[^"]*)"[^>]*>(\d+)</a>', text)
    codes = re.findall(r'href="(/environments/[^"]*code=[^"]*)".*?class="count"[^>]*>(\d+)<', text)
    assert len(numbers) == 10
    assert {*re.findall("authority=[a-z]+", str(codes))} == {"authority=ours", "authority=given"}
    for url, number in numbers + codes:
        assert unescape(url).startswith(f"/environments/?round={mixed.pk}&authority=")
        listed = reader.get(unescape(url)).content.decode()
        assert f'<span class="count">{number}</span>' in listed, url


QUERIES = 19
