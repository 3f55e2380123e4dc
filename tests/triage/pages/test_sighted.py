"""Which environments show a fault, as the list of them filters by it."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from tests.browser import seed
from tests.browser.seed import Library
from tests.triage import faultcast
from tests.triage.pages.test_environments import listed, table
from triage.models import Check, Fault, Round
from triage.pages.scope import words
from triage.sightings import showing


@pytest.fixture
def shown(done: Round) -> list[Check]:
    return faultcast.checks(done, "shop")[:3]


@pytest.fixture
def row(shown: list[Check]) -> Fault:
    return faultcast.fault(shown)


def again(shop: Library, check: Check, status: str, *, is_gathered: bool = True) -> Check:
    """The environment checked once more."""
    later = seed.open_round([shop])
    made = seed.finish(seed.queued(later, check.environment), status, 50)
    later.finished = timezone.now()
    later.gathered = timezone.now() if is_gathered else None
    later.save()
    return made


def test_page_download_and_api_list_the_same(
    reader: Client, row: Fault, shown: list[Check]
) -> None:
    slugs = {check.environment.slug for check in shown}
    assert set(listed(reader, f"fault={row.pk}")) == slugs
    assert {one["environment"] for one in table(reader, f"fault={row.pk}")} == slugs
    asked = reader.get(f"/api/v1/environments/?fault={row.pk}").json()
    assert {one["slug"] for one in asked["results"]} == slugs
    text = reader.get(f"/environments/?fault={row.pk}&status=broken").content.decode()
    assert 'class="chips__clear" href="/environments/"' in text


def test_several_faults_widen_and_nonsense_finds_nothing(
    reader: Client, row: Fault, done: Round
) -> None:
    other = faultcast.fault(faultcast.checks(done, "shop")[2:5], "another")
    assert len(listed(reader, f"fault={row.pk}&fault={other.pk}")) == 5
    for query in ("fault=nonsense", "fault=999999999999", "fault=0"):
        assert listed(reader, query) == []


def test_what_is_mended_shows_it_no_longer_and_did_in_its_round(
    reader: Client, row: Fault, shown: list[Check], shop: Library
) -> None:
    again(shop, shown[0], "solvable")
    assert len(listed(reader, f"fault={row.pk}")) == 2
    assert len(listed(reader, f"fault={row.pk}&round={shown[0].round_id}")) == 3
    assert showing().count() == 2


def test_while_a_round_is_not_gathered_it_mends_nothing(
    reader: Client, row: Fault, shown: list[Check], shop: Library
) -> None:
    again(shop, shown[0], "solvable", is_gathered=False)
    assert showing().count() == 3
    assert len(listed(reader, f"fault={row.pk}")) == 3


def test_trouble_of_ours_says_nothing_of_a_fault(
    reader: Client, row: Fault, shown: list[Check], shop: Library
) -> None:
    again(shop, shown[0], "error")
    assert showing().count() == 3


def test_a_round_over_what_shows_a_fault_says_so(row: Fault) -> None:
    kept = {"domains": ["shop"], "filters": {"fault": [str(row.pk)]}}
    assert words(kept) == f"shop: those that show fault {row.pk}"
