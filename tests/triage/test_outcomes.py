"""One environment with a candidate beside the same without."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from components.bundles import PARSED, bundle, manifests
from components.models import Environment, Part
from tests.triage.shop import SOURCE, Shop
from tests.triage.trying import proposed
from triage import outcomes
from triage.models import Trial
from triage.models.trial import Stage
from triage.outcomes import MEASURED, Trying
from triage.trials import attempt, run_inline
from triage.trialscope import SAMPLED, TrialScope
from worlds.rule import Rule
from worlds.strength import PLANS
from worlds.toolserver_body import ToolServerBody
from worlds.world import World

LEFT = ToolServerBody(source=SOURCE + "\n\nLEFT = 1\n")
POLICY = {"text": "Notes are short. Nobody shouts."}


def tried(shop: Shop, number: int = 1) -> Trial:
    for each in range(number):
        shop.sound(f"task-{each:02}")
    return run_inline(attempt(None, [proposed(None, {shop.server: LEFT})], queue=False))


def test_where_goal_and_rules_stay_the_first_of_the_sample_tell_what_they_are_worth(
    shop: Shop,
) -> None:
    trial = tried(shop, MEASURED + 2)
    rows = list(trial.outcomes.order_by("pk"))
    assert {row.stage for row in rows} == {Stage.PROBE, Stage.SAMPLE}
    measured, others = rows[:MEASURED], rows[MEASURED:]
    assert {(row.strength_before, row.strength_after) for row in measured} == {(1.0, 1.0)}
    assert {row.rejudged["same"] for row in measured} == {5}
    assert {(row.strength_before, str(row.rejudged)) for row in others} == {(None, "{}")}


def test_where_a_rule_changes_the_whole_sample_tells(shop: Shop) -> None:
    policy = shop.component("policy", Rule.parse(POLICY))
    for each in range(SAMPLED + 2):
        Part.objects.create(environment=shop.sound(f"task-{each:02}"), component=policy)
    said = Rule.parse({"text": "Notes are short. Nobody shouts at anybody."})
    trial = run_inline(attempt(None, [proposed(None, {policy: said})], queue=False))
    assert trial.outcomes.count() == SAMPLED + 2
    untold = trial.outcomes.filter(strength_after=None)
    assert {row.stage for row in untold} == {Stage.FULL}
    assert untold.count() == 2
    assert trial.report["rejudged"]["same"] == 5 * SAMPLED


def test_trouble_with_measuring_is_told_and_the_move_stands(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*_: object) -> World:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(outcomes, "World", explode)
    trial = tried(shop)
    row = trial.outcomes.get()
    assert "the disk is full" in row.error
    assert row.move == "unchanged"
    assert trial.report["errors"] == 1


def test_what_one_environment_costs_the_database(
    shop: Shop, django_assert_max_num_queries: object
) -> None:
    for each in range(8):
        shop.sound(f"task-{each:02}")
    first = run_inline(attempt(None, [proposed(None, {shop.server: LEFT})], queue=False))
    assert first.outcomes.count() == 8
    again = attempt(None, [proposed(None, {shop.server: LEFT})], queue=False)
    with django_assert_max_num_queries(8 * 22 + 60):  # type: ignore[operator]  # a fixture
        run_inline(again)


def test_other_intents_plans_are_read_once_and_never_an_environments_own(shop: Shop) -> None:
    first = shop.sound("task-00")
    for each in range(1, PLANS + 3):
        shop.sound(f"task-{each:02}")
    trial = attempt(None, [proposed(None, {shop.server: LEFT})], queue=False)
    trying = Trying(trial, TrialScope.of(trial))
    rows = Environment.objects.order_by("slug")
    bundles = [bundle(made) for made in manifests(rows).values()]
    told = {one.manifest.intent.slug: trying._others(one) for one in bundles}
    own = first.components.get(kind="intent").slug
    assert len(told[own]) == PLANS
    assert all(f"plan of {slug}" not in others for slug, others in told.items())
    PARSED.clear()
    with CaptureQueriesContext(connection) as queries:
        trying._others(bundles[-1])
    assert not queries.captured_queries
