"""The page of the audit sample."""

from __future__ import annotations

import csv
import io

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from components.models import Environment
from tests.browser import seed
from tests.browser.seed import Library
from triage.audit_sample import create, label
from triage.models import AuditItem, AuditSample, Certificate, Check, Round


@pytest.fixture
def sample(done: Round, shop: Library, secret: Library) -> AuditSample:
    """All that is certified in both domains."""
    for check in Check.objects.filter(round=done, result__status="solvable"):
        assert check.result is not None
        Certificate.objects.create(
            environment_id=check.environment_id,
            bundle=check.bundle,
            result=check.result,
            recipe=done.recipe,
            checks={},
            agents={},
            engine={},
            witness="plan",
        )
    return create(None, 99, seed=1)


def lines(client: Client, query: str = "") -> list[dict[str, str]]:
    answer = client.get(f"/sample/?format=csv&{query}")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    return list(csv.DictReader(io.StringIO(text)))


def test_lists_what_is_to_be_read_and_nothing_of_domains_kept_for_others(
    reader: Client, sample: AuditSample
) -> None:
    text = reader.get("/sample/").content.decode()
    mine = AuditItem.objects.filter(stratum="shop").count()
    assert text.count("<tr data-row") == mine == len(lines(reader)) > 0
    assert "secret" not in text
    assert "nothing read yet" in text
    assert 'data-key="' not in text  # a viewer says nothing


def test_a_reviewer_says_of_an_item_what_it_is_and_takes_it_back(
    client: Client, reviewer: User, sample: AuditSample
) -> None:
    client.force_login(reviewer)
    item = AuditItem.objects.filter(stratum="shop")[0]
    url = f"/sample/items/{item.pk}/label/"
    answer = client.post(url, {"verdict": "defective", "back": "/sample/?verdict=unread#item-9"})
    assert answer["Location"] == "/sample/?verdict=unread#item-9"
    item.refresh_from_db()
    assert (item.verdict, item.by) == ("defective", reviewer)
    assert [row["verdict"] for row in lines(client, "verdict=defective")] == ["defective"]
    assert "1 defective of 1 read: 100%, between" in client.get("/sample/").content.decode()
    answer = client.post(url, {"verdict": "unread", "back": "https://elsewhere.example/"})
    assert answer["Location"] == "/sample/"
    item.refresh_from_db()
    assert item.verdict == ""
    assert client.post(url, {"verdict": "fine"}).status_code == 404


def test_the_overview_says_what_was_read_last_and_no_bounds_of_nothing(
    client: Client, reviewer: User, sample: AuditSample
) -> None:
    client.force_login(reviewer)
    for path in ("/", "/sample/"):
        text = client.get(path).content.decode()
        assert "nothing read yet" in text
        assert "95% confidence" not in text
    item = AuditItem.objects.filter(stratum="shop", sample=sample)[0]
    label(reviewer, item, "sound")
    create(None, 2, seed=2, domains=["shop"], name="later")
    text = client.get("/").content.decode()
    assert f'<a href="/sample/?sample={sample.name}">0 defective of 1 read: at most 95%</a>' in text
    assert "with 95% confidence in each bound; " in text


def test_a_note_with_a_nul_is_kept_without_it(
    client: Client, reviewer: User, sample: AuditSample
) -> None:
    client.force_login(reviewer)
    item = AuditItem.objects.filter(stratum="shop")[0]
    client.post(f"/sample/items/{item.pk}/label/", {"verdict": "sound", "note": "fi\x00ne"})
    item.refresh_from_db()
    assert (item.verdict, item.note) == ("sound", "fine")


def test_a_curator_draws_one(client: Client, curator: User, sample: AuditSample) -> None:
    client.force_login(curator)
    assert "Draw a sample" in client.get("/sample/").content.decode()
    answer = client.post("/sample/draw/", {"size": "2", "domain": ""})
    made = AuditSample.objects.latest("pk")
    assert answer["Location"] == f"/sample/?sample={made.name}"
    assert made.items.count() == 2
    text = client.post("/sample/draw/", {"size": "99"}, follow=True).content.decode()
    assert "99 were asked for, and " in text
    text = client.post("/sample/draw/", {"size": "0"}, follow=True).content.decode()
    assert "No sample was drawn" in text


def test_says_what_changed_since_it_was_drawn(
    reader: Client, sample: AuditSample, shop: Library
) -> None:
    assert "changed since" not in reader.get("/sample/").content.decode()
    item = AuditItem.objects.filter(stratum="shop")[0]
    Environment.objects.filter(pk=item.environment_id).update(seed=99)
    assert reader.get("/sample/").content.decode().count("changed since") == 1


def test_filters_and_searches(reader: Client, sample: AuditSample) -> None:
    slug = AuditItem.objects.filter(stratum="shop")[0].environment.slug
    assert [row["environment"] for row in lines(reader, f"q={slug}")] == [slug]
    assert lines(reader, "verdict=sound") == []
    assert "Nothing fits these filters" in reader.get("/sample/?verdict=sound").content.decode()
    assert reader.get("/sample/?sample=nothing").status_code == 404


def test_without_a_sample_it_says_how_to_draw_one(reader: Client, shop: Library) -> None:
    assert "audit_sample create --size 20" in reader.get("/sample/").content.decode()


def test_viewers_are_refused(reader: Client, sample: AuditSample) -> None:
    item = AuditItem.objects.filter(stratum="shop")[0]
    assert reader.post(f"/sample/items/{item.pk}/label/", {"verdict": "sound"}).status_code == 403
    assert reader.post("/sample/draw/", {"size": "2"}).status_code == 403
    hidden = AuditItem.objects.filter(stratum="secret")[0]
    assert reader.post(f"/sample/items/{hidden.pk}/label/", {"verdict": "sound"}).status_code == 404


def test_the_queries_do_not_grow_with_the_sample(
    reader: Client,
    sample: AuditSample,
    shop: Library,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(2):
        with django_assert_num_queries(QUERIES):
            reader.get("/sample/")
        for number in range(20, 30):
            made = seed.environment(shop, number, f"more-{AuditItem.objects.count()}")
            AuditItem.objects.create(
                sample=sample, environment=made, bundle="0" * 64, stratum="shop", population=40
            )


QUERIES = 16
