from __future__ import annotations

import csv
import io
import re
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser import seed
from tests.browser import shop as goods
from tests.browser.seed import Library
from tests.triage.test_labelling import labelled
from triage.labelling import label
from triage.models import Check, Finding, Round
from worlds.toolserver_body import ToolServerBody

ROW = re.compile(r'href="/environments/([^"/]+)/([^"]+)/" data-open')


def listed(client: Client, query: str = "") -> list[str]:
    """The slugs on a page of the list."""
    answer = client.get(f"/environments/?{query}")
    assert answer.status_code == 200
    return [slug for _, slug in ROW.findall(answer.content.decode())]


def table(client: Client, query: str = "") -> list[dict[str, str]]:
    """The list as CSV."""
    answer = client.get(f"/environments/?format=csv&{query}")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    return list(csv.DictReader(io.StringIO(text)))


def test_who_is_not_logged_in_is_asked_to(client: Client, db: None) -> None:
    answer = client.get("/environments/?status=broken")
    assert answer["Location"] == "/accounts/login/?next=/environments/%3Fstatus%3Dbroken"


def test_lists_what_the_reader_may_see_and_nothing_else(reader: Client, done: Round) -> None:
    assert len(listed(reader)) == 12
    assert "secret" not in reader.get("/environments/").content.decode()


def test_without_a_check_an_environment_is_unverified(reader: Client, shop: Library) -> None:
    assert {row["status"] for row in table(reader)} == {"unverified"}
    assert len(listed(reader, "status=unverified")) == 12


def test_after_a_new_version_old_checks_do_not_count(
    reader: Client, done: Round, shop: Library
) -> None:
    source = goods.SOURCE.replace("Show", "Print")
    seed.version(shop.domain, "shop-api", ToolServerBody(source=source), 2)
    assert len(listed(reader, "status=unverified")) == 12
    assert len(listed(reader, f"status=unverified&round={done.pk}")) == 0


@pytest.mark.parametrize("status", ["solvable", "broken", "unproven", "error"])
def test_each_status_lists_as_many_as_its_facet_counts(
    reader: Client, done: Round, status: str
) -> None:
    page = reader.get("/environments/").content.decode()
    counts = dict(re.findall(r'status=(\w+)".*?class="count">(\d+)<', page, re.DOTALL))
    assert len(listed(reader, f"status={status}")) == int(counts.get(status, 0))
    in_round = Check.objects.filter(environment__domain__slug="shop")
    wanted = (
        in_round.filter(state="error")
        if status == "error"
        else in_round.filter(result__status=status)
    )
    assert len(listed(reader, f"status={status}")) == wanted.count()


def test_every_choice_of_every_facet_counts_what_it_lists(reader: Client, done: Round) -> None:
    page = reader.get("/environments/").content.decode()
    choices = re.findall(
        r'class="facet__choice" href="/environments/\?([^"]+)"[^>]*>.*?class="count">(\d+)<',
        page,
        re.DOTALL,
    )
    assert len(choices) > 6
    for query, count in choices:
        assert len(listed(reader, query)) == int(count), query


def test_ours_are_told_from_published_ones(reader: Client, done: Round) -> None:
    published = seed.library("published", 3, authority="given")
    text = reader.get("/environments/?authority=given").content.decode()
    assert set(listed(reader, "authority=given")) == {row.slug for row in published.environments}
    assert {row["domain"] for row in table(reader, "authority=ours")} == {"shop"}
    assert len(listed(reader, "authority=ours&authority=given")) == 15
    assert not listed(reader, "authority=theirs")
    assert re.search(r'title="ours">.*?class="count">12<', text, re.DOTALL)
    asked = reader.get("/api/v1/environments/?authority=given").json()
    assert {row["domain"] for row in asked["results"]} == {"published"}


def test_values_of_a_facet_widen_and_facets_narrow(reader: Client, done: Round) -> None:
    both = listed(reader, "status=broken&status=solvable")
    assert set(both) == {*listed(reader, "status=broken"), *listed(reader, "status=solvable")}
    code = Finding.objects.filter(result__status="broken").values_list("code", flat=True)[0]
    assert set(listed(reader, f"code={code}")) <= set(listed(reader, "status=broken"))


def test_code_and_severity_are_asked_of_the_same_finding(
    reader: Client, done: Round, shop: Library
) -> None:
    check = Check.objects.filter(environment__domain=shop.domain, result__status="solvable")[0]
    assert check.result is not None
    seed.finding(check.environment, check.result, "tool-crash", severity="warning")
    seed.finding(check.environment, check.result, "goal-vacuous")
    slug = check.environment.slug
    assert slug in listed(reader, "code=tool-crash&severity=warning")
    assert slug not in listed(reader, "code=tool-crash&severity=blocking")


def dismissed(shop: Library, reviewer: User) -> str:
    """The environment whose findings were all labelled wrong."""
    check = Check.objects.filter(environment__domain=shop.domain, result__status="broken")[0]
    assert check.result is not None
    for found in check.result.findings.all():
        label(reviewer, found, is_right=False, reason="a slip")
    return check.environment.slug


def test_what_was_dismissed_is_listed_and_told_from_what_counts(
    reader: Client, done: Round, shop: Library, reviewer: User
) -> None:
    slug = dismissed(shop, reviewer)
    assert slug in listed(reader, "status=unproven")
    assert slug not in listed(reader, "status=broken")
    assert slug in listed(reader, "counted=no")
    assert slug not in listed(reader, "counted=yes")
    code = Finding.objects.filter(result__checks__environment__slug=slug)[0].code
    assert slug in listed(reader, f"code={code}")
    assert slug not in listed(reader, f"code={code}&counted=yes")
    assert slug in listed(reader, f"code={code}&counted=no&severity=blocking")
    assert not listed(reader, "counted=nonsense")
    (row,) = [one for one in table(reader) if one["environment"] == slug]
    assert code not in row["findings"].split()
    assert code in row["not counted"].split()
    assert "code cut off" in reader.get(f"/environments/?q={slug}").content.decode()


