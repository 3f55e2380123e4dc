"""The broker: the one that is set, or the one that comes along."""

import pytest
from pytest_django.fixtures import Settings

from envcurate import embedded
from envcurate.celery import app


def test_messages_go_through_the_broker_that_comes_along(settings: Settings) -> None:
    settings.CELERY_BROKER_URL = None
    for connection in (app.connection_for_write(), app.connection_for_read()):
        with connection:
            queue = connection.SimpleQueue("test_celery")
            queue.put({"id": 7}, serializer="json")
            assert queue.get(timeout=5).payload == {"id": 7}
            queue.close()


def test_no_password_is_shown(settings: Settings) -> None:
    settings.CELERY_BROKER_URL = None
    found = embedded.services()
    password = found.broker_url.split(":")[2].split("@")[0]
    assert len(password) > 30
    assert password not in app.connection_for_write().as_uri()
    assert password not in repr(found)
    assert found.postgres.password not in repr(found)


def test_a_broker_of_ones_own_is_used(settings: Settings) -> None:
    settings.CELERY_BROKER_URL = "redis://broker.example:6379/1"
    assert app.connection_for_write().as_uri() == "redis://:**@broker.example:6379/1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task_acks_late", True),
        ("worker_prefetch_multiplier", 1),
        ("task_time_limit", 60),
        ("result_backend", None),
        ("accept_content", ["json"]),
    ],
)
def test_a_lost_or_repeated_message_does_no_harm(name: str, value: object) -> None:
    assert app.conf[name] == value


def test_the_reconciler_comes_round_every_few_seconds() -> None:
    assert app.conf.beat_schedule["reconcile"] == {
        "task": "triage.tasks.reconcile",
        "schedule": 15,
    }
