"""Triage: the list of faults."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.triage import faultcast
from tests.triage.pages.test_untrusted import EVIL
from triage.models import Fault, Round

ROW = re.compile(r'href="/faults/(\d+)/" data-open')


def listed(client: Client, query: str = "") -> list[int]:
    """The faults on a page of the list."""
    answer = client.get(f"/faults/?{query}")
    assert answer.status_code == 200
    return [int(pk) for pk in ROW.findall(answer.content.decode())]


def table(client: Client, query: str = "") -> list[dict[str, str]]:
    """The list as CSV."""
    answer = client.get(f"/faults/?format=csv&{query}")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def cast(done: Round, reviewer: User) -> dict[str, Fault]:
    """A fault of each status in the shop, and one in the domain kept for others."""
    shown = faultcast.checks(done, "shop")
    made = {
        "ongoing": faultcast.fault(shown[:6], status="ongoing", assignee=reviewer),
        "new": faultcast.fault(
            shown[:2], "the refund window ends a day early", code="plan-refused"
        ),
        "regressed": faultcast.fault(shown[:4], "rooms overlap", status="regressed"),
        "fixed": faultcast.fault(shown[:3], "a typing slip", status="fixed"),
        "archived": faultcast.fault(shown[:1], "a matter of taste", status="archived"),
        "secret": faultcast.fault(faultcast.checks(done, "secret"), "what nobody may know"),
    }
    server, intent = (faultcast.part(shown[0], kind) for kind in ("toolserver", "intent"))
    faultcast.suspect(made["ongoing"], server, state="confirmed")
    faultcast.suspect(made["ongoing"], intent, 0.1, rank=2)
    faultcast.suspect(made["new"], intent, 0.5)
    faultcast.suspect(made["new"], server, 0.5)
    faultcast.suspect(made["regressed"], None, party="plan")
    return made


def test_lists_what_is_open_the_greatest_gain_first(reader: Client, cast: dict[str, Fault]) -> None:
    open_ones = [cast[name].pk for name in ("ongoing", "regressed", "new")]
    assert listed(reader) == open_ones
    text = reader.get("/faults/").content.decode()
    assert '?status=fixed">1 fixed</a>' in text
    assert "what nobody may know" not in text
    assert listed(reader, "sort=gain") == [open_ones[i] for i in (2, 1, 0)]
    assert listed(reader, "sort=-newest") == [cast[n].pk for n in ("regressed", "new", "ongoing")]
    for name in ("status", "fault", "assignee", "nonsense"):
        assert sorted(listed(reader, f"sort={name}")) == sorted(open_ones)


def test_every_choice_of_every_facet_counts_what_it_lists(
    reader: Client, cast: dict[str, Fault]
) -> None:
    page = reader.get("/faults/").content.decode()
    choices = re.findall(
        r'class="facet__choice" href="/faults/\?([^"]+)"[^>]*>.*?class="count">(\d+)<',
        page,
        re.DOTALL,
    )
    assert {query.partition("=")[0] for query, _ in choices} == {
        "status",
        "domain",
        "suspect",
        "code",
        "assignee",
    }
    for query, count in choices:
        assert len(listed(reader, unescape(query))) == int(count) > 0, query


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("status=fixed&status=archived", {"fixed", "archived"}),
        ("domain=secret", set()),
        ("suspect=intent", {"new"}),
        ("suspect=toolserver", {"ongoing"}),
        ("suspect=plan", {"regressed"}),
        ("code=plan-refused", {"new"}),
        ("assignee=reviewer", {"ongoing"}),
        ("assignee=nobody", {"new", "regressed"}),
        ("assignee=nobody&assignee=reviewer", {"new", "regressed", "ongoing"}),
        ("q=REFUND+day", {"new"}),
        ("q=plan-ref", {"new"}),
        ("q=shop-api", {"new", "ongoing"}),
        ("q=%25", set()),
        ("q=%00&page=99&status=nonsense", set()),
    ],
)
def test_filters(reader: Client, cast: dict[str, Fault], query: str, names: set[str]) -> None:
    assert set(listed(reader, query)) == {cast[name].pk for name in names}


def test_each_row_leads_to_its_environments(reader: Client, cast: dict[str, Fault]) -> None:
    text = reader.get("/faults/?status=new&status=ongoing&status=fixed").content.decode()
    for name in ("ongoing", "new", "fixed"):
        row = cast[name]
        found = re.search(
            rf'href="(/environments/\?fault={row.pk}(?:&amp;[^"]*)?)"[^>]*>(\d+)<', text
        )
        assert found is not None
        behind = reader.get(unescape(found[1])).content.decode()
        assert f'<span class="count">{found[2]}</span>' in behind.split("</h1>")[0]
        assert int(found[2]) == row.environments


def test_says_who_is_suspected_most_and_of_a_tie_that_it_is_one(
    reader: Client, cast: dict[str, Fault]
) -> None:
    rows = {int(row["fault"]): row for row in table(reader)}
    best = rows[cast["ongoing"].pk]
    assert (best["suspect"], best["state"], best["tied with"]) == (
        "shop/shop-api",
        "confirmed",
        "0",
    )
    assert rows[cast["new"].pk]["tied with"] == "1"
    assert (rows[cast["regressed"].pk]["suspect"], rows[cast["regressed"].pk]["kind"]) == (
        "plan",
        "plan",
    )
    text = reader.get("/faults/?status=new").content.decode()
    assert 'title="1 other is as suspect">tie</span>' in text


def test_the_download_holds_what_the_page_lists_in_its_order(
    reader: Client, cast: dict[str, Fault]
) -> None:
    faultcast.proposal(
        cast["ongoing"], faultcast.part(cast["ongoing"].sightings.all()[0].check_row, "toolserver")
    )
    for query in ("sort=-gain", "status=fixed&sort=newest", "q=shop-api"):
        assert [int(row["fault"]) for row in table(reader, query)] == listed(reader, query)
    assert table(reader)[0]["repairs proposed"] == "1"
    Fault.objects.update(title="=1+1")
    assert {row["title"] for row in table(reader)} == {"'=1+1"}


def test_what_tools_made_up_is_text(reader: Client, cast: dict[str, Fault]) -> None:
    Fault.objects.update(title=EVIL, code=EVIL[:40])
    for query in ("", f"q={EVIL}", f"status={EVIL}&code={EVIL}&suspect={EVIL}&sort={EVIL}"):
        text = reader.get(f"/faults/?{query}").content.decode()
        assert "<script>alert" not in text
        assert "<img src=x" not in text


def test_without_faults_the_next_step_is_taught(reader: Client, done: Round) -> None:
    assert "python manage.py round" in reader.get("/faults/").content.decode()
    faultcast.fault(faultcast.checks(done, "shop")[:2], status="fixed")
    text = reader.get("/faults/").content.decode()
    assert "No fault is open." in text
    assert "?status=fixed" in text


def test_as_many_queries_for_sixty_faults_as_for_two(
    reader: Client, done: Round, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    check = faultcast.checks(done, "shop")[0]
    for number in range(60):
        row = faultcast.fault([check], f"fault {number}")
        faultcast.suspect(row, faultcast.part(check, "toolserver"))
        if number in (1, 59):
            with django_assert_num_queries(QUERIES):
                reader.get("/faults/")
    assert len(listed(reader)) == 50
    assert len(listed(reader, "page=2")) == 10


QUERIES = 14
"""Session, user and permissions, rounds at work, the page and its suspects, and five facets."""
