"""Versions over the API."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from tests.triage.api.desk import Desk, client_of
from triage.models import Check


@pytest.fixture
def desk(db: None) -> Desk:
    return Desk()


def test_a_version_has_the_text_of_its_file(api: APIClient, desk: Desk) -> None:
    (listed,) = api.get("/api/v1/components/?kind=toolserver").json()["results"]
    versions = api.get(f"/api/v1/components/{listed['id']}/").json()["versions"]
    said = api.get(f"/api/v1/versions/{versions[-1]['id']}/").json()
    assert (said["component"], said["number"]) == ("pen", 1)
    assert "db.update" in said["text"]


def test_an_old_one_is_restored_as_a_new_one(desk: Desk, curator: User) -> None:
    first = desk.pen.versions.get(number=1)
    path = f"/api/v1/versions/{first.pk}/restore/"
    assert client_of(curator).post(path, {}, format="json").status_code == 400
    answer = client_of(curator).post(path, {"reason": "it saved"}, format="json")
    assert answer.status_code == 201, answer.content
    said = answer.json()
    assert (said["number"], said["digest"], said["reason"]) == (3, first.body_id, "it saved")
    again = client_of(curator).post(path, {"reason": "it saved"}, format="json")
    assert again.status_code == 409
    assert "nothing to restore" in again.json()["detail"]


def test_who_may_not_is_refused(api: APIClient, desk: Desk) -> None:
    path = f"/api/v1/versions/{desk.pen.versions.get(number=1).pk}/restore/"
    answer = api.post(path, {"reason": "mine"}, format="json")
    assert answer.status_code == 403
    assert "viewer may not restore versions" in answer.json()["detail"]


def test_of_a_domain_kept_for_others_it_is_not_there(api: APIClient, desk: Desk) -> None:
    desk.shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert api.get(f"/api/v1/versions/{desk.pen.current_id}/").status_code == 404
    assert Check.objects.exists()
