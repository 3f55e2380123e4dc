"""What people read, in a real browser: one key says what it is, and nothing is wider than the screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.triage.shop import Shop
from tests.triage.suspects import suspected
from triage.audit_sample import create
from triage.counterexamples import make
from triage.models import AuditItem, Counterexample, Round, Suspicion


@pytest.fixture
def read(transactional_db: None) -> Shop:
    """Three environments with a suspicious pass each, all of them drawn into a sample."""
    made = Shop()
    suspected(made, "a", "b", "c")
    Round.objects.close()
    create(None, 3, seed=1)
    return made


def test_the_pages_show_without_a_complaint_on_a_desk_and_on_a_phone(
    visit: Visit, read: Shop
) -> None:
    row = Suspicion.objects.order_by("pk")[0]
    made = make(None, row.episode, 0, "a reason of " + "very long words " * 20 + "x" * 200)
    paths = {
        "/": "Read by people",
        "/suspicions/": "Suspicious passes",
        f"/suspicions/{row.fingerprint}/": "Only it changed",
        "/sample/": "Estimated residual defects",
        f"/environments/notes/{row.environment.slug}/#counterexample-{made.pk}": "retire it…",
        f"/episodes/{row.episode_id}/": "This pass is wrong…",
    }
    for width in (1440, 390):
        visit.page.set_viewport_size({"width": width, "height": 850})
        for path, words in paths.items():
            page = visit.open(path)
            assert words in page.locator("main").inner_text(), path
            assert visit.overflow == 0, (path, width)
    assert not visit.complaints


def test_one_key_labels_the_row_and_the_next_one_is_at_hand(visit: Visit, read: Shop) -> None:
    page = visit.open("/sample/?verdict=unread")
    page.keyboard.press("s")  # no row is chosen yet: nothing happens
    for key in ("j", "s"):
        page.keyboard.press(key)
    page.wait_for_selector("tr.is-at")
    assert page.locator("[data-row]").count() == 2
    page.keyboard.press("d")
    expect(page.locator("[data-row]")).to_have_count(1)
    said = AuditItem.objects.exclude(verdict="").order_by("environment__slug")
    assert list(said.values_list("verdict", flat=True)) == ["sound", "defective"]
    assert not visit.complaints


def test_a_pass_is_called_wrong_by_a_key_and_that_is_taken_back(visit: Visit, read: Shop) -> None:
    row = Suspicion.objects.order_by("pk")[0]
    page = visit.open(f"/suspicions/{row.fingerprint}/")
    for key in ("j", "w"):
        page.keyboard.press(key)
    page.wait_for_selector(".badge.verdict-wrong")
    assert Counterexample.objects.kept().count() == 1
    for key in ("j", "u"):
        page.keyboard.press(key)
    page.wait_for_selector(".badge.verdict-unread")
    assert Counterexample.objects.kept().count() == 0
