"""On the overview, our own environments and published ones never stand in one sum."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from pytest_django.fixtures import DjangoAssertNumQueries

from components.models import Component
from tests.browser import seed
from tests.browser.seed import Library
from tests.triage.pages.test_overview import QUERIES, drawn, linked, listed
from triage.models import AuditItem, AuditSample, Check, Episode, Round, Suspicion
from triage.pages import history
from triage.pages.history import Tally
from triage.pages.present import Present

TAB = re.compile(r'<a class="sorts__tab" href="([^"]+)"( aria-current="page")?>(.*?)</a>')
SORTS = ("ours", "given")


@pytest.fixture
def published(db: None) -> Library:
    """Seven environments of a published benchmark."""
    return seed.library("published", 7, authority="given", title="Retail", notes="As <it> is.")


@pytest.fixture
def mixed(shop: Library, published: Library) -> Round:
    """A finished round over both sorts."""
    return seed.finished_round([shop, published], broken=0.5)


def page(client: Client, query: str = "") -> str:
    answer = client.get(f"/?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def tabs(text: str) -> list[tuple[str, bool, str]]:
    """Address, whether it is the one that is shown, and words of each tab."""
    return [
        (unescape(url), bool(on), " ".join(re.sub("<[^>]*>", "", said).split()))
        for url, on, said in TAB.findall(text)
    ]


def rows(client: Client, url: str) -> list[dict[str, str]]:
    text = b"".join(client.get(url).streaming_content).decode()  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(text)))


def test_of_one_sort_there_is_nothing_to_choose(reader: Client, shop: Library) -> None:
    seed.finished_round([shop], broken=0.5)
    whole = page(reader)
    assert "sorts__tab" not in whole
    assert "authority=" not in whole
    assert linked(page(reader, "authority=given")) == linked(whole)


def test_a_library_of_given_domains_alone_is_shown_whole(
    reader: Client, published: Library
) -> None:
    seed.finished_round([published])
    text = page(reader)
    assert not tabs(text)
    assert drawn(text)["rounds"]
    assert linked(text)["/environments/?domain=published"] == 7


def test_each_tab_says_its_own_solvability_and_count_and_ours_comes_first(
    reader: Client, mixed: Round
) -> None:
    checks = Check.objects.exclude(state="error")
    expected = []
    for slug, name in (("shop", "Our environments"), ("published", "Published")):
        judged = checks.filter(environment__domain__slug=slug)
        share = 100 * judged.filter(result__status="solvable").count() / judged.count()
        expected.append(f"{name} {share:.1f}% of {judged.count()}")
    ours, theirs = tabs(page(reader))
    assert ours == ("/?authority=ours", True, expected[0])
    assert theirs == ("/?authority=given", False, expected[1])
    assert [on for _, on, _ in tabs(page(reader, "authority=given"))] == [False, True]
    assert tabs(page(reader, "authority=nonsense"))[0][1]


def test_what_nobody_checked_has_no_share_in_its_tab(
    reader: Client, shop: Library, published: Library
) -> None:
    seed.finished_round([published])
    text = page(reader)
    assert tabs(text)[0] == ("/?authority=ours", True, "Our environments none checked of 12")
    assert linked(text)["/environments/?authority=ours&status=unverified"] == 12
    assert "No round over whole domains of ours alone is done yet." in text


@pytest.mark.parametrize("authority", SORTS)
def test_every_number_of_a_tab_is_what_the_list_behind_it_counts(
    reader: Client, mixed: Round, authority: str
) -> None:
    text = page(reader, f"authority={authority}")
    numbers = linked(text)
    mine, other = ("shop", "published") if authority == "ours" else ("published", "shop")
    assert f"/environments/?domain={mine}" in numbers
    assert not [url for url in numbers if f"domain={other}" in url]
    for url, number in numbers.items():
        assert f"authority={authority}" in url or f"domain={mine}" in url, url
        assert listed(reader, url) == number, url
    codes = re.findall(r'href="([^"]*code=[^"]*)".*?<td class="number">(\d+)</td>', text, re.DOTALL)
    assert codes
    for url, count in codes:
        assert listed(reader, unescape(url)) == int(count), url


def test_the_downloads_are_of_the_tab(reader: Client, mixed: Round) -> None:
    for query, domain in (("", "shop"), ("authority=given&", "published")):
        text = page(reader, query)
        sheets = re.findall(r'class="csv" href="([^"]+)" download data-sheet="domains"', text)
        (found,) = rows(reader, unescape(sheets[0]))
        assert found["domain"] == domain
    counts = [
        sum(int(row["findings"]) for row in rows(reader, f"/?format=csv&list=codes&{query}"))
        for query in ("", "authority=given")
    ]
    both = Check.objects.filter(result__findings__isnull=False).count()
    assert sum(counts) == both > max(counts)


def test_only_rounds_over_domains_of_the_sort_alone_are_drawn(
    reader: Client, shop: Library, published: Library, mixed: Round
) -> None:
    ours, theirs = seed.finished_round([shop]), seed.finished_round([published])
    text = page(reader)
    assert drawn(text)["rounds"] == [ours.pk]
    assert "2 rounds</a> over other environments are not drawn" in text
    assert f">round {ours.pk}</a>" in text
    text = page(reader, "authority=given")
    assert drawn(text)["rounds"] == [theirs.pk]
    assert f">round {theirs.pk}</a>" in text


def test_what_people_read_is_of_the_tab(
    reader: Client, viewer: User, shop: Library, published: Library, mixed: Round
) -> None:
    sample = AuditSample.objects.create(name="first", seed=1, size=2)
    for made, verdict in ((shop, "defective"), (published, "")):
        environment = made.environments[0]
        AuditItem.objects.create(
            sample=sample,
            environment=environment,
            bundle="b",
            stratum=made.domain.slug,
            population=10,
            verdict=verdict,
        )
    check = Check.objects.filter(environment__domain=published.domain, result__isnull=False)[0]
    assert check.result is not None
    Suspicion.objects.create(
        episode=Episode.objects.filter(bundle=check.bundle)[0],
        result=check.result,
        environment=check.environment,
        component=check.environment.components.get(kind="intent"),
        kind="unread",
        explanation="it guessed",
        fingerprint="f",
    )
    ours, theirs = page(reader), page(reader, "authority=given")
    assert ">0 unread</a>" in ours
    assert '/suspicions/?reading=unread&amp;domain=published">1 unread</a>' in theirs
    assert "0 of first left to read" in ours
    assert "1 of first left to read" in theirs
    said = re.findall(r'href="(/sample/[^"]*)">([^<]*)</a>', ours + theirs)
    assert len({words for _, words in said}) == 2
    for url, words in said:
        assert words in reader.get(unescape(url)).content.decode()


def test_who_runs_a_round_from_a_tab_checks_the_domains_of_its_sort(
    client: Client, curator: User, mixed: Round
) -> None:
    client.force_login(curator)
    text = page(client, "authority=given")
    assert '<input type="hidden" name="authority" value="given">' in text
    assert re.findall(r"<option>(\w+)</option>", text) == ["published"]
    client.post("/rounds/run/", {"authority": "given", "domain": ""})
    made = Round.objects.latest("pk")
    assert [domain.slug for domain in made.domains.all()] == ["published"]


def test_a_domain_says_its_title_and_notes_under_its_name(reader: Client, mixed: Round) -> None:
    text = page(reader, "authority=given")
    assert 'title="Retail: As &lt;it&gt; is."' in text
    assert '<span class="told__title">Retail</span> · As &lt;it&gt; is.</td>' in text
    assert 'class="told"' not in page(reader)
    Component.objects.contracts().filter(domain__slug="shop").update(about={"notes": "Planted."})
    assert 'title="Planted.">Planted.</td>' in page(reader)


def test_a_given_domain_kept_for_others_does_not_leak(
    reader: Client, shop: Library, secret: Library
) -> None:
    Component.objects.contracts().filter(domain=secret.domain).update(about={"authority": "given"})
    row = seed.finished_round([shop, secret])
    text = page(reader, "authority=given")
    assert not tabs(text)
    assert "secret" not in text
    assert drawn(text)["rounds"] == [row.pk]


@pytest.mark.parametrize("authority", SORTS)
def test_tabs_cost_no_query_however_many_rounds(
    reader: Client,
    mixed: Round,
    shop: Library,
    published: Library,
    authority: str,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(4):
        seed.finished_round([shop], seed=number)
        seed.finished_round([published], seed=number)
    page(reader)  # bodies are read once
    with django_assert_num_queries(QUERIES):
        page(reader, f"authority={authority}")


def test_sections_share_the_queries_of_the_whole(
    viewer: User, mixed: Round, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    present = Present(viewer)
    assert present.every.whole.environments
    with django_assert_num_queries(1):
        sections = present.sections
        assert present.sections is sections
    assert list(sections) == ["ours", "given"]
    for name in ("environments", "solvable", "broken", "unproven", "errors", "unchecked"):
        parts = [getattr(section.whole, name) for section in sections.values()]
        assert sum(parts) == getattr(present.every.whole, name)
    for section in sections.values():
        assert section.checks.count() == section.whole.environments


counts = st.integers(min_value=0, max_value=99)
tallies = st.builds(
    Tally,
    environments=counts,
    solvable=counts,
    broken=counts,
    unproven=counts,
    errors=counts,
    unchecked=counts,
    solved=st.dictionaries(st.sampled_from(["reference", "noop"]), counts),
)


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.tuples(tallies, st.booleans())))
def test_the_sums_of_the_tabs_are_the_sums_over_their_domains(
    domains: dict[str, tuple[Tally, bool]],
) -> None:
    """None is in both, none is left out, and a domain without a word is ours."""
    contracts = {
        name: Component(about={"authority": "given"} if is_given else {})
        for name, (_, is_given) in domains.items()
    }
    by_domain = {name: tally for name, (tally, _) in domains.items()}
    found = history.by_authority(by_domain, contracts)
    assert set(found) == {"given" if is_given else "ours" for _, is_given in domains.values()}
    for authority, part in found.items():
        assert part == {
            name: tally
            for name, (tally, is_given) in domains.items()
            if is_given is (authority == "given")
        }
        whole = history.together(part.values())
        for name in ("environments", "solvable", "broken", "unproven", "errors", "unchecked"):
            assert getattr(whole, name) == sum(getattr(one, name) for one in part.values())
        for agent in ("reference", "noop"):
            assert whole.solved.get(agent, 0) == sum(
                one.solved.get(agent, 0) for one in part.values()
            )
