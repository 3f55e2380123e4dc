"""A search for repairs: what it proposed, what else it tried, and why that lost."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser.seed import Library
from tests.triage import proposalcast, repaircast
from tests.triage.pages.test_untrusted import EVIL
from triage.models import Alternative, Proposal, Repair
from triage.models.repair import Fate
from triage.pages.identity import FATES

ROW = re.compile(r'href="/alternatives/(\d+)/" data-open')
QUERIES = 16
"""Session, user and permissions, rounds at work, the search, three facets, the page with its components, and what was
proposed."""


@pytest.fixture
def made(shop: Library) -> Proposal:
    row, _ = proposalcast.tried(shop)
    return row


@pytest.fixture
def held(shop: Library, made: Proposal) -> Repair:
    """A search that is done, with one alternative of each fate but invalid."""
    assert made.fault is not None
    seen = [one.pk for one in shop.environments[2:5]]
    return repaircast.searched(made.fault, made, looked_at=seen)


def page(client: Client, held: Repair, query: str = "") -> str:
    answer = client.get(f"/repairs/{held.pk}/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def listed(client: Client, held: Repair, query: str = "") -> list[int]:
    """The ranks of the alternatives on the page."""
    ranks = dict(held.alternatives.values_list("pk", "rank"))
    return [ranks[int(pk)] for pk in ROW.findall(page(client, held, query))]


def table(client: Client, held: Repair, query: str) -> list[dict[str, str]]:
    answer = client.get(f"/repairs/{held.pk}/?format=csv{query}")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    return list(csv.DictReader(io.StringIO(text)))


def test_every_fate_has_a_sign_and_words() -> None:
    assert set(FATES) == set(Fate.values)
    assert len({look.sign for look in FATES.values()}) == len(FATES)


def test_the_numbers_count_all_candidates_and_lead_to_those_that_were_kept(
    reader: Client, held: Repair
) -> None:
    text = page(reader, held)
    assert '<span class="count">45</span>' in text
    assert "<dt>plan fails</dt>" in text
    assert f'<a href="/repairs/{held.pk}/?fate=failing">30</a>' in text
    assert listed(reader, held, "?fate=failing") == [5]


def test_those_that_came_furthest_are_first_with_why_they_lost(
    reader: Client, held: Repair, made: Proposal
) -> None:
    assert listed(reader, held) == [1, 2, 3, 4, 5, 6]
    text = page(reader, held)
    assert "which is likelier." in text
    assert f'href="/proposals/{made.pk}/"' in text
    assert 'href="/components/shop/toolserver/shop-api/"' in text
    assert ">72%<" in text


@pytest.mark.parametrize(
    ("query", "ranks"),
    [
        ("?fate=uncured&fate=outranked", [2, 4]),
        ("?proposer=revert", [4]),
        ("?component=toolserver/shop-api", [1, 2, 3, 4, 5, 6]),
        ("?component=rule/refunds", []),
        ("?q=clause+pending", [6]),
        ("?q=sound", [3]),
        ("?sort=likelihood", [6, 5, 4, 3, 2, 1]),
        ("?sort=-cured", [3, 1, 2, 4, 5, 6]),
        ("?sort=nonsense&page=99&fate=nonsense", []),
    ],
)
def test_filters_and_sorts(reader: Client, held: Repair, query: str, ranks: list[int]) -> None:
    held.alternatives.filter(rank=3).update(cured=["reorder-005"])
    assert listed(reader, held, query) == ranks


def test_every_choice_of_every_facet_counts_what_it_lists(reader: Client, held: Repair) -> None:
    found = re.findall(
        r'class="facet__choice" href="/repairs/\d+/(\?[^"]+)".*?class="count">(\d+)<',
        page(reader, held),
        re.DOTALL,
    )
    assert {query[1:].partition("=")[0] for query, _ in found} == {"fate", "proposer", "component"}
    for query, count in found:
        assert len(listed(reader, held, unescape(query))) == int(count) > 0, query


def test_the_environments_that_it_looked_at_do_not_judge(
    reader: Client, held: Repair, shop: Library
) -> None:
    text = page(reader, held)
    names = [one.slug for one in shop.environments[2:5]]
    for name in names:
        assert f'href="/environments/shop/{name}/"' in text
    assert "they do not judge" in text
    rows = table(reader, held, "&list=looked-at")
    assert [row["environment"] for row in rows] == sorted(names)


def test_the_download_holds_what_the_page_lists_in_its_order(reader: Client, held: Repair) -> None:
    rows = table(reader, held, "&sort=likelihood&fate=uncured&fate=proposed")
    assert [row["rank"] for row in rows] == ["4", "1"]
    assert rows[1]["diff"].startswith("'---")
    assert reader.get(f"/repairs/{held.pk}/?format=csv&list=nothing").status_code == 404


def test_what_runs_shows_how_far_it_is_and_offers_the_end_to_who_may(
    reader: Client, client: Client, reviewer: User, made: Proposal
) -> None:
    assert made.fault is not None
    held = repaircast.repair(made.fault, "running", done=12, total=43)
    text = page(reader, held)
    assert "12 candidates tried, 43 known" in text
    assert "at most 29." in text
    assert "Cancel" not in text
    client.force_login(reviewer)
    assert f'action="/repairs/{held.pk}/cancel/"' in page(client, held)
    assert "Their numbers appear here" in text


def test_one_without_candidates_teaches_the_next_step(reader: Client, made: Proposal) -> None:
    assert made.fault is not None
    held = repaircast.repair(made.fault)
    text = page(reader, held)
    assert "Nobody had a candidate." in text
    assert "weigh the suspects" in text


def test_one_of_a_domain_kept_for_others_is_not_found(
    reader: Client, held: Repair, shop: Library
) -> None:
    shop.domain.readers.add(Group.objects.create(name="others"))
    first = held.alternatives.all()[0]
    for path in (
        f"/repairs/{held.pk}/",
        f"/repairs/{held.pk}/progress/",
        f"/alternatives/{first.pk}/",
    ):
        assert reader.get(path).status_code == 404, path


def test_what_proposers_made_of_components_is_text(reader: Client, held: Repair) -> None:
    Alternative.objects.update(
        says=EVIL, because=EVIL, authority=EVIL, proposer=EVIL[:40], components=[EVIL], cured=[EVIL]
    )
    Alternative.objects.filter(rank=1).update(diff=repaircast.diff(name=EVIL, after=EVIL))
    Alternative.objects.filter(rank=2).update(diff=EVIL, fate=EVIL[:10])
    pks = list(held.alternatives.values_list("pk", flat=True))
    for path in (f"/repairs/{held.pk}/", *(f"/alternatives/{pk}/" for pk in pks)):
        text = reader.get(path).content.decode()
        assert "<script>alert" not in text
        assert "<img src=x" not in text


def test_as_many_queries_for_sixty_alternatives_as_for_six(
    reader: Client, held: Repair, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    page(reader, held)
    with django_assert_num_queries(QUERIES):
        page(reader, held)
    for rank in range(7, 67):
        repaircast.alternative(held, rank)
    with django_assert_num_queries(QUERIES):
        page(reader, held)
    assert len(listed(reader, held)) == 50
    assert len(listed(reader, held, "?page=2")) == 16
