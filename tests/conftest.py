"""What every test may use: services, the fixed cast of users, a browser.

Without DATABASE_URL and REDIS_URL the services that come with Envcurate run in a home of their
own, made for this process and removed after it: tests in two processes have two of everything.
"""

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from hypothesis import settings as hypothesis_settings
from playwright.sync_api import Browser, sync_playwright
from pytest_django.fixtures import Settings

from envcurate import embedded

pytest_plugins = ["tests.strictness"]

CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

LONGEST = [
    "benchmarks/faults/test_answerkeys.py",
    "benchmarks/test_detection.py",
    "library/test_environments.py",
    "examples/test_meetings_outside.py",
    "library/test_tau2_differential.py",
    "browser/test_pages.py",
    "envcurate/test_embedded.py",
    "triage/test_worker.py",
    "triage/test_trials_killed.py",
    "docker/test_docker.py",
    "library/test_tau2_findings.py",
    "triage/test_command_round.py",
    "triage/test_command_benchmark.py",
    "benchmarks/test_tau2.py",
    "library/test_search.py",
    "triage/test_attribution.py",
    "test_conftest.py",
]
"""The files of tests that take half a minute and more, longest first."""

# A short path that other users may enter: as root, the services run as another one.
HOME = Path(tempfile.mkdtemp(prefix="envcurate-test-", dir="/tmp"))
os.environ |= {"ENVCURATE_HOME": str(HOME), "ENVCURATE_FAST": "1"}


# Started in the background, as by nohup, they would ignore interrupts, and all that they start too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Cores are shared: how long an example took says nothing about the code.
hypothesis_settings.register_profile("shared", deadline=None)
hypothesis_settings.load_profile("shared")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several processes, begin with the longest files, lest one is left alone with one of them."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        ranks = {Path(__file__).parent / name: rank for rank, name in enumerate(LONGEST)}
        items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


def pytest_sessionfinish() -> None:
    embedded.leave()
    for _ in range(100):
        try:
            shutil.rmtree(HOME)
            break
        except OSError:  # the services, on their way out, still tidy up there
            time.sleep(0.1)


@pytest.fixture(autouse=True)
def quick_passwords(settings: Settings) -> None:
    """Hashing a password well takes a third of a second, and nearly every test logs somebody in."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def services(db: None) -> dict[str, str]:
    """Environment variables with which another process reaches the test database and the broker.

    It sees only what was committed: use it together with `transactional_db`.
    """
    place = connection.get_connection_params()
    name = place["dbname"]
    user = f"{quote(place['user'])}:{quote(place['password'])}"
    host = quote(place["host"], safe="") + (f":{place['port']}" if place.get("port") else "")
    return {
        "DATABASE_URL": f"postgresql://{user}@{host}/{name}",
        "REDIS_URL": os.environ.get("REDIS_URL") or embedded.services().broker_url,
    }


def member(name: str, group: str | None = None) -> User:
    """A user whose password is the name, in `group`."""
    user = User.objects.create_user(name, password=name)
    if group:
        user.groups.add(Group.objects.get_or_create(name=group)[0])
    return user


@pytest.fixture
def viewer(db: None) -> User:
    return member("viewer", "viewer")


@pytest.fixture
def reviewer(db: None) -> User:
    return member("reviewer", "reviewer")


@pytest.fixture
def curator(db: None) -> User:
    return member("curator", "curator")


@pytest.fixture
def admin(db: None) -> User:
    return member("admin", "admin")


@pytest.fixture
def stranger(db: None) -> User:
    """Someone who may log in and belongs to no group."""
    return member("stranger")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real browser; each test opens a page of its own: `browser.new_page()`."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no browser: install chromium")
    # Playwright runs a loop in this thread, which Django takes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield opened
        opened.close()
