"""worlds.strength"""

from __future__ import annotations

from typing import Any

import pytest

from agents import panel
from tests.worlds.relations.cases import CANCELLED, DONE, FIND, call, case
from tests.worlds.shop import SOURCE, bundle
from worlds.bundle import Bundle
from worlds.check import check
from worlds.counterexample import Counterexample
from worlds.intent import Finish, Intent
from worlds.step import Call, Episode
from worlds.strength import Compared, Evidence, Strength, compared, literal_actions, strengths
from worlds.toolsession import ToolSession
from worlds.world import World

PLAN = [FIND, call("set_status", order_id="{order.order_id}", status="cancelled"), DONE]
STRICT: dict[str, Any] = {"require": [CANCELLED], "changes": ["orders/{order.order_id}#status"]}
SAVES = 'return db.update("orders", order_id, {"status": "cancelled", "reason": reason})'
DROPS = 'return {**order, "status": "cancelled", "reason": reason}'


def episodes(made: Bundle) -> list[Episode]:
    return check(made, panel()).episodes


def measured(before: Bundle, after: Bundle, **more: Any) -> Compared:
    said = Evidence(episodes(before), episodes(after), **more)
    with ToolSession() as session:
        return strengths(World(before), World(after), said, session)


def test_a_strict_goal_rejects_the_whole_pool() -> None:
    made = case(STRICT, PLAN)
    assert measured(made, made) == Compared(1.0, 1.0, ())


def test_a_goal_that_asks_for_less_is_weaker_and_says_by_what() -> None:
    shown = measured(case(STRICT, PLAN), case({"require": [CANCELLED]}, PLAN))
    assert shown.before == 1.0
    assert shown.after is not None
    assert shown.after < 1.0
    assert any(name.startswith("stray write: ") for name in shown.weakened)


def test_a_goal_that_asks_for_nothing_lets_every_trivial_agent_pass() -> None:
    shown = measured(case(STRICT, PLAN), case({"require": ["true"]}, PLAN))
    assert {"noop, attempt 0", "parrot, attempt 0"} <= {*shown.weakened}


def test_a_stricter_goal_is_stronger() -> None:
    shown = measured(case({"require": [CANCELLED]}, PLAN), case(STRICT, PLAN))
    assert shown.before is not None
    assert shown.before < 1.0
    assert shown.after == 1.0
    assert shown.weakened == ()


def test_a_tool_that_saves_now_weakens_no_verifier_however_blind() -> None:
    goal = {"goal": {"changes": None}}
    shown = measured(bundle(intent=goal, source=SOURCE.replace(SAVES, DROPS)), bundle(intent=goal))
    assert shown.before == shown.after
    assert shown.before is not None
    assert shown.before < 1.0
    assert shown.weakened == ()


def test_a_goal_that_nothing_met_is_weakened_by_one_that_everything_meets() -> None:
    never = case({"require": ["get('orders', order.order_id).status == 'gone'"]}, PLAN)
    shown = measured(never, case({"require": ["true"]}, PLAN))
    assert shown.before == 1.0
    assert "noop, attempt 0" in shown.weakened


def test_an_episode_that_a_person_called_wrong_counts() -> None:
    wrong = Counterexample(
        label="person",
        name="llm",
        should=0,
        actions=[Call(tool="find_order", args={"order_id": "W1"}), Finish(message="Cancelled.")],
        statuses=["ok"],
    )
    shown = measured(
        case(STRICT, PLAN),
        case({"require": ["get('orders', order.order_id).status != 'delivered'"]}, PLAN),
        counterexamples=[wrong],
    )
    assert "counterexample 1, llm" in shown.weakened


def test_what_ends_otherwise_in_one_of_them_is_compared_in_neither() -> None:
    one = Strength(rejected=("a", "b"), accepted=("c",))
    other = Strength(rejected=("c",), accepted=("a",), inapplicable=("b",))
    assert compared(one, other) == Compared(0.5, 0.5, ("a",))
    assert compared(one, Strength(inapplicable=("a",))) == Compared(None, None, ())


def test_plans_of_others_count_where_they_lead_elsewhere() -> None:
    cancel = Call(tool="cancel_order", args={"order_id": "W2", "reason": "x"})
    others = {"plan of other": (cancel, Finish()), "plan of a reader": (Finish(),)}
    loose = case({"require": ["true"]}, PLAN)
    assert "plan of other" in measured(case(STRICT, PLAN), loose, others=others).weakened


@pytest.mark.parametrize(
    ("plan", "calls"),
    [
        ([{"call": "look", "args": {"id": "a"}}], 2),
        ([{"say": "Hello"}, {"finish": {"outcome": "done"}}], 2),
        ([{"call": "look", "args": {"id": "{row.id}"}}], None),
    ],
)
def test_a_plan_without_slots_is_what_it_does(plan: list[Any], calls: int | None) -> None:
    intent = Intent.parse({"instruction": "x", "goal": {}, "plans": {"default": plan}})
    actions = literal_actions(intent.plans["default"])
    assert (None if actions is None else len(actions)) == calls


def test_what_cannot_be_played_has_no_strength() -> None:
    broken = bundle(intent={"slots": {"order": {"table": "orders", "match": {"status": "lost"}}}})
    shown = measured(broken, broken)
    assert shown == Compared(None, None, ())