def test_facets_count_what_they_list_where_findings_were_dismissed(
    reader: Client, done: Round, shop: Library, reviewer: User
) -> None:
    dismissed(shop, reviewer)
    test_every_choice_of_every_facet_counts_what_it_lists(reader, done)


def test_what_a_code_that_demoted_itself_found_is_advice(
    reader: Client, done: Round, shop: Library, reviewer: User
) -> None:
    check = Check.objects.filter(environment__domain=shop.domain, result__status="broken")[0]
    assert check.result is not None
    found = seed.finding(check.environment, check.result, "tool-crash")
    labelled(found, reviewer, "tool-crash", right=0, wrong=20)
    slug = check.environment.slug
    assert slug in listed(reader, "code=tool-crash&severity=advice")
    assert slug not in listed(reader, "code=tool-crash&severity=blocking")


def test_lists_by_the_agent_that_solved_it(reader: Client, done: Round) -> None:
    assert set(listed(reader, "solved=reference")) == set(listed(reader, "status=solvable"))
    assert not listed(reader, "solved=noop")
    judged = set(listed(reader)) - set(listed(reader, "status=error"))
    assert set(listed(reader, "unsolved=noop")) == judged


def test_lists_the_environments_that_use_a_component(reader: Client, done: Round) -> None:
    assert listed(reader, "component=shop/intent/reorder-005") == ["reorder-005"]
    assert len(listed(reader, "component=shop/toolserver/shop-api")) == 12
    assert len(listed(reader, "component=shop/domain/domain")) == 12
    assert not listed(reader, "component=secret/domain/domain")


def test_searches_names_of_environments_domains_and_parts(reader: Client, done: Round) -> None:
    assert listed(reader, "q=ORDER-000") == ["cancel-order-000"]
    assert listed(reader, "q=shop+reorder-005") == ["reorder-005"]
    assert len(listed(reader, "q=shop-api")) == 12
    assert not listed(reader, "q=nowhere")


def test_a_search_takes_marks_of_patterns_as_they_are(reader: Client, done: Round) -> None:
    assert not listed(reader, "q=%25")
    assert not listed(reader, "q=_")


def test_chips_say_what_is_on_and_take_it_away(reader: Client, done: Round) -> None:
    page = reader.get("/environments/?status=broken&q=order").content.decode()
    assert 'class="chip" href="/environments/?q=order"' in page
    assert 'class="chip" href="/environments/?status=broken"' in page
    assert 'class="chips__clear" href="/environments/"' in page


def test_sorts_both_ways_by_every_heading(reader: Client, done: Round) -> None:
    rising = listed(reader, "sort=environment")
    assert rising == sorted(rising)
    assert listed(reader, "sort=-environment") == rising[::-1]
    took = [float(row["seconds"] or 9e9) for row in table(reader, "sort=took")]
    assert took == sorted(took)
    for name in ("status", "checked"):
        assert sorted(listed(reader, f"sort={name}")) == rising


@pytest.mark.parametrize(
    "query",
    [
        "sort=nonsense",
        "page=nonsense",
        "page=99",
        "page=-1",
        "q=%00",
        "round=nonsense",
        "round=999999999999999999999",
        "status=nonsense",
        "component=nonsense",
        "component=///",
        "solved=%F0%9F%92%A5",
    ],
)
def test_nonsense_in_the_address_is_no_error(reader: Client, done: Round, query: str) -> None:
    assert reader.get(f"/environments/?{query}").status_code == 200


def test_pages_hold_fifty_and_share_nothing(reader: Client) -> None:
    seed.library("large", 60)
    first, second = listed(reader), listed(reader, "page=2")
    assert (len(first), len(second)) == (50, 10)
    assert not set(first) & set(second)
    assert "1–50 of 60" in reader.get("/environments/").content.decode()
    assert (
        'rel="next" href="/environments/?page=2"' in reader.get("/environments/").content.decode()
    )


def test_the_download_holds_what_the_page_lists_in_its_order(reader: Client, done: Round) -> None:
    query = "status=broken&sort=-environment"
    assert [row["environment"] for row in table(reader, query)] == listed(reader, query)
    row = table(reader, "status=solvable")[0]
    assert (row["domain"], row["solved by"], row["findings"]) == ("shop", "reference", "")


def test_the_download_holds_all_pages(reader: Client) -> None:
    seed.library("large", 60)
    assert len(table(reader)) == 60


def test_no_spreadsheet_computes_a_name(reader: Client, shop: Library) -> None:
    seed.environment(shop, 99, "=1+1")
    assert table(reader, "q=" + quote("=1"))[0]["environment"] == "'=1+1"


def test_as_many_queries_for_sixty_rows_as_for_two(
    reader: Client, shop: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    seed.finished_round([shop], broken=0.5)
    with django_assert_num_queries(QUERIES):
        reader.get("/environments/?q=reorder")
    large = seed.library("large", 50)
    seed.finished_round([large], broken=0.5)
    with django_assert_num_queries(QUERIES):
        reader.get("/environments/")


QUERIES = 26
"""Session, user and permissions, rounds at work, the page, its checks, findings and episodes, and eight facets."""
