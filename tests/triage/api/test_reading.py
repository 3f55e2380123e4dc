from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from tests.browser import seed
from tests.browser.seed import Library
from triage.models import Check, Episode, Round
from triage.rounds import progress, summary

LISTS = ["domains", "components", "environments", "rounds", "checks", "episodes", "findings"]


def rows(api: APIClient, path: str) -> list[Any]:
    answer = api.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


@pytest.mark.parametrize("name", LISTS)
def test_shows_nothing_to_strangers(name: str, done: Round) -> None:
    assert APIClient().get(f"/api/v1/{name}/").status_code == 401


@pytest.mark.parametrize("name", LISTS)
def test_lists_pages_without_a_word_of_domains_kept_for_others(
    api: APIClient, name: str, done: Round
) -> None:
    answer = api.get(f"/api/v1/{name}/?limit=2")
    assert set(answer.json()) == {"count", "next", "previous", "results"}
    assert len(answer.json()["results"]) <= 2
    assert "secret" not in api.get(f"/api/v1/{name}/?limit=200").content.decode()


@pytest.mark.parametrize("name", [name for name in LISTS if name != "rounds"])
def test_writes_nothing(api: APIClient, name: str, done: Round) -> None:
    assert api.post(f"/api/v1/{name}/", {}).status_code == 405
    assert api.delete(f"/api/v1/{name}/").status_code == 405


def test_a_token_opens_it(viewer: User, done: Round) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {Token.objects.create(user=viewer)}")
    assert len(rows(client, "environments/")) == 6


def test_environments_filter_like_the_page(api: APIClient, done: Round) -> None:
    by_status = [
        rows(api, f"environments/?status={name}")
        for name in ("solvable", "broken", "unproven", "error", "unverified")
    ]
    assert sum(map(len, by_status)) == 6
    (one,) = rows(api, "environments/?q=reorder-005")
    assert one["components"]["toolserver"] == ["shop-api"]
    assert len(rows(api, f"environments/?round={done.pk}")) == 6
    assert not rows(api, "environments/?round=999")


def test_a_component_has_its_versions_and_its_body(api: APIClient, shop: Library) -> None:
    (server,) = rows(api, "components/?kind=toolserver")
    one = api.get(f"/api/v1/components/{server['id']}/").json()
    assert one["versions"][0]["number"] == 1
    assert one["versions"][0]["digest"] == one["digest"]
    assert "def cancel_order" in one["body"]["source"]


def test_a_round_tells_its_summary_and_progress(
    api: APIClient, viewer: User, done: Round, shop: Library
) -> None:
    assert api.get(f"/api/v1/rounds/{done.pk}/summary/").json() == dict(summary(done, viewer))
    going = seed.running_round([shop], done=2)
    told = api.get(f"/api/v1/rounds/{going.pk}/progress/").json()
    assert (told["done"], told["total"]) == (2, progress(going, viewer)["total"])
    (listed,) = [row for row in rows(api, "rounds/") if row["id"] == done.pk]
    assert listed["domains"] == ["shop"]


def test_a_check_has_its_findings_and_episodes(api: APIClient, done: Round) -> None:
    listed = rows(api, f"checks/?round={done.pk}&status=broken")
    assert listed
    one = api.get(f"/api/v1/checks/{listed[0]['id']}/").json()
    assert one["findings"][0]["component"]
    assert {episode["agent"] for episode in one["episodes"]} == set(seed.PANEL)
    assert one["manifest"]["intent"]["slug"] == one["environment"]


def test_a_check_that_did_not_end_well_has_neither(api: APIClient, shop: Library) -> None:
    row = seed.open_round([shop])
    check = seed.finish(seed.queued(row, shop.environments[0]), "error")
    one = api.get(f"/api/v1/checks/{check.pk}/").json()
    assert (one["status"], one["findings"], one["episodes"]) == ("error", [], [])


def test_an_episode_has_its_whole_document(api: APIClient, done: Round, secret: Library) -> None:
    (listed, *_) = rows(api, f"episodes/?round={done.pk}&agent=reference")
    assert "document" not in listed
    one = api.get(f"/api/v1/episodes/{listed['key']}/").json()
    assert one["document"]["steps"]
    hidden = Episode.objects.filter(results__checks__environment__domain=secret.domain)[0]
    assert api.get(f"/api/v1/episodes/{hidden.key}/").status_code == 404


def test_findings_filter_by_round_code_and_severity(api: APIClient, done: Round) -> None:
    found = rows(api, f"findings/?round={done.pk}&limit=200")
    checks = Check.objects.filter(round=done, environment__domain__slug="shop")
    assert len(found) == sum(
        check.result.findings.count() for check in checks if check.result is not None
    )
    code = found[0]["code"]
    assert {one["code"] for one in rows(api, f"findings/?code={code}")} == {code}
    assert not [
        one for one in rows(api, "findings/?severity=warning") if one["severity"] != "warning"
    ]
    assert not rows(api, "findings/?round=nonsense")


@pytest.mark.parametrize("name", LISTS)
def test_as_many_queries_whatever_the_number_of_rows(
    api: APIClient, name: str, done: Round, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(9):
        rows(api, f"{name}/?limit=200")
