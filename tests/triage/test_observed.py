"""A round's checks as attribution sees them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.triage.seen import seen
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_counterexamples import checked
from tests.triage.trying import FORGETS, SAVES
from triage import observed as module
from triage.facts import SAVES_NOTHING, Facts
from triage.labelling import label
from triage.models import Finding, Result
from triage.models.finding import Severity
from triage.observations import Location, Observation
from triage.observed import observed
from worlds.intent import Intent
from worlds.toolserver_body import ToolServerBody

PEN = ("toolserver", "pen")


def by_slug(shop: Shop, found: list[Observation]) -> dict[str, Observation]:
    names = dict(shop.domain.environments.values_list("pk", "slug"))
    return {names[each.environment]: each for each in found}


def test_a_sound_environment_and_a_broken_one_are_told_with_what_took_part(shop: Shop) -> None:
    shop.sound("a")
    shop.refused("b")
    made = checked()
    found = by_slug(shop, observed(made, shop.domain))
    assert (found["a"].status, found["a"].signs, found["a"].fails) == ("solvable", (), False)
    assert (found["b"].status, found["b"].fails) == ("broken", True)
    assert {sign.code for sign in found["b"].signs} == {"plan-refused", "goal-unreachable"}
    assert found["a"].check == made.checks.get(environment__slug="a").pk
    assert set(found["a"].parts) == {
        ("intent", "a"), PEN, ("records", "desk"), ("domain", "domain")
    }  # fmt: skip
    assert Location(*PEN, "write") in found["a"].exercised
    assert Location(*PEN, "look") not in found["a"].exercised
    assert found["a"].tools == {"write": "pen"}
    assert found["a"].servers_of("write") == [PEN]
    assert found["a"].servers_of("look") == []


def test_a_sign_is_its_finding(shop: Shop) -> None:
    shop.refused("b")
    (each,) = observed(checked(), shop.domain)
    row = Finding.objects.get(code="plan-refused")
    mine = next(sign for sign in each.signs if sign.code == "plan-refused")
    assert (mine.finding, mine.fingerprint, mine.blamed) == (
        row.pk, row.fingerprint, Location(row.kind, row.slug, row.symbol)
    )  # fmt: skip
    assert (mine.evidence, mine.message, mine.place) == (row.evidence, row.message, row.place)


def test_a_tool_that_forgets_to_save_is_odd(shop: Shop) -> None:
    shop.component("pen", FORGETS)
    shop.sound("a")
    (each,) = observed(checked(), shop.domain)
    assert each.fails
    # That it writes cannot be told from a source that nowhere does: then the call of it is not odd.
    assert not each.odd
    hidden = 'if text == "":\n        db.update("notes", note_id, {})\n    return {"id": note_id}'
    shop.component("pen", ToolServerBody(source=SOURCE.replace(SAVES, hidden)))
    (each,) = observed(checked(), shop.domain)
    assert each.odd == {"write": SAVES_NOTHING}


def test_trouble_of_ours_is_no_observation(shop: Shop) -> None:
    made = seen(shop, {"a": ["write"], "b": []}, errors=["c"])
    assert by_slug(shop, observed(made, shop.domain)).keys() == {"a", "b"}


def test_of_another_domain_nothing_is_told(shop: Shop) -> None:
    other = Shop("memos")
    made = seen(shop, {"a": ["write"]})
    assert observed(made, other.domain) == []


def test_what_was_dismissed_and_opinions_are_no_signs(shop: Shop, reviewer: User) -> None:
    made = seen(shop, {"a": ["write", "look"]})
    label(reviewer, Finding.objects.get(symbol="write"), is_right=False, reason="it is right")
    (each,) = observed(made, shop.domain)
    assert [sign.symbol for sign in each.signs] == ["look"]
    Finding.objects.filter(symbol="look").update(severity=Severity.ADVICE)
    (each,) = observed(made, shop.domain)
    assert not each.signs


def test_facts_are_worked_out_once_a_result_and_then_it_takes_three_queries(
    shop: Shop, django_assert_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slug in "abc":
        shop.sound(slug)
    made = checked()
    first = observed(made, shop.domain)
    assert all(row.facts for row in Result.objects.all())
    monkeypatch.setattr(module, "_of", None)
    with django_assert_num_queries(3):
        assert observed(made, shop.domain) == first


def test_however_many_are_held_at_a_time_they_are_told_the_same(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slug in "abc":
        shop.sound(slug)
    made = checked()
    first = observed(made, shop.domain)
    Result.objects.update(facts=None)
    monkeypatch.setattr(module, "AT_ONCE", 2)
    assert observed(made, shop.domain) == first


def test_what_cannot_even_be_bound_is_observed_all_the_same(shop: Shop) -> None:
    made = shop.sound("a")
    intent = made.components.get(kind="intent")
    assert intent.current is not None
    slots = {"note": {"table": "notes", "match": {"id": "N9"}}}
    shop.component(intent.slug, Intent.parse({**intent.current.body.content, "slots": slots}))
    (each,) = observed(checked(), shop.domain)
    assert "slot-unbound" in {sign.code for sign in each.signs}
    assert Facts.of(Result.objects.get().facts or {}).exercised == each.exercised
