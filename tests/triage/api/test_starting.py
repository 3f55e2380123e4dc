from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.browser.seed import Library
from triage.models import Round


def client_of(user: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(user)
    return client


def test_who_may_starts_a_round(curator: User, shop: Library) -> None:
    order = {"domains": ["shop"], "panel": ["reference", "noop"], "sample": 2}
    answer = client_of(curator).post("/api/v1/rounds/", order, format="json")
    assert answer.status_code == 201
    made = Round.objects.get(pk=answer.json()["id"])
    assert (made.author, made.panel, made.checks.count()) == (curator, ["reference", "noop"], 2)


def test_who_may_not_is_refused(api: APIClient, shop: Library) -> None:
    answer = api.post("/api/v1/rounds/", {}, format="json")
    assert answer.status_code == 403
    assert not Round.objects.exists()


def test_a_round_that_cannot_be_is_refused_in_words(
    curator: User, shop: Library, secret: Library
) -> None:
    client = client_of(curator)
    for order, word in [
        ({"domains": ["secret"]}, "no domain secret"),
        ({"panel": ["nobody"]}, "no agent nobody"),
    ]:
        answer = client.post("/api/v1/rounds/", order, format="json")
        assert answer.status_code == 400
        assert word in answer.json()["detail"]
    assert client.post("/api/v1/rounds/", {"sample": 0}, format="json").status_code == 400
    assert not Round.objects.exists()
