from __future__ import annotations

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client


def test_the_schema_is_valid_and_without_a_warning() -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", "/dev/null")


def test_the_schema_is_served_to_who_is_logged_in(client: Client, viewer: User) -> None:
    client.force_login(viewer)
    answer = client.get("/api/schema/")
    assert b"/api/v1/environments/" in answer.content
