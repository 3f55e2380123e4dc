from __future__ import annotations

import pytest

from tests.browser import seed
from tests.browser.conftest import Visit
from triage.models import Episode


@pytest.fixture(params=["light"])
def theme(request: pytest.FixtureRequest) -> str:
    """Keys are the same in the dark."""
    return str(request.param)


@pytest.fixture
def done(transactional_db: None) -> None:
    seed.finished_round([seed.library("shop", 6)], broken=0.0)


@pytest.fixture
def two_pages(transactional_db: None) -> None:
    seed.finished_round([seed.library("shop", 60)], broken=0.0)


def test_moves_through_rows_and_opens_one(visit: Visit, done: None) -> None:
    page = visit.open("/environments/")
    for key in ("j", "j", "j", "k"):
        page.keyboard.press(key)
    name = page.locator("tr.is-at .name__link .cut").inner_text()
    page.keyboard.press("o")
    page.wait_for_url("**/environments/shop/**")
    assert page.locator("h1").inner_text().endswith(name)


def test_searches_turns_pages_and_goes_places(visit: Visit, two_pages: None) -> None:
    page = visit.open("/environments/")
    page.keyboard.press("n")
    page.wait_for_url("**page=2")
    page.keyboard.press("/")
    page.keyboard.type("reorder")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=reorder**")
    assert page.locator("h1 .count").inner_text() == "10"
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/rounds/")
    page.keyboard.press("g")
    page.keyboard.press("f")
    page.wait_for_url("**/codes/")


def test_lists_the_keys(visit: Visit, done: None) -> None:
    page = visit.open("/")
    page.keyboard.press("?")
    assert page.locator("dialog[open]").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_arrows_walk_through_an_episode_and_back_in_the_history(visit: Visit, done: None) -> None:
    episode = Episode.objects.filter(agent__name="reference", reward=1)[0]
    page = visit.open(f"/episodes/{episode.key}/?step=5")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**step=6")
    page.wait_for_selector("#step-6.step--open")
    assert page.locator(".change").count() == 1
    page.go_back()
    page.wait_for_selector("#step-5.step--open")
    assert not visit.complaints


def test_the_theme_is_remembered(visit: Visit, done: None) -> None:
    page = visit.open("/")
    page.click("[data-theme-toggle]")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert visit.open("/rounds/").locator("html").get_attribute("data-theme") == "dark"
