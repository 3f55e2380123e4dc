"""Every main page in a real browser, in both themes: nothing refused by the policy, nothing wider than the screen."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from components.models import Domain
from tests.browser import seed
from tests.browser.conftest import Visit
from triage.models import Check, Round
from worlds.rule import Rule

PAGES = {
    "overview": "/",
    "environments": "/environments/?status=broken",
    "environment": "/environments/shop/reorder-005/",
    "components": "/components/",
    "source": "/components/shop/toolserver/shop-api/",
    "outline": "/components/shop/intent/reorder-005/",
    "records": "/components/shop/records/spring/?table=orders&row=%23W1003",
    "rounds": "/rounds/",
    "codes": "/codes/",
    "code": "/codes/tool-crash/",
    "audit": "/audit/",
    "missing": "/environments/shop/nothing/",
}


@pytest.fixture
def done(transactional_db: None) -> Round:
    made = seed.library("shop", 6)
    return seed.finished_round([made], broken=0.5, seed=1)


def test_every_page_shows_without_a_complaint_on_a_desk_and_on_a_phone(
    visit: Visit, done: Round
) -> None:
    for name, path in PAGES.items():
        for width in (1440, 390):
            visit.page.set_viewport_size({"width": width, "height": 850})
            page = visit.open(path)
            assert page.locator("h1").is_visible(), (name, width)
            assert visit.overflow == 0, (name, width)
        complaints = [one for one in visit.complaints if "404 (Not Found)" not in one]
        assert not complaints, name


def test_somebody_logs_in(stranger_visit: Visit, somebody: User) -> None:
    page = stranger_visit.log_in("ada").page
    page.wait_for_url(f"{stranger_visit.base}/")
    assert page.locator("h1").is_visible()
    assert not stranger_visit.complaints


def test_shows_a_round_and_an_episode(visit: Visit, done: Round) -> None:
    check = Check.objects.filter(round=done, result__status="broken")[0]
    assert check.result is not None
    episode = check.result.episodes.get(agent__name="reference")
    for path in (f"/rounds/{done.pk}/", f"/episodes/{episode.key}/?step=6"):
        visit.open(path)
        assert visit.overflow == 0
    assert not visit.complaints


def test_draws_the_solvability_line(visit: Visit, done: Round) -> None:
    page = visit.open("/")
    page.wait_for_selector(".js-plotly-plot .scatterlayer .trace", state="attached")
    assert (
        page.locator(".scatterlayer .trace").count() == 3
    )  # solvability, reference, and the floor for the three that understand nothing
    page.click("[data-theme-toggle]")
    page.wait_for_selector(".js-plotly-plot .scatterlayer .trace", state="attached")
    assert not visit.complaints


def test_names_of_500_letters_and_markup_break_no_page(visit: Visit, done: Round) -> None:
    check = Check.objects.filter(round=done, result__status="broken")[0]
    check.environment.slug = "<b>" + "long-name " * 15 + "x" * 140
    check.environment.save()
    assert check.result is not None
    check.result.findings.update(message="y" * 500, place="z" * 390, code="c" * 40)
    shown = f"/environments/shop/{check.environment.slug}/"
    for path in ("/environments/", shown, f"/rounds/{done.pk}/", "/"):
        for width in (1440, 390):
            visit.page.set_viewport_size({"width": width, "height": 850})
            visit.open(path)
            assert visit.overflow == 0, (path, width)
    assert not visit.complaints


def test_the_words_of_the_bar_on_a_phone_have_room_in_their_boxes(
    visit: Visit, done: Round
) -> None:
    for width in (390, 320):
        visit.page.set_viewport_size({"width": width, "height": 850})
        room = visit.open("/environments/").evaluate(
            """() => [...document.querySelectorAll('.rail__link')].filter(one => one.offsetWidth)
            .map(one => (one.offsetWidth - one.querySelector('span').offsetWidth) / 2)"""
        )
        assert len(room) == 6
        assert min(room) >= 3, (width, room)


def test_a_long_condition_is_set_as_code_and_long_prose_is_not(visit: Visit, done: Round) -> None:
    body = {
        "text": "Many words of prose. " * 12,
        "clauses": [
            {
                "id": "long",
                "on": "call",
                "quote": "Many words of prose",
                "require": "size(tool) > 0 && " * 12 + "true",
            }
        ],
    }
    seed.version(Domain.objects.get(slug="shop"), "long", Rule.parse(body))
    page = visit.open("/components/shop/rule/long/")
    fonts = page.locator(".outline__line--prose .outline__text").evaluate_all(
        "all => all.map(one => getComputedStyle(one).fontFamily.includes('monospace'))"
    )
    assert fonts == [False, True]
