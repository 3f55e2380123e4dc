"""A result by its key: of a round, of a trial, of a swap."""

from __future__ import annotations

import csv
import io

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser import seed
from tests.browser import shop as goods
from tests.browser.seed import Library
from tests.triage import faultcast
from tests.triage.faultcast import evidence
from tests.triage.pages.test_untrusted import EVIL
from triage.models import Check, Fault, Finding, Result, Round, Swap
from worlds.toolserver_body import ToolServerBody


@pytest.fixture
def check(done: Round) -> Check:
    return faultcast.checks(done, "shop")[0]


@pytest.fixture
def fault(check: Check) -> Fault:
    return faultcast.fault([check])


def page(client: Client, row: Result) -> str:
    answer = client.get(f"/results/{row.pk}/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_of_a_round_it_is_as_the_environment_is(reader: Client, check: Check) -> None:
    assert check.result is not None
    text = page(reader, check.result)
    assert f'checked in <a href="/rounds/{check.round_id}/">' in text
    assert "The same: this is how it is now." in text
    seed.version(
        check.environment.domain,
        "shop-api",
        ToolServerBody(source=goods.SOURCE.replace("Show", "Print")),
        2,
    )
    text = " ".join(page(reader, check.result).split())
    assert 'href="/components/shop/toolserver/shop-api/?version=1">v1</a>' in text
    assert "The same" not in text


def test_of_a_swap_it_says_what_was_swapped_and_what_follows(
    reader: Client, check: Check, fault: Fault
) -> None:
    assert check.result is not None
    manifest = seed.manifest_of(check.environment)
    tried = manifest.replaced({("toolserver", "shop-api"): "e" * 64})
    row = faultcast.swap(faultcast.weighing(fault), check, tried)
    server = faultcast.part(check, "toolserver")
    said = evidence("counterfactual", "With a sound one it passes.", result=row.pk)
    faultcast.suspect(fault, server, evidence=[said, evidence("direct", "not this")])
    text = page(reader, row)
    assert f'<a href="/faults/{fault.pk}/">fault {fault.pk}</a>, in no round' in text
    assert f'<a href="/environments/shop/{check.environment.slug}/">' in text
    assert "With a sound one it passes." in text
    assert "not this" not in text
    assert "eeeeeeeeee</code>" in text
    assert "tried only" in text
    Swap.objects.update(environment=None, manifest={})
    assert "Nobody wrote down which environment it is of." in page(reader, row)
    episode = row.episodes.get(agent__name="reference")
    assert reader.get(f"/episodes/{episode.key}/").status_code == 200


def test_of_a_trial_it_says_what_was_tried(reader: Client, check: Check, fault: Fault) -> None:
    server = faultcast.part(check, "toolserver")
    made = faultcast.proposal(fault, server)
    manifest = seed.manifest_of(check.environment)
    row = faultcast.result("a", manifest.replaced({("toolserver", "shop-api"): "e" * 64}).digest)
    faultcast.outcome(faultcast.trial(made, "e" * 64), check.environment, row)
    text = page(reader, row)
    assert f'<a href="/proposals/{made.pk}/">proposal {made.pk}</a>, in no round' in text
    assert "eeeeeeeeee</code>" in text
    assert "moved on" not in text
    seed.version(check.environment.domain, check.environment.slug, goods.intent(90), 2)
    text = page(reader, row)
    assert "Other parts have moved on since" in text
    assert "eeeeeeeeee</code>" in text


def test_an_episode_of_no_round_leads_to_its_result(
    client: Client, reviewer: User, check: Check, fault: Fault
) -> None:
    assert check.result is not None
    client.force_login(reviewer)
    held, manifest = faultcast.weighing(fault), seed.manifest_of(check.environment)
    row = faultcast.swap(held, check, manifest)
    episode = check.result.episodes.get(agent__name="reference")
    check.result.episodes.clear()
    text = client.get(f"/episodes/{episode.key}/").content.decode()
    assert f'href="/results/{row.pk}/"' in text
    assert f'<a href="/environments/shop/{check.environment.slug}/">' in text
    assert "doubt-reason" not in text


def test_findings_of_no_round_take_no_label(
    client: Client, reviewer: User, check: Check, fault: Fault
) -> None:
    assert check.result is not None
    client.force_login(reviewer)
    row = faultcast.swap(faultcast.weighing(fault), check, seed.manifest_of(check.environment))
    found = seed.finding(check.environment, row, "tool-crash")
    assert f'action="/findings/{found.pk}/label/"' not in page(client, row)
    Finding.objects.update(result=check.result)
    assert f'action="/findings/{found.pk}/label/"' in page(client, check.result)


def test_is_seen_by_those_alone_who_may_read_its_domain(
    reader: Client, check: Check, fault: Fault, shop: Library
) -> None:
    row = faultcast.swap(faultcast.weighing(fault), check, seed.manifest_of(check.environment))
    orphan = faultcast.result("orphan", "b" * 64)
    assert reader.get(f"/results/{orphan.pk}/").status_code == 404
    shop.domain.readers.add(Group.objects.create(name="others"))
    for key in (row.pk, check.result_id, "nonsense", "%00"):
        assert reader.get(f"/results/{key}/").status_code == 404


def test_its_lists_are_had_as_csv(reader: Client, check: Check, fault: Fault) -> None:
    for name, column in (("findings", "code"), ("episodes", "agent")):
        answer = reader.get(f"/results/{check.result_id}/?format=csv&list={name}")
        text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
        rows = list(csv.DictReader(io.StringIO(text)))
        assert all(row[column] for row in rows)
        assert rows
    assert reader.get(f"/results/{check.result_id}/?format=csv&list=x").status_code == 404


def test_what_tools_made_up_is_text(reader: Client, check: Check, fault: Fault) -> None:
    assert check.result is not None
    Finding.objects.update(message=EVIL, place=EVIL, symbol=EVIL, evidence={EVIL: EVIL})
    Result.objects.update(unobserved=[{"what": EVIL, "why": EVIL}])
    text = page(reader, check.result)
    assert "<script>alert" not in text
    assert "<img src=x" not in text


def test_the_queries_do_not_grow_with_what_it_holds(
    reader: Client,
    check: Check,
    fault: Fault,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    assert check.result is not None
    page(reader, check.result)  # bodies are read once
    for _ in range(2):
        with django_assert_num_queries(QUERIES):
            page(reader, check.result)
        for _ in range(5):
            seed.finding(check.environment, check.result, "tool-crash")


QUERIES = 16
