"""Faults in a real browser: the list and one fault, by keys, on a desk and on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import seed
from tests.browser.conftest import Visit
from tests.triage import faultcast
from tests.triage.faultcast import evidence
from triage.models import Attribution, Comment, Fault, Suspect, Symptom

WIDTHS = (1440, 900, 380)
TITLES = (
    faultcast.TITLE,
    "the refund window leaves out its last day, so that whoever asks then is refused what the rule grants",
    "order_of_" + "an_unbroken_name_" * 9,
)
CONTROLS = "main :is(a, button, input:not([type=hidden]), select, textarea, progress)"
# The controls that somebody who listens hears no name of.
UNNAMED = """(controls) => [...document.querySelectorAll(controls)].filter((one) => {
  const says = one.matches("a, button") ? one.textContent.trim() : one.labels?.length;
  return one.offsetWidth && !says && !one.getAttribute("aria-label");
}).map((one) => one.outerHTML)"""


@pytest.fixture
def cast(transactional_db: None) -> Fault:
    """Three faults, the first of them with all that a fault may have."""
    library = seed.library("shop", 16)
    done = seed.finished_round([library], broken=0.6, seed=1)
    shown = faultcast.checks(done, "shop")
    rows = [
        faultcast.fault(shown[: 14 - 5 * number], title, status=status)
        for number, (title, status) in enumerate(
            zip(TITLES, ("ongoing", "new", "regressed"), strict=True)
        )
    ]
    row, check = rows[0], shown[0]
    assert check.result is not None
    server, intent, rule = (
        faultcast.part(check, kind) for kind in ("toolserver", "intent", "rule")
    )
    said = [
        evidence(
            "direct",
            "12 of 13 findings point at cancel_order, which returns before it has written anything.",
            finding=check.result.findings.order_by("-pk")[0].pk,
        ),
        evidence(
            "spectrum",
            "cancel_order ran in 13 of 13 failing environments, and in 1 of 21 that pass.",
            episode=check.result.episodes.get(agent__name="reference").key,
            step=2,
        ),
        evidence("counterfactual", "With v1 in its place 13 of 13 pass.", result=check.result_id),
        evidence(
            "version", "It came in with v1, at this line.", version=server.current_id, line=24
        ),
    ]
    faultcast.suspect(row, server, 0.87, state="confirmed", symbol="cancel_order", evidence=said)
    tie = {
        "rank": 2,
        "question": "Does reorder-005 pass with another intent that calls cancel_order?",
    }
    faultcast.suspect(
        row, intent, 0.06, symbol="goal.require[0]", evidence=said[:1], state="consistent", **tie
    )
    faultcast.suspect(
        row, rule, 0.06, symbol="pending-only", evidence=said[1:2], state="untestable", **tie
    )
    faultcast.suspect(row, None, 0.01, rank=4, party="plan", evidence=said[2:3], state="cleared")
    faultcast.suspect(rows[1], rule, 0.5)
    faultcast.suspect(rows[1], intent, 0.5)
    faultcast.trial(faultcast.proposal(row, server, state="waiting"), fixed=13, regressed=0)
    faultcast.trial(
        faultcast.proposal(row, server, title="revert to v1", state="rejected"),
        fixed=9,
        regressed=2,
    )
    Symptom.objects.create(
        fault=row, fingerprint="f" * 16, code="plan-refused", kind="intent", symbol="x" * 120
    )
    Comment.objects.create(fault=row, text="Seen in the spring release too.\nThe vendor knows.")
    faultcast.weighing(row, done=3, total=8)
    return row


def test_list_and_fault_show_without_a_complaint_at_every_width(visit: Visit, cast: Fault) -> None:
    for path in ("/faults/", f"/faults/{cast.pk}/", "/", f"/results/{result_of(cast)}/"):
        for width in WIDTHS:
            visit.page.set_viewport_size({"width": width, "height": 900})
            page = visit.open(path)
            assert page.locator("h1").is_visible(), (path, width)
            assert visit.overflow == 0, (path, width)
            assert page.evaluate(UNNAMED, CONTROLS) == [], (path, width)
    assert not visit.complaints


def result_of(row: Fault) -> str:
    """The key of a result that shows it."""
    check = row.sightings.order_by("pk")[0].check_row
    assert check.result_id is not None
    return check.result_id


def test_moves_by_keys_from_the_list_to_a_fault_and_through_its_suspects(
    visit: Visit, cast: Fault
) -> None:
    page = visit.open("/environments/")
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url("**/faults/")
    for key in ("j", "j", "k", "o"):
        page.keyboard.press(key)
    page.wait_for_url(f"**/faults/{cast.pk}/")
    page.keyboard.press("j")
    best = Suspect.objects.order_by("rank")[0]
    assert page.locator(".suspect.is-at").get_attribute("id") == f"suspect-{best.pk}"
    page.keyboard.press("o")
    page.wait_for_url("**/components/shop/toolserver/shop-api/?version=1")
    assert not visit.complaints


def test_weighing_moves_is_cancelled_and_a_fault_is_put_aside(visit: Visit, cast: Fault) -> None:
    page = visit.open(f"/faults/{cast.pk}/")
    Attribution.objects.update(done=6)
    expect(page.locator(".weighing")).to_contain_text("6 of 8", timeout=8000)
    page.click(".weighing >> text=Cancel")
    page.wait_for_selector("text=Weighing was cancelled by ada")
    page.click("text=Take it")
    expect(page.locator("#assignee")).to_have_value("ada")
    page.click("text=Archive…")
    page.fill("#archive-reason", "a matter of taste")
    page.click(f"text=Archive fault {cast.pk}")
    page.wait_for_selector("text=Archived: a matter of taste")
    assert not visit.complaints
