from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.browser.seed import Library
from triage.models import Round
from triage.rounds import create_round
from triage.scope import Scope


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


def test_a_scope_narrows_by_name_and_status(curator: User, done: Round) -> None:
    client = client_of(curator)
    broken = [
        row["slug"] for row in client.get("/api/v1/environments/?status=broken").json()["results"]
    ]
    order = {"environments": [f"shop/{broken[0]}", broken[1]], "statuses": ["broken"], "seed": 3}
    answer = client.post("/api/v1/rounds/", order, format="json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["scope"] == {
        "domains": ["shop"],
        "sample": None,
        "seed": 3,
        "environments": sorted(f"shop/{slug}" for slug in broken[:2]),
        "statuses": ["broken"],
    }
    assert Round.objects.get(pk=answer.json()["id"]).checks.count() == 2


def test_a_scope_that_cannot_be_is_refused_in_words(
    curator: User, shop: Library, secret: Library
) -> None:
    client = client_of(curator)
    hidden = secret.environments[0].slug
    for order, word in [
        ({"environments": ["shop/nothing"]}, "no environment shop/nothing in shop"),
        ({"environments": [f"secret/{hidden}"]}, f"no environment secret/{hidden} in shop"),
        ({"statuses": ["broken"]}, "no environment in scope stands as broken"),
        ({"statuses": ["wrong"]}, "is not a valid choice"),
        ({"enviroments": ["x"]}, "There is no such key; there are domains, environments"),
        ({"environments": "x"}, "Expected a list"),
        ({"environments": ["a\u0000b"]}, "Null characters are not allowed"),
    ]:
        answer = client.post("/api/v1/rounds/", order, format="json")
        assert answer.status_code == 400
        assert word in answer.content.decode()
    assert not Round.objects.exists()


def test_a_reader_of_one_domain_reads_that_part_of_a_scope(
    api: APIClient, shop: Library, secret: Library
) -> None:
    names = [f"{one.domain.slug}/{one.environments[0].slug}" for one in (shop, secret)]
    made = create_round(None, Scope(environments=names), queue=False)
    told = api.get(f"/api/v1/rounds/{made.pk}/").json()
    assert told["scope"]["environments"] == names[:1]
    assert "secret" not in str(told)
