from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client

from tests.browser.seed import Library


def test_logs_in_and_goes_where_one_was_going(client: Client, viewer: User) -> None:
    form = client.get("/accounts/login/?next=/rounds/").content.decode()
    assert "go on to <code>/rounds/</code>" in form
    answer = client.post(
        "/accounts/login/", {"username": "viewer", "password": "viewer", "next": "/rounds/"}
    )
    assert answer["Location"] == "/rounds/"


def test_a_wrong_password_says_so_and_keeps_the_name(client: Client, viewer: User) -> None:
    answer = client.post("/accounts/login/", {"username": "viewer", "password": "wrong"})
    text = answer.content.decode()
    assert "do not go together" in text
    assert 'value="viewer"' in text


def test_logs_out(reader: Client) -> None:
    assert reader.post("/accounts/logout/")["Location"] == "/accounts/login/"
    assert reader.get("/")["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/environments/",
        "/environments/shop/reorder-005/",
        "/components/",
        "/components/shop/rule/refunds/",
        "/episodes/x/",
        "/rounds/",
        "/rounds/1/",
        "/rounds/1/progress/",
        "/rounds/running/",
        "/audit/",
    ],
)
def test_no_page_shows_anything_to_strangers(client: Client, shop: Library, path: str) -> None:
    assert client.get(path)["Location"].startswith("/accounts/login/?next=")


def test_who_is_in_no_group_may_read_what_is_open(
    client: Client, stranger: User, shop: Library
) -> None:
    client.force_login(stranger)
    assert client.get("/environments/").status_code == 200


def test_a_page_that_is_not_there_says_so_in_the_house_style(reader: Client) -> None:
    answer = reader.get("/nowhere/<script>/")
    text = answer.content.decode()
    assert answer.status_code == 404
    assert "There is no such page" in text
    assert "<script>/" not in text
    assert 'class="card"' in text


def test_the_page_of_our_own_trouble_needs_nothing() -> None:
    text = render_to_string("500.html")
    assert "The fault is ours" in text
