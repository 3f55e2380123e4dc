from __future__ import annotations

import pytest
from django.utils import timezone

from tests.browser import seed
from tests.browser.conftest import Visit
from triage.models import Round


@pytest.fixture(params=["light"])
def theme(request: pytest.FixtureRequest) -> str:
    """What moves is the same in the dark."""
    return str(request.param)


def test_progress_moves_and_the_page_loads_again_when_the_round_is_done(visit: Visit) -> None:
    made = seed.library("shop", 6)
    row = seed.running_round([made], done=2)
    page = visit.open(f"/rounds/{row.pk}/")
    assert "2 of 6" in page.locator(".progress").inner_text()
    for number, check in enumerate(row.checks.filter(result=None)):
        seed.finish(check, "solvable", number)
    page.wait_for_selector(".progress__count:has-text('6 of 6')", timeout=8000)
    Round.objects.filter(pk=row.pk).update(finished=timezone.now())
    page.wait_for_selector(".head__note:has-text('took')", timeout=8000)
    assert page.locator(".progress").count() == 0
    assert not visit.complaints


def test_a_round_is_cancelled_after_one_question_in_place(visit: Visit) -> None:
    made = seed.library("shop", 6)
    row = seed.running_round([made], done=2)
    page = visit.open(f"/rounds/{row.pk}/")
    confirm = page.get_by_role("button", name=f"Cancel round {row.pk}")
    assert not confirm.is_visible()
    page.click("text=Cancel this round")
    confirm.click()
    page.wait_for_selector("text=Cancelled by ada after 2 of 6")
    assert page.locator(".progress").count() == 0
    row.refresh_from_db()
    assert row.cancelled is not None
    assert not visit.complaints


def test_a_round_starts_over_what_the_list_shows(visit: Visit) -> None:
    seed.finished_round([seed.library("shop", 6)], broken=0.5, seed=1)
    page = visit.open("/environments/?status=broken")
    shown = page.locator("[data-row]").count()
    page.click(f"text=Run a round over these {shown}")
    page.wait_for_selector("text=over shop: those broken when it began")
    assert Round.objects.latest("pk").checks.count() == shown > 0
    assert not visit.complaints


def test_works_without_javascript(visit: Visit) -> None:
    made = seed.library("shop", 6)
    seed.finished_round([made], broken=0.5)
    browser = visit.page.context.browser
    assert browser is not None
    plain = browser.new_context(java_script_enabled=False)
    try:
        page = Visit(plain.new_page(), visit.base).log_in("ada").page
        page.goto(f"{visit.base}/environments/?status=solvable")
        page.click("[data-row] .solver")
        page.click("#step-6 .step__head")
        assert "step=6" in page.url
        assert page.locator(".step--open").get_attribute("id") == "step-6"
    finally:
        plain.close()
