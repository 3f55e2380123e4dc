"""Storing what a check showed."""

import math

from tests.triage.shop import Shop
from triage import claims
from triage.models import Check, Episode, Finding, Result
from triage.results import storable
from triage.rounds import create_round
from worlds.check import CheckResult
from worlds.findings import Finding as Found
from worlds.findings import finding
from worlds.observation import Unobserved
from worlds.step import Episode as Played
from worlds.step import Step, Verdict


def held(shop: Shop) -> claims.Claim:
    if not shop.domain.environments.exists():
        shop.sound("a")
    made = create_round(None, queue=False)
    got = claims.claim(list(made.checks.values_list("pk", flat=True)), "here")
    assert got is not None
    return got


def played(check: Check, **more: object) -> Played:
    step = Step(index=0, kind="call", tool="look", result="a\x00b\ud800")
    fields: dict[str, object] = {
        "bundle": check.bundle,
        "agent": "noop",
        "steps": [step],
        "ended": "finished",
    }
    fields |= {"diff": [], "state": "0" * 64, "verdict": None}
    return Played.model_validate(fields | more)


def blamed(kind: str, slug: str) -> Found:
    return finding(
        "name-unknown",
        kind,  # type: ignore[arg-type]  # a parameter of these tests
        slug,
        place="p",
        symbol="s",
        message="m",
    )


def test_an_episode_that_was_not_scored_has_no_reward_rather_than_zero(shop: Shop) -> None:
    mine = held(shop)
    scored = Verdict(reward=0, progress=0.5, assertions=[])
    episodes = [played(mine.check), played(mine.check, attempt=1, verdict=scored)]
    claims.finish(mine, CheckResult("unproven", "", [], episodes, 0.1))
    rows = Result.objects.get().episodes.order_by("attempt")
    assert [(row.reward, row.progress, row.length) for row in rows] == [
        (None, None, 1),
        (0, 0.5, 1),
    ]


def test_text_that_a_tool_made_up_and_postgresql_refuses_is_stored_readable(shop: Shop) -> None:
    mine = held(shop)
    claims.finish(mine, CheckResult("unproven", "", [], [played(mine.check)], 0.1))
    assert Episode.objects.get().document["steps"][0]["result"] == "a\ufffdb\ufffd"


def test_storable_replaces_at_any_depth_and_leaves_the_rest() -> None:
    assert storable({"a\x00": ["\ud800", math.inf, {"b": math.nan}]}) == {
        "a\ufffd": ["\ufffd", "inf", {"b": "nan"}]
    }
    fine = {"text": "τ² – ok 😀", "list": [1, 2.5, None, True, "\u2028"]}
    assert storable(fine) == fine


def test_a_finding_points_at_the_version_that_was_checked(shop: Shop) -> None:
    mine = held(shop)
    before = shop.server.current
    shop.component("pen", shop.server.current.body.parsed())  # type: ignore[union-attr]  # is set
    found = [blamed("toolserver", "pen"), blamed("domain", "domain"), blamed("intent", "gone")]
    claims.finish(mine, CheckResult("broken", "", found, [], 0.1))
    pen, contract, gone = Finding.objects.order_by("pk")
    assert pen.component == shop.server
    assert pen.version is not None
    assert before is not None
    assert pen.version.body_id == before.body_id
    assert contract.component is not None
    assert contract.component.kind == "domain"
    assert (gone.component, gone.version, gone.slug) == (None, None, "gone")


def test_a_finding_that_blames_nobody_is_stored_without_component(shop: Shop) -> None:
    item = Found(
        code="limit-exceeded",
        severity="blocking",
        kind=None,
        component="",
        place="",
        symbol="",
        message="m",
    )
    claims.finish(held(shop), CheckResult("broken", "", [item], [], 0.1))
    row = Finding.objects.get()
    assert (row.kind, row.component, row.slug) == ("", None, "")


def test_a_result_that_is_there_is_never_written_again(shop: Shop) -> None:
    first = held(shop)
    second = held(shop)
    assert first.check.result_key == second.check.result_key
    claims.finish(first, CheckResult("solvable", "plan", [], [played(first.check)], 0.1))
    other = CheckResult("broken", "", [blamed("toolserver", "pen")], [], 9.0)
    assert claims.finish(second, other)
    assert Result.objects.get().status == "solvable"
    assert not Finding.objects.exists()


def test_an_episode_known_from_another_recipe_is_shared(shop: Shop) -> None:
    first = held(shop)
    claims.finish(first, CheckResult("solvable", "plan", [], [played(first.check)], 0.1))
    made = create_round(None, panel=["noop"], queue=False)
    second = claims.claim(list(made.checks.values_list("pk", flat=True)), "here")
    assert second is not None
    claims.finish(second, CheckResult("unproven", "", [], [played(second.check)], 0.1))
    assert Episode.objects.get().results.count() == 2


def test_findings_come_worst_first(shop: Shop) -> None:
    found = [
        finding("slot-rebound", "intent", "a", place="1", symbol="s", message="m"),
        blamed("intent", "a"),
    ]
    claims.finish(held(shop), CheckResult("broken", "", found, [], 0.1))
    assert [row.code for row in Finding.objects.worst_first()] == ["name-unknown", "slot-rebound"]
    assert [row.code for row in Finding.objects.all()] == ["slot-rebound", "name-unknown"]


def test_what_was_unobserved_and_what_took_how_long_is_kept(shop: Shop) -> None:
    mine = held(shop)
    hidden = (Unobserved(what="the goal", why="nobody reads the state"),)
    outcome = CheckResult("unproven", "", [], [], 0.1, hidden, {"static": [0.01]})
    claims.finish(mine, outcome)
    row = Result.objects.get()
    assert row.unobserved == [{"what": "the goal", "why": "nobody reads the state"}]
    assert row.times == {"static": [0.01]}
