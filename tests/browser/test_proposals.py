"""Proposals in a real browser, in both themes: read on a phone, decided by keys, written without losing a word."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import seed
from tests.browser.conftest import Visit
from tests.browser.seed import Library
from tests.triage import proposalcast, repaircast
from triage.models import Proposal
from triage.models.proposal import ProposalState


@pytest.fixture
def made(transactional_db: None) -> Library:
    """A shop with a proposal that was tried."""
    library = seed.library("shop", 4)
    seed.finished_round([library], broken=0.5)
    return library


def test_the_pages_show_without_a_complaint_on_a_desk_and_on_a_phone(
    visit: Visit, made: Library
) -> None:
    row, done = proposalcast.tried(made, regressed=1, weakens=True)
    Proposal.objects.filter(pk=row.pk).update(title="long " * 20 + "x" * 190)
    running = proposalcast.proposal(made, state=ProposalState.TRYING)
    proposalcast.trial([running], state="running", stage="probe")
    paths = {
        "/": "Waiting for you",
        "/proposals/": "Try the chosen together",
        f"/proposals/{row.pk}/": "What was not checked",
        f"/proposals/{running.pk}/": "is running",
        f"/trials/{done.pk}/": "judged anew",
        "/proposals/new/": "What should change?",
        f"/proposals/{row.pk}/edit/": "Keep as a draft",
        "/proposals/new/?component=shop/records/spring": "Find rows",
    }
    for width in (1440, 380):
        visit.page.set_viewport_size({"width": width, "height": 850})
        for path, words in paths.items():
            page = visit.open(path)
            assert words in page.locator("main").inner_text(), path
            assert visit.overflow == 0, (path, width)
    visit.open(f"/proposals/{row.pk}/")
    wide = "document.querySelector('.diff__text--new').offsetWidth"
    assert visit.page.evaluate(wide) > 200, "the diff is too narrow to be read"
    assert not visit.complaints


def test_a_repair_and_its_alternatives_show_and_are_walked_by_keys(
    visit: Visit, made: Library
) -> None:
    row, _ = proposalcast.tried(made)
    assert row.fault is not None
    held = repaircast.searched(row.fault, row, looked_at=[one.pk for one in made.environments])
    held.alternatives.filter(rank=3).update(says="x" * 300, because="y" * 300, authority="z" * 300)
    running = repaircast.repair(row.fault, "running", done=3, total=40)
    long = held.alternatives.get(rank=3)
    paths = {
        f"/repairs/{held.pk}/": "What it looked at",
        f"/repairs/{running.pk}/": "3 candidates tried",
        f"/alternatives/{long.pk}/": "Why it lost",
        f"/faults/{row.fault_id}/": "Searching for repairs",
        f"/proposals/{row.pk}/": "Where it ranks",
    }
    for width in (1280, 400):
        visit.page.set_viewport_size({"width": width, "height": 850})
        for path, words in paths.items():
            page = visit.open(path)
            assert words in page.locator("main").inner_text(), path
            assert visit.overflow == 0, (path, width)
    page = visit.open(f"/repairs/{held.pk}/")
    for key in ("j", "j", "o"):
        page.keyboard.press(key)
    first = held.alternatives.get(rank=1)
    page.wait_for_url(f"**/alternatives/{first.pk}/")
    page.keyboard.press("n")
    page.wait_for_url(f"**/alternatives/{held.alternatives.get(rank=2).pk}/")
    assert not visit.complaints


def test_keys_open_the_proposal_and_approve_it(visit: Visit, made: Library) -> None:
    row, _ = proposalcast.tried(made)
    page = visit.open("/proposals/")
    page.keyboard.press("j")
    page.keyboard.press("x")
    assert page.locator("input[type=checkbox]:checked").count() == 1
    page.keyboard.press("o")
    page.wait_for_url(f"**/proposals/{row.pk}/")
    page.keyboard.press("a")
    expect(page.locator("#approve-comment")).to_be_focused()
    page.keyboard.type("read it")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("read it")
    row.refresh_from_db()
    assert (row.state, row.comment) == ("approved", "read it")
    assert not visit.complaints


def test_what_is_typed_is_checked_and_the_caret_stays(visit: Visit, made: Library) -> None:
    page = visit.open("/proposals/new/?component=shop/toolserver/shop-api")
    text = page.locator(".editor__text")
    lines = text.input_value().count("\n") + 1
    expect(page.locator(".editor__numbers span")).to_have_count(lines)
    text.focus()
    page.keyboard.press("Control+End")
    for typed in ("def x(:", "\n", "# more"):
        page.keyboard.type(typed)
    expect(page.locator(".problems")).to_contain_text(f"line {lines}")
    page.keyboard.type("!")
    assert text.input_value().endswith("# more!")
    page.locator("a[data-line]").first.click()
    assert page.evaluate("getSelection().toString()") == "def x(:"
    page.keyboard.press("Tab")
    assert "    \n# more!" in text.input_value()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(text).not_to_be_focused()
    assert not visit.complaints
