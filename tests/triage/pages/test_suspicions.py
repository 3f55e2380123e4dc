"""The queue of suspicious passes, and one cluster of them."""

from __future__ import annotations

import csv
import io

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.triage.shop import Shop
from tests.triage.suspects import spoilt, strays, suspected
from triage.models import Check, Result, Suspicion
from triage.suspicions import scan


@pytest.fixture
def notes(db: None) -> Shop:
    """A domain in which two environments and a third have suspicious passes."""
    made = Shop()
    spoilt(made)
    suspected(made, "a", "b")
    return made


def lines(client: Client, url: str) -> list[dict[str, str]]:
    answer = client.get(url)
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    return list(csv.DictReader(io.StringIO(text)))


def stray() -> Suspicion:
    return Suspicion.objects.filter(kind="other-effect").order_by("pk")[0]


def test_lists_clusters_with_what_they_count(reader: Client, notes: Shop) -> None:
    text = reader.get("/suspicions/").content.decode()
    clusters = Suspicion.objects.values("fingerprint").distinct().count()
    rows = lines(reader, "/suspicions/?format=csv")
    assert text.count("<tr data-row") == clusters == len(rows)
    assert {row["kind"] for row in rows} == {"other-effect", "weaker-agent"}
    only = lines(reader, "/suspicions/?format=csv&kind=other-effect&agent=llm&domain=notes&q=a")
    assert [row["intent"] for row in only] == ["a"]
    assert lines(reader, "/suspicions/?format=csv&reading=wrong") == []
    assert "Nothing fits" in reader.get("/suspicions/?reading=right").content.decode()


def test_the_rail_leads_to_what_people_read_and_says_where_one_is(
    reader: Client, notes: Shop
) -> None:
    here = ["/suspicions/", f"/suspicions/{stray().fingerprint}/", "/sample/"]
    for path, link in zip(here, ["/suspicions/", "/suspicions/", "/sample/"], strict=True):
        rail = reader.get(path).content.decode().split('<nav class="rail"')[1].split("</nav>")[0]
        assert f'href="{link}" aria-current="page"' in rail
        assert rail.count("aria-current") == 1


def test_a_cluster_shows_its_passes_beside_the_references(reader: Client, notes: Shop) -> None:
    row = stray()
    text = reader.get(f"/suspicions/{row.fingerprint}/").content.decode()
    assert "Only it changed notes/N2#text." in text
    assert "<code>notes/N2#text</code>" in text
    assert '<span class="soft">unchanged</span>' in text
    assert f'href="/episodes/{row.episode_id}/"' in text
    reference = row.result.episodes.get(agent__name="reference")
    assert f'href="/episodes/{reference.key}/"' in text
    assert 'data-key="' not in text  # a viewer says nothing
    (line,) = lines(reader, f"/suspicions/{row.fingerprint}/?format=csv")
    assert (line["episode"], line["reading"]) == (row.episode_id, "unread")


def test_a_reviewer_says_wrong_and_right(client: Client, reviewer: User, notes: Shop) -> None:
    client.force_login(reviewer)
    row = stray()
    here = f"/suspicions/{row.fingerprint}/"
    url = f"/suspicions/{row.pk}/label/"
    answer = client.post(url, {"reading": "wrong", "back": f"{here}#suspicion-{row.pk}"})
    assert answer["Location"] == f"{here}#suspicion-{row.pk}"
    row.refresh_from_db()
    assert (row.reading, row.by) == ("wrong", reviewer)
    assert f"counterexample {row.counterexample_id}</a>" in client.get(here).content.decode()
    client.post(url, {"reading": "right", "note": "fi\x00ne"})
    row.refresh_from_db()
    assert (row.reading, row.note) == ("right", "fine")
    client.post(url, {"reading": "unread"})
    row.refresh_from_db()
    assert (row.reading, row.counterexample) == ("", None)
    answer = client.post(url, {"reading": "maybe", "back": here}, follow=True)
    assert "right or wrong, not &#x27;maybe&#x27;" in answer.content.decode()


def test_viewers_are_refused_and_strangers_see_nothing(reader: Client, notes: Shop) -> None:
    row = stray()
    assert reader.post(f"/suspicions/{row.pk}/label/", {"reading": "wrong"}).status_code == 403
    notes.domain.readers.add(Group.objects.create(name="insiders"))
    assert reader.get(f"/suspicions/{row.fingerprint}/").status_code == 404
    assert reader.post(f"/suspicions/{row.pk}/label/", {"reading": "wrong"}).status_code == 404
    assert "suspicions --scan" in reader.get("/suspicions/").content.decode()


def test_the_queries_do_not_grow_with_the_passes(
    reader: Client, notes: Shop, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    row = stray()
    check = Check.objects.select_related("environment", "result").get(result=row.result)
    reader.get(f"/suspicions/{row.fingerprint}/")  # bodies are read once
    for attempt in (1, 2):
        with django_assert_num_queries(QUERIES):
            reader.get(f"/suspicions/{row.fingerprint}/")
        with django_assert_num_queries(QUERIES_OF_LIST):
            reader.get("/suspicions/")
        strays(check, attempt)
        scan(Result.objects.all())


QUERIES = 12
QUERIES_OF_LIST = 11
