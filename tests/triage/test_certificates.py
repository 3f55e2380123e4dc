"""Certificates: who gets one, what it says, and when it is in force no more."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from pytest_django.fixtures import DjangoAssertNumQueries

import agents
from components.models import Environment
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_counterexamples import attempt, checked
from triage import recipe
from triage.certificates import certify, detailed, document, in_force, is_outdated
from triage.counterexamples import make, retire
from triage.labelling import label
from triage.models import Certificate, Check, Finding, Round
from triage.rounds import create_round
from worlds import check as checking
from worlds.intent import Intent
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
    checked()
    assert certified() == []
    retire(None, row, "it was right")
    assert certified() == ["a"]


def said(slug: str) -> dict[str, Any]:
    """The certificate in force of an environment, as JSON."""
    found = detailed(in_force(Environment.objects.filter(slug=slug)))
    return document(found.get())


def planless(shop: Shop, slug: str) -> None:
    """An environment without a plan, through which the prover finds a way."""
    made = shop.searched(slug)
    goal = {"require": ["get('notes', 'N1').text == 'b'"], "changes": ["notes/N1#text"]}
    said = Intent.parse({"instruction": "Write 'b' to note N1", "goal": goal})
    shop.component(made.parts.get(component__kind="intent").component.slug, said)


def test_a_search_names_the_prover_who_made_no_attempt_and_what_did_not_run(shop: Shop) -> None:
    planless(shop, "a")
    checked()
    told = said("a")
    assert (told["witness"], told["prover"]) == ("search", {"search": agents.digest("search")})
    assert told["agents"] == {name: agents.digest(name) for name in agents.FLOOR}
    stage, agent = told["unobserved"]
    assert stage["what"] == "stage soundness"
    assert stage["why"].startswith("no plan won (the witness is the search)")
    assert agent == {
        "what": "agent reference",
        "why": "it made no attempt: there is no plan to follow",
    }


def test_a_label_that_makes_an_environment_solvable_brings_it_into_force_and_is_told(
    shop: Shop, reviewer: User
) -> None:
    shop.vacuous("a")
    checked()
    assert certified() == []
    found = Finding.objects.filter(severity="blocking")
    for one in found:
        label(reviewer, one, is_right=False, reason="so it is meant")
    assert certified() == ["a"]
    gap = next(one for one in said("a")["unobserved"] if "goal-vacuous" in one["what"])
    assert gap["what"].startswith("goal-vacuous at intent/a ")
    assert gap["why"] == "labelled wrong by reviewer: so it is meant"


def test_what_is_accepted_or_covered_by_nothing_is_told(shop: Shop) -> None:
    made = shop.vacuous("a")
    intent = made.parts.get(component__kind="intent").component
    checked()
    entries = [
        {"code": one.code, "at": one.place, "reason": "meant", "by": "ann"}
        for one in Finding.objects.filter(severity="blocking")
    ]
    intent.about = {"accept": entries}
    intent.save(update_fields=["about"])
    Finding.objects.create(
        result=Certificate.objects.get().result,
        code="criteria-unused",
        severity="warning",
        kind="intent",
        slug="a",
        place="unscored[0]",
        symbol="x",
        message="Nothing judges the tone.",
    )
    told = {one["what"]: one["why"] for one in said("a")["unobserved"]}
    assert told["criteria-unused at intent/a unscored[0]"] == "Nothing judges the tone."
    assert "accepted by ann: meant" in told.values()


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
