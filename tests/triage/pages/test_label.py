"""Labelling a finding on the page of an environment."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.http import HttpResponse
from django.test import Client

from components.models import AuditEntry
from tests.browser import seed
from tests.browser.seed import Library
from triage.models import Finding, Label


@pytest.fixture
def found(shop: Library) -> Finding:
    """What breaks the first environment of the shop."""
    row = seed.open_round([shop])
    check = seed.finish(seed.queued(row, shop.environments[0]), "unproven")
    assert check.result is not None
    check.result.status, check.result.witness = "broken", "plan"
    check.result.save()
    return seed.finding(shop.environments[0], check.result, "tool-crash")


@pytest.fixture
def judge(client: Client, reviewer: User) -> Client:
    """A browser in which a reviewer is logged in."""
    client.force_login(reviewer)
    return client


def path(shop: Library) -> str:
    return f"/environments/shop/{shop.environments[0].slug}/"


def say(client: Client, found: Finding, **said: str) -> HttpResponse:
    answer = client.post(f"/findings/{found.pk}/label/", said, follow=True)
    assert isinstance(answer, HttpResponse)
    return answer


def test_a_dismissal_changes_where_the_environment_stands_and_says_why(
    judge: Client, found: Finding, shop: Library
) -> None:
    assert "broken" in judge.get(path(shop)).content.decode().split("</h1>")[0].split("<h1")[1]
    answer = say(judge, found, label="wrong", reason="the log <i>shows</i> a refusal")
    assert answer.request["PATH_INFO"] == path(shop)  # type: ignore[attr-defined]  # of the test client
    text = answer.content.decode()
    assert "solvable" in text.split("</h1>")[0].split("<h1")[1]
    assert "the log &lt;i&gt;shows&lt;/i&gt; a refusal" in text
    assert "says reviewer" in text
    assert ">dismissed</span>" in text
    assert AuditEntry.objects.filter(action="finding.label").exists()


def test_a_dismissal_without_a_reason_is_refused_in_words(judge: Client, found: Finding) -> None:
    text = say(judge, found, label="wrong").content.decode()
    assert "tool-crash was not labelled: a finding that is dismissed needs a reason" in text
    assert not Label.objects.exists()


def test_a_label_that_is_neither_is_refused_in_words(judge: Client, found: Finding) -> None:
    assert "right or wrong, not maybe" in say(judge, found, label="maybe").content.decode()
    assert "right or wrong, not unsaid" in say(judge, found).content.decode()


def test_goes_back_to_the_environment_that_it_came_from(
    judge: Client, found: Finding, shop: Library
) -> None:
    row = seed.open_round([shop])
    other = seed.queued(row, shop.environments[1])
    other.result, other.state = found.result, "done"
    other.save()
    for environment in shop.environments[:2]:
        answer = judge.post(
            f"/findings/{found.pk}/label/", {"label": "right", "environment": str(environment.pk)}
        )
        where = f"/environments/shop/{environment.slug}/#finding-{found.pk}"
        assert answer["Location"] == where


def test_the_form_is_shown_to_who_may_use_it(
    client: Client, found: Finding, shop: Library, viewer: User, reviewer: User
) -> None:
    action = f'action="/findings/{found.pk}/label/"'
    for user, is_shown in ((viewer, False), (reviewer, True)):
        client.force_login(user)
        assert (action in client.get(path(shop)).content.decode()) is is_shown


def test_a_viewer_is_refused_with_the_reason(client: Client, found: Finding, viewer: User) -> None:
    client.force_login(viewer)
    answer = say(client, found, label="right")
    assert answer.status_code == 403
    assert "viewer may not label findings" in answer.content.decode()


def test_a_form_of_another_site_is_refused(found: Finding, reviewer: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    assert say(client, found, label="right").status_code == 403
    assert not Label.objects.exists()


def test_what_a_reader_may_not_see_is_not_there(
    judge: Client, found: Finding, shop: Library
) -> None:
    shop.domain.readers.add(Group.objects.create(name="few"))
    assert say(judge, found, label="right").status_code == 404
    assert judge.get(f"/findings/{found.pk}/label/").status_code == 405


def test_what_the_component_accepts_is_shown_with_reason_and_name(
    judge: Client, found: Finding, shop: Library
) -> None:
    assert found.component is not None
    entry = {"code": found.code, "at": found.symbol, "reason": "as published", "by": "ann"}
    found.component.about = {"accept": [entry]}
    found.component.save()
    text = judge.get(path(shop)).content.decode()
    assert "Accepted by ann: as published" in text
    assert ">accepted</span>" in text
    assert "solvable" in text.split("</h1>")[0].split("<h1")[1]
    where = f"/components/shop/{found.component.kind}/{found.component.slug}/"
    assert ">accepted</span>" in judge.get(where).content.decode()
