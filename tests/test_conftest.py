"""The things that other tests stand on do work."""

import subprocess
import sys

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from envcurate.home import BASE_DIR


def test_another_process_reaches_the_test_database(
    transactional_db: None, services: dict[str, str], viewer: User
) -> None:
    script = (
        "import django; django.setup(); from django.contrib.auth.models import User;"
        "print(User.objects.get().username)"
    )
    environment = services | {"DJANGO_SETTINGS_MODULE": "envcurate.settings"}
    seen = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        text=True,
        cwd=BASE_DIR,
        env=environment | {"ENVCURATE_SECRET_KEY": "any"},
    )
    assert seen.stdout == "viewer\n"


def test_the_cast_belongs_to_its_groups(
    viewer: User, reviewer: User, curator: User, admin: User, stranger: User
) -> None:
    groups = {
        user.username: [group.name for group in user.groups.all()] for user in User.objects.all()
    }
    assert groups == {
        "viewer": ["viewer"],
        "reviewer": ["reviewer"],
        "curator": ["curator"],
        "admin": ["admin"],
        "stranger": [],
    }


def test_the_browser_opens_a_page_of_ours(browser: Browser, live_server: LiveServer) -> None:
    page = browser.new_page()
    answer = page.goto(f"{live_server.url}/nowhere/")
    assert answer is not None
    assert answer.headers["content-security-policy"].startswith("default-src 'self'")
    page.close()


@pytest.mark.parametrize("reason", ["no browser: install chromium", "a service is missing"])
def test_ci_takes_a_skipped_test_for_a_failure(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    _plant(pytester, reason)
    monkeypatch.setenv("CI", "true")
    assert pytester.runpytest_subprocess("-p", "no:django").ret == 1
    monkeypatch.delenv("CI")
    assert pytester.runpytest_subprocess("-p", "no:django").ret == 0


def test_ci_lets_a_test_miss_its_data_folder(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    _plant(pytester, "data folder is not here")
    monkeypatch.setenv("CI", "true")
    assert pytester.runpytest_subprocess("-p", "no:django").ret == 0


def _plant(pytester: pytest.Pytester, reason: str) -> None:
    pytester.makepyfile(f"import pytest\n\ndef test_it() -> None:\n    pytest.skip({reason!r})\n")
    hook = "from tests.strictness import pytest_runtest_makereport\n"
    pytester.makeconftest(f"import sys\nsys.path.insert(0, {str(BASE_DIR)!r})\n{hook}")
