"""Certificates: who gets one, what it says, and when it is in force no more."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from pytest_django.fixtures import DjangoAssertNumQueries

import agents
from components.models import Environment
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_counterexamples import attempt, checked
from triage import recipe
from triage.certificates import document, in_force, is_outdated
from triage.counterexamples import make, retire
from triage.models import Certificate, Check, Round
from triage.rounds import create_round
from worlds import check as checking
from worlds.toolserver_body import ToolServerBody


def certified() -> list[str]:
    """The environments with a certificate in force."""
    found = in_force(Environment.objects.all())
    return sorted(found.values_list("environment__slug", flat=True))


def test_what_is_solvable_gets_one_that_says_what_ran(shop: Shop) -> None:
    shop.sound("a")
    shop.refused("b")
    made = checked()
    row = Certificate.objects.select_related("environment__domain").get()
    check = made.checks.get(environment__slug="a")
    assert (row.environment, row.bundle, row.result) == (
        check.environment,
        check.bundle,
        check.result,
    )
    assert (row.recipe, row.witness, row.engine) == (made.recipe, "plan", recipe.engine())
    assert row.checks == {
        stage: checking.VERSIONS[stage] for stage in ("static", "controls", "soundness")
    }
    assert row.agents == {name: agents.digest(name) for name in made.panel}
    assert certified() == ["a"]
    assert document(row)["outdated"] is False


def test_one_a_result_however_often_it_is_taken(shop: Shop) -> None:
    shop.sound("a")
    checked()
    checked()
    assert Certificate.objects.count() == 1


def test_a_known_result_from_before_there_were_certificates_gets_one(shop: Shop) -> None:
    shop.sound("a")
    checked()
    Certificate.objects.all().delete()
    create_round(None, queue=False)
    assert certified() == ["a"]


def test_another_bundle_has_none_until_it_is_checked(shop: Shop) -> None:
    shop.sound("a")
    checked()
    server = shop.server.current
    shop.component("pen", ToolServerBody(source=SOURCE + "\n# another"))
    assert certified() == []
    checked()
    assert (certified(), Certificate.objects.count()) == (["a"], 2)
    type(shop.server).objects.filter(pk=shop.server.pk).update(current=server)
    assert certified() == ["a"]  # of the bundle that it is again


def test_a_later_check_of_the_same_bundle_that_ended_otherwise_takes_it_away(shop: Shop) -> None:
    shop.sound("a")
    checked()
    made = create_round(None, panel=["noop"], queue=False)
    Check.objects.filter(round=made).update(state="error", error="x")
    assert certified() == []


def test_a_persons_counterexample_takes_it_away_and_gives_it_back(shop: Shop) -> None:
    shop.sound("a")
    checked()
    row = make(None, attempt(), 0, "wrong")
    assert certified() == []
    Certificate.objects.all().delete()
    checked()
    assert not Certificate.objects.exists()
    retire(None, row, "it was right")
    checked()
    assert certified() == ["a"]


def test_it_says_so_when_the_same_agents_would_be_checked_otherwise_today(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.sound("a")
    checked()
    row = Certificate.objects.get()
    assert not is_outdated(row)
    monkeypatch.setattr(checking, "VERSIONS", {**checking.VERSIONS, "static": 99})
    assert is_outdated(row)
    monkeypatch.undo()
    row.agents = {**row.agents, "somebody": "0" * 64}
    assert is_outdated(row)


def test_a_process_of_another_engine_certifies_nothing(shop: Shop) -> None:
    shop.sound("a")
    checked()
    Certificate.objects.all().delete()
    made = create_round(None, queue=False)
    Certificate.objects.all().delete()
    Round.objects.filter(pk=made.pk).update(recipe="0" * 64)
    made.refresh_from_db()
    from triage.certificates import certify

    certify(made, Check.objects.filter(round=made))
    assert not Certificate.objects.exists()


def test_who_may_not_see_the_domain_sees_none(shop: Shop, viewer: User) -> None:
    shop.sound("a")
    checked()
    assert Certificate.objects.visible_to(viewer).count() == 1
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert not Certificate.objects.visible_to(viewer).exists()


def test_the_number_of_queries_does_not_grow(
    shop: Shop, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for slug in ("a", "b", "c"):
        shop.sound(slug)
        checked()
        with django_assert_num_queries(5):
            assert slug in certified()
