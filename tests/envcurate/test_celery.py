"""The broker: the one that is set, or the one that comes along."""

import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from pytest_django.fixtures import Settings

from envcurate import embedded
from envcurate.celery import app
from envcurate.children import Child
from envcurate.home import BASE_DIR
from tests.envcurate.holder import home_of, is_alive, keepers, me, wait_until


@pytest.fixture
def own_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with home_of(me()) as home:
        monkeypatch.setenv("ENVCURATE_HOME", str(home))
        yield home


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


def test_a_killed_worker_leaves_neither_processes_nor_services(
    tmp_path: Path, own_home: Path
) -> None:
    command = [sys.executable, "-m", "celery", "-A", "envcurate", "worker", "--beat"]
    command += ["--schedule", str(tmp_path / "beat"), "--concurrency", "1", "--loglevel", "info"]
    worker = Child("the worker", command, tmp_path / "log", BASE_DIR)
    assert wait_until(lambda: " ready." in worker.log.read_text(), 30)
    below = psutil.Process(worker.process.pid).children(recursive=True)
    assert len(below) >= 2  # its pool and its beat
    worker.process.kill()
    worker.process.wait()
    assert wait_until(lambda: not any(is_alive(process.pid) for process in below), 5)
    assert wait_until(lambda: not keepers(own_home), 5)
