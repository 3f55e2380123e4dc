from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework.test import APIClient

from components.models import AuditEntry
from tests.browser import seed
from tests.browser.seed import Library
from triage.models import Round


def client_of(user: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(user)
    return client


def test_who_may_run_rounds_cancels_one(curator: User, shop: Library) -> None:
    made = seed.running_round([shop], done=2)
    answer = client_of(curator).post(f"/api/v1/rounds/{made.pk}/cancel/")
    assert answer.status_code == 200
    assert answer.json()["cancelled_by"] == "curator"
    assert answer.json()["cancelled"] == answer.json()["finished"]
    told = client_of(curator).get(f"/api/v1/checks/?round={made.pk}&state=cancelled").json()
    assert told["count"] == 4
    assert {row["status"] for row in told["results"]} == {None}
    summary = client_of(curator).get(f"/api/v1/rounds/{made.pk}/summary/").json()
    assert (summary["environments"], summary["errors"]) == (2, 0)


def test_who_may_not_is_refused_in_words(api: APIClient, shop: Library) -> None:
    made = seed.running_round([shop], done=2)
    answer = api.post(f"/api/v1/rounds/{made.pk}/cancel/")
    assert answer.status_code == 403
    assert APIClient().post(f"/api/v1/rounds/{made.pk}/cancel/").status_code == 401
    made.refresh_from_db()
    assert made.finished is None
    assert not AuditEntry.objects.filter(action="round.cancel").exists()


def test_a_viewer_cancels_what_they_started_themselves(viewer: User, shop: Library) -> None:
    made = seed.running_round([shop], author=viewer)
    assert client_of(viewer).post(f"/api/v1/rounds/{made.pk}/cancel/").status_code == 200


def test_what_is_over_is_in_conflict_and_what_one_may_not_see_is_not_there(
    curator: User, done: Round, secret: Library
) -> None:
    hidden = seed.running_round([secret])
    client = client_of(curator)
    over = seed.finished_round([])
    over.domains.set(done.domains.filter(slug="shop"))
    answer = client.post(f"/api/v1/rounds/{over.pk}/cancel/")
    assert answer.status_code == 409
    assert "is finished: there is nothing left to cancel" in answer.json()["detail"]
    assert client.post(f"/api/v1/rounds/{done.pk}/cancel/").status_code == 403
    assert client.post(f"/api/v1/rounds/{hidden.pk}/cancel/").status_code == 404
    assert client.get(f"/api/v1/rounds/{over.pk}/cancel/").status_code == 405
