"""What the tests in a real browser share: a server on the test database, and a page that is logged in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer


class Visit:
    """A page of the site as somebody sees it, with all that its console said."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def log_in(self, name: str) -> Visit:
        """As the user `name`, whose password is the name."""
        self.open("/accounts/login/")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", name)
        self.page.click("button[type=submit]")
        return self

    def open(self, path: str) -> Page:
        """Go to a path and wait until all of it is loaded and its scripts have run."""
        self.page.goto(self.base + path, wait_until="load")
        return self.page

    @property
    def overflow(self) -> int:
        """By how many pixels the page scrolls sideways."""
        found = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        return max(0, int(found))


@pytest.fixture
def somebody(transactional_db: None) -> User:
    """Someone who may do everything."""
    return User.objects.create_superuser("ada", password="ada")


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def stranger_visit(browser: Browser, live_server: LiveServer, theme: str) -> Iterator[Visit]:
    """A visit in one theme by nobody yet."""
    context = browser.new_context(
        color_scheme="dark" if theme == "dark" else "light",
        viewport={"width": 1440, "height": 900},
    )
    yield Visit(context.new_page(), live_server.url)
    context.close()


@pytest.fixture
def visit(stranger_visit: Visit, somebody: User, client: Client) -> Visit:
    """A visit that is logged in already: the form is tried in a test of its own."""
    client.force_login(somebody)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    stranger_visit.page.context.add_cookies(
        [{"name": cookie.key, "value": cookie.value, "url": stranger_visit.base}]
    )
    return stranger_visit
