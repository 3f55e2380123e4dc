"""The demo's parts; the whole of it runs in `make demo`."""

import socket

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError
from django.test import Client

from envcurate import demo
from envcurate.home import secret


def test_a_port_that_is_taken_is_passed_over() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert demo.free_port(port) > port


def test_no_free_port_is_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "PORTS_TRIED", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(CommandError, match="set PORT"):
            demo.free_port(taken.getsockname()[1])


def test_the_demo_user_can_log_in_and_is_made_once(client: Client, db: None) -> None:
    Group.objects.get_or_create(name="admin")
    for _ in range(2):
        demo.make_demo_user()
    assert User.objects.filter(username="demo").count() == 1
    assert client.login(username="demo", password=secret("demo-password"))
