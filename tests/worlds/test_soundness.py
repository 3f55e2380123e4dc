"""worlds.soundness"""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.relations.cases import CANCELLED, DONE, FIND, call, case, checked
from tests.worlds.shop import bundle
from tests.worlds.shop import checked as shop_checked
from worlds.bundle import Bundle
from worlds.check import CheckResult
from worlds.counterexample import Counterexample
from worlds.findings import CODES
from worlds.relations import RELATIONS
from worlds.toolsession import ToolSession
from worlds.world import World

PLAN = [FIND, call("set_status", order_id="{order.order_id}", status="cancelled"), DONE]
ASKED = "I am {user.name}. Set order {order.order_id} to cancelled."
CHANGES = ["orders/{order.order_id}#status"]
FREE = {"tags": {"type": "array", "items": {"type": "string"}, "x-unordered": True}}
TAGGING = [FIND, call("tag", order_id="{order.order_id}", tags=["gift", "fragile"]), DONE]


def blind(changes: list[str] | None = None) -> Bundle:
    goal: dict[str, Any] = {"require": [CANCELLED], **({"changes": changes} if changes else {})}
    return case(goal, PLAN, instruction=ASKED)


def judged(example: Counterexample, made: Bundle) -> int | None:
    with ToolSession() as session:
        episode = example.judged(World(made), session)
    return episode.verdict.reward if episode and episode.verdict else None


def test_every_relation_reports_a_code_of_this_stage() -> None:
    assert {relation.code for relation in RELATIONS.values()} | {"criteria-conflict"} == {
        code for code, spec in CODES.items() if spec.stage == "soundness"
    }


@pytest.mark.parametrize(
    ("made", "reward"),
    [
        (blind(), 1),
        (
            case(
                {"require": ["get('orders', order.order_id).tags == ['gift', 'fragile']"]},
                TAGGING,
                fields=FREE,
            ),
            0,
        ),
    ],
    ids=["blind", "order-sensitive"],
)
def test_each_finding_opens_the_changed_episode_that_was_judged_wrongly(
    made: Bundle, reward: int
) -> None:
    result = checked(made)
    shown = {(episode.agent, episode.attempt): episode for episode in result.episodes}
    cited = [item for item in result.findings if "relation" in item.evidence]
    assert any(CODES[item.code].severity == ("blocking" if reward else "warning") for item in cited)
    for item in cited:
        episode = shown[item.evidence["agent"], item.evidence["attempt"]]
        assert episode.agent == "changed"
        assert episode.verdict is not None
        assert episode.verdict.reward == int(item.code == "goal-blind")
    assert result.witness == "plan"


def test_a_wrong_episode_that_is_accepted_is_kept_until_the_goal_refuses_it() -> None:
    result = checked(blind())
    assert [item.should for item in result.counterexamples] == [0] * len(result.findings)
    for example in result.counterexamples:
        assert judged(example, blind()) == 1
        assert judged(example, blind(CHANGES)) == 0


def test_a_right_episode_that_is_refused_is_kept_until_the_goal_accepts_it() -> None:
    row = "get('orders', order.order_id)"
    fields = {"changes": ["orders/{order.order_id}#tags,colours"]}
    strict = case({"require": [f"{row}.tags[0] == 'gift'"], **fields}, TAGGING, fields=FREE)
    wide = case({"require": [f"'gift' in {row}.tags"], **fields}, TAGGING, fields=FREE)
    (example,) = checked(strict).counterexamples
    assert (example.label, example.name, example.should) == ("relation", "other order", 1)
    assert (judged(example, strict), judged(example, wide)) == (0, 1)


def test_each_relation_is_reported_once_however_many_ways_there_are() -> None:
    found = [(item.symbol, item.place) for item in checked(blind()).findings]
    assert sorted(found) == [("goal extra field", "goal"), ("goal stray write", "goal")]


def test_the_same_bundle_shows_the_same() -> None:
    def shown(result: CheckResult) -> list[dict[str, Any]]:
        return [item.model_dump() for item in [*result.findings, *result.counterexamples]]

    assert shown(checked(blind())) == shown(checked(blind()))


def test_a_reference_that_misses_the_goal_is_not_changed() -> None:
    result = shop_checked(intent={"goal": {"changes": []}})
    assert "soundness" not in result.times
    assert list(result.counterexamples) == []


def test_a_goal_that_is_met_by_doing_nothing_is_reported_as_that_alone() -> None:
    result = checked(case({"require": ["get('orders', 'W3').total == 7.0"]}, PLAN))
    assert [item.code for item in result.findings] == ["goal-vacuous"]


@pytest.mark.parametrize("outcome", ["refused", "impossible"])
def test_a_goal_that_nothing_is_done_is_sound_where_it_says_so(outcome: str) -> None:
    goal = {"outcome": outcome, "changes": []}
    plan = [FIND, {"finish": {"outcome": outcome}}]
    result = checked(case(goal, plan, instruction="Cancel order {order.order_id}."))
    assert [item for item in result.findings if item.code == "goal-blind"] == []
    result = checked(case({"outcome": outcome}, plan, instruction="Cancel order {order.order_id}."))
    blind_to = {item.symbol for item in result.findings if item.code == "goal-blind"}
    assert blind_to == {"goal stray write"}


def test_the_shop_as_it_is_is_sound() -> None:
    assert bundle().intent.goal.changes is not None
    assert shop_checked().findings == []
