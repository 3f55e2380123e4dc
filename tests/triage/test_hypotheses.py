"""Environments as they might be."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError
from pytest_django.fixtures import DjangoAssertNumQueries

from components.bundles import manifests
from components.models import Body, Environment
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_counterexamples import checked
from tests.triage.trying import FORGETS, WRITES
from triage import hypotheses
from triage.hypotheses import Hypothesis, known_results, results_of
from triage.models import Episode, Finding, Result, Round
from triage.rounds import create_round
from worlds.bundle import Manifest
from worlds.toolserver_body import ToolServerBody

OTHER = "e" * 64


@pytest.fixture
def asker(db: None) -> Round:
    return Round.objects.create(recipe="x")


def given(shop: Shop) -> list[Hypothesis]:
    """The environments of the shop, as they are."""
    rows = list(Environment.objects.filter(domain=shop.domain).select_related("domain"))
    pinned = manifests(Environment.objects.filter(domain=shop.domain))
    return [Hypothesis(row, pinned[row.pk]) for row in sorted(rows, key=lambda row: row.slug)]


def with_pen(each: Hypothesis, said: ToolServerBody) -> Hypothesis:
    Body.objects.get_or_create(
        digest=said.digest, defaults={"kind": said.kind, "text": said.canonical()}
    )
    bodies = {("toolserver", "pen"): said.digest}
    return Hypothesis(each.environment, each.manifest.replaced(bodies))  # type: ignore[arg-type]


def refs(manifest: Manifest) -> dict[str, str]:
    return {f"{kind} {ref.slug}": ref.body for kind, ref in manifest.refs()}


def test_slots_of_which_no_body_is_given_stay(shop: Shop) -> None:
    shop.sound("a")
    (each,) = given(shop)
    before = refs(each.manifest)
    assert each.manifest.replaced({}) == each.manifest
    assert each.manifest.replaced({("rule", "pen"): OTHER}) == each.manifest
    pen = each.manifest.replaced({("toolserver", "pen"): OTHER, ("toolserver", "far"): OTHER})
    assert refs(pen) == {**before, "toolserver pen": OTHER}
    assert pen.pin == each.manifest.pin
    both = each.manifest.replaced({("records", "desk"): OTHER, ("intent", "a"): OTHER})
    assert refs(both) == {**before, "records desk": OTHER, "intent a": OTHER}


def test_a_contract_stands_there_under_its_domain_and_is_named_domain(shop: Shop) -> None:
    shop.sound("a")
    (each,) = given(shop)
    made = each.manifest.replaced({("domain", "domain"): OTHER})
    assert made.domain.body == OTHER
    assert made.domain.slug == each.manifest.domain.slug


def test_what_a_round_knows_is_taken_and_nothing_is_run(
    shop: Shop, asker: Round, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for slug in "abc":
        shop.sound(slug)
    made = checked()
    mine = given(shop)
    manifests_ = [each.manifest for each in mine]
    stored = set(Result.objects.values_list("pk", flat=True))
    with django_assert_max_num_queries(5):
        shown = list(results_of(mine, asker))
    assert [each.hypothesis.manifest for each in shown] == manifests_
    assert {each.result.pk for each in shown if each.result} == stored
    assert known_results(mine, asker) == [each.result for each in shown]
    assert set(made.checks.values_list("result", flat=True)) == stored


def test_what_is_checked_here_the_next_round_knows(shop: Shop, asker: Round) -> None:
    for slug in "ab":
        shop.sound(slug)
    shop.component("pen", FORGETS)
    checked()
    tried = [with_pen(each, WRITES) for each in given(shop)]
    assert known_results(tried, asker) == [None, None]
    shown = list(results_of(tried, asker))
    assert [each.result.status for each in shown if each.result] == ["solvable", "solvable"]
    assert [each.error for each in shown] == ["", ""]
    assert known_results(tried, asker) == [each.result for each in shown]
    shop.component("pen", WRITES)
    made = create_round(None, queue=False)
    assert set(made.checks.values_list("was_known", flat=True)) == {True}


def test_findings_and_episodes_are_stored_with_it_once(shop: Shop, asker: Round) -> None:
    shop.sound("a")
    tried = [with_pen(each, FORGETS) for each in given(shop)]
    (first,) = results_of(tried, asker)
    assert first.result is not None
    assert first.result.status == "broken"
    codes = Finding.objects.filter(result=first.result).values_list("code", flat=True)
    assert "plan-misses-goal" in codes
    episodes = Episode.objects.count()
    assert first.result.episodes.count() == episodes > 0
    (again,) = results_of(tried, asker)
    assert again.result == first.result
    assert (Result.objects.count(), Episode.objects.count()) == (1, episodes)


def test_what_a_round_searched_is_taken_and_nothing_is_searched_here(
    shop: Shop, asker: Round
) -> None:
    shop.searched("a")
    (before,) = results_of(given(shop), asker)
    assert before.result is not None
    assert before.result.witness == ""
    made = checked()
    (after,) = results_of(given(shop), asker)
    assert after.result == made.checks.get().result
    assert after.result != before.result
    assert after.result is not None
    assert after.result.witness == "search"


def test_a_server_that_is_not_there_is_one_environment_s_trouble(shop: Shop, asker: Round) -> None:
    shop.sound("a")
    shop.astray("b")
    shop.server = shop.component("pen", WRITES)
    shop.sound("c")
    one, astray, other = results_of(given(shop), asker)
    assert one.result is not None
    assert other.result is not None
    assert astray.result is None
    assert astray.error.startswith("no tool server 'far' in the settings")


def test_trouble_of_ours_is_told_and_concludes_nothing(
    shop: Shop, asker: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.sound("a")

    def breaks(*_: Any, **__: Any) -> None:
        raise KeyError("ours")

    monkeypatch.setattr(hypotheses, "check", breaks)
    (shown,) = results_of(given(shop), asker)
    assert shown.result is None
    assert "KeyError: 'ours'" in shown.error
    assert not Result.objects.exists()


def test_when_the_database_goes_away_that_is_no_environment_s_trouble(
    shop: Shop, asker: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.sound("a")

    def breaks(*_: Any, **__: Any) -> None:
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(hypotheses, "store", breaks)
    with pytest.raises(OperationalError):
        list(results_of(given(shop), asker))


def test_one_environment_may_be_asked_for_in_several_ways(shop: Shop, asker: Round) -> None:
    shop.sound("a")
    (each,) = given(shop)
    same = ToolServerBody(source=f"{SOURCE}\n# nothing else\n")
    shown = list(results_of([each, with_pen(each, FORGETS), with_pen(each, same)], asker))
    assert [one.result.status for one in shown if one.result] == ["solvable", "broken", "solvable"]
    assert len({one.result.pk for one in shown if one.result}) == 3
