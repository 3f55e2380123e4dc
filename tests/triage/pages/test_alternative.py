"""One candidate of a search for repairs."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser.seed import Library
from tests.triage import proposalcast, repaircast
from triage.models import Alternative, Repair


@pytest.fixture
def held(shop: Library) -> Repair:
    row, _ = proposalcast.tried(shop)
    assert row.fault is not None
    return repaircast.searched(row.fault, row)


def page(client: Client, row: Alternative) -> str:
    answer = client.get(f"/alternatives/{row.pk}/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_its_diff_is_drawn_side_by_side_with_the_lines_of_the_file(
    reader: Client, held: Repair
) -> None:
    text = page(reader, held.alternatives.all()[0])
    assert "<code>toolserver/shop-api</code>" in text
    assert "<ins>, &quot;refund&quot;: order[&quot;total&quot;]</ins>" in text
    assert "lines the same" in text


def test_it_says_why_it_lost_what_it_rests_on_and_where_it_cured(
    reader: Client, held: Repair, shop: Library
) -> None:
    row = held.alternatives.all()[1]
    row.cured = [shop.environments[0].slug, "gone"]
    row.save()
    text = page(reader, row)
    assert "Why it lost" in text
    assert "proposal 1 ranks above it" in text
    assert "return_item: refund" in text
    assert f'href="/environments/shop/{shop.environments[0].slug}/"' in text


def test_it_leads_to_those_before_and_after_it(reader: Client, held: Repair) -> None:
    first, second, third, *_ = held.alternatives.all()
    text = page(reader, second)
    assert f'href="/alternatives/{first.pk}/"' in text
    assert f'href="/alternatives/{third.pk}/"' in text
    assert ">Previous</a>" not in page(reader, first)


def test_a_diff_that_nobody_understands_is_shown_as_it_is(reader: Client, held: Repair) -> None:
    row = held.alternatives.all()[0]
    row.diff = "take the row out of desks"
    row.save()
    assert '<pre class="value">take the row out of desks</pre>' in page(reader, row)
    row.diff = ""
    row.save()
    assert "No diff of it was kept." in page(reader, row)


def test_the_queries_are_few(
    reader: Client, held: Repair, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    row = held.alternatives.all()[0]
    page(reader, row)
    with django_assert_num_queries(8):
        page(reader, row)
