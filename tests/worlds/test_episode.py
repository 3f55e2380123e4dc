"""Episodes: what is recorded of an attempt, how it is judged, and that it is the same everywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.shop import Whole, bundle
from worlds.agent import Briefing
from worlds.episode import STEPS, play
from worlds.intent import Finish
from worlds.step import Action, Call, Episode, Say, Step
from worlds.toolsession import ToolSession
from worlds.world import World


class Scripted:
    """Takes the actions it was given, then the last one for ever."""

    name: ClassVar[str] = "scripted"
    attempts: ClassVar[int] = 1

    def __init__(self, actions: Sequence[Action]) -> None:
        self.actions = list(actions)
        self.seen: list[Step] = []
        self.briefing: Briefing | None = None

    def begin(self, briefing: Briefing, seed: int, attempt: int) -> Action:
        self.briefing = briefing
        return self.actions.pop(0)

    def go_on(self, steps: Sequence[Step]) -> Action:
        self.seen.extend(steps)
        return self.actions.pop(0) if len(self.actions) > 1 else self.actions[0]


CANCEL = Call(tool="cancel_order", args={"order_id": "W1", "reason": "x"})
RIGHT = Finish(outcome="done", answer={"refund": 20})


def episode(*actions: Action, **changes: Any) -> Episode:
    world = World(bundle(**changes))
    assert world.binding == {"order": "W1", "user": "ann"}
    with ToolSession() as session:
        return play(world, Scripted(actions), session)


def unmet(found: Episode) -> list[str]:
    assert found.verdict is not None
    return [item.place for item in found.verdict.assertions if not item.met]


def test_doing_what_was_asked_earns_the_reward() -> None:
    found = episode(CANCEL, RIGHT)
    assert found.verdict is not None
    assert (found.verdict.reward, found.verdict.progress, found.ended) == (1, 1.0, "finished")
    assert [change["op"] for change in found.steps[0].changes] == ["update", "insert"]
    assert found.diff == found.steps[0].changes


@pytest.mark.parametrize(
    ("actions", "missing"),
    [
        ([CANCEL, Finish(outcome="refused", answer={"refund": 20})], ["goal.outcome"]),
        ([CANCEL, Finish(answer={"refund": 21})], ["goal.answer.refund.equals"]),
        ([CANCEL, Finish()], ["goal.answer.refund.equals"]),
        ([RIGHT], ["goal.require[0]"]),
    ],
)
def test_each_part_of_the_goal_counts(actions: list[Action], missing: list[str]) -> None:
    found = episode(*actions)
    assert unmet(found) == missing
    assert found.verdict is not None
    assert found.verdict.reward == 0
    assert 0 < found.verdict.progress < 1


def test_damage_takes_all_progress_away() -> None:
    stray = Call(tool="set_status", args={"order_id": "W3", "status": "pending"})
    found = episode(CANCEL, stray, RIGHT)
    assert unmet(found) == ["goal.changes"]
    assert found.verdict is not None
    assert found.verdict.progress == 0


def test_a_clause_broken_on_the_way_costs_the_reward_even_when_the_end_is_right() -> None:
    source_free = {
        "clauses": [{"id": "quiet", "quote": "Nothing", "on": "say", "require": "false"}]
    }
    found = episode(Say(text="hello"), CANCEL, RIGHT, rule=source_free)
    assert unmet(found) == ["cancelling/quiet"]
    assert found.steps[0].violations == ["cancelling/quiet"]


def test_a_guard_refuses_the_call_and_leaves_no_trace() -> None:
    forced = Call(tool="set_status", args={"order_id": "W1", "status": "delivered"})
    found = episode(forced, CANCEL, RIGHT)
    assert found.steps[0].status == "guarded"
    assert "Nothing is ever delivered by hand" in found.steps[0].result
    assert found.steps[0].changes == []
    assert found.verdict is not None
    assert found.verdict.reward == 1


def test_a_guard_on_writes_takes_the_write_back() -> None:
    guard = {"clauses": [{**_clause(), "enforce": "guard", "require": "false"}]}
    found = episode(CANCEL, RIGHT, rule=guard)
    assert (found.steps[0].status, found.diff) == ("guarded", [])


def _clause() -> dict[str, Any]:
    return {"id": "no", "quote": "Nothing", "on": "write", "when": "table == 'orders'"}


def test_an_unknown_tool_and_wrong_arguments_are_told_and_survived() -> None:
    found = episode(Call(tool="nothing"), Call(tool="find_order", args={"id": "W1"}), CANCEL, RIGHT)
    assert [step.status for step in found.steps[:2]] == ["invalid", "invalid"]
    assert "There is no tool 'nothing'" in found.steps[0].result
    assert found.verdict is not None
    assert found.verdict.reward == 1


def test_an_attempt_without_end_is_cut_off_by_us_and_earns_nothing() -> None:
    found = episode(CANCEL, Call(tool="list_users"))
    assert (found.ended, len(found.steps)) == ("cut", STEPS)
    assert found.verdict is not None
    assert found.verdict.reward == 0
    assert "goal.outcome" in unmet(found)


def test_the_agent_is_told_nothing_of_slots_plans_and_goals() -> None:
    world = World(bundle(intent={"user": {"brief": "SECRET", "knows": {"pin": "1234"}}}))
    said = world.briefing.model_dump_json()
    assert "I am Ann. Cancel order W1" in said
    for hidden in ("SECRET", "1234", "changed", "order.total", "get('orders'", "refunds/+1"):
        assert hidden not in said


def test_a_user_opens_answers_and_speaks_when_spoken_to() -> None:
    user = {
        "opens": "Hi there.",
        "brief": "Impatient.",
        "knows": {"email": "{user.name}@x.org"},
        "script": [{"when": "refused('find_order')", "says": "It is W1."}],
    }
    found = episode(
        Call(tool="ask_user", args={"about": "email"}),
        Call(tool="find_order", args={"order_id": "W7"}),
        Say(text="Which order?"),
        Call(tool="ask_user", args={"what": "email"}),
        CANCEL,
        RIGHT,
        intent={"user": user},
    )
    assert found.steps[0].result == "Ann@x.org"
    assert [(s.kind, s.text) for s in found.steps[2:4]] == [
        ("say", "Which order?"),
        ("hear", "It is W1."),
    ]
    assert found.steps[4].status == "invalid"
    assert World(bundle(intent={"user": user})).briefing.opening == "Hi there."


def test_the_clock_moves_with_each_call() -> None:
    source = 'def what_time() -> str:\n    """Tell."""\n    return clock.now().isoformat()\n'
    clock = {"clock": {"now": "2025-03-01T09:00:00+00:00", "per_call": "PT90S"}}
    goal = {"goal": Whole(), "plans": Whole()}
    tell = Call(tool="what_time")
    found = episode(tell, tell, Finish(), source=source, records=clock, intent=goal)
    assert [step.result for step in found.steps[:2]] == [
        "2025-03-01T09:00:00+00:00",
        "2025-03-01T09:01:30+00:00",
    ]


def test_fresh_keys_may_differ_where_the_plan_must_be_matched() -> None:
    pinned = bundle(intent={"goal": {"matches_plan": True}}).manifest.pin
    renamed = {"tables": {"refunds": [{"refund_id": "R41"}]}}
    world = World(bundle(intent={"goal": {"matches_plan": True}}, records=renamed, pinned=pinned))
    with ToolSession() as session:
        cancel = CANCEL.model_copy(update={"args": {"order_id": "W1", "reason": "changed"}})
        found = play(world, Scripted([cancel, RIGHT]), session)
    assert {change["key"] for change in found.diff} == {"W1", "R42"}
    assert found.verdict is not None
    assert found.verdict.reward == 1


ORDERS = st.sampled_from(["W1", "W2", "W3", "W9"])
ACTIONS = st.one_of(
    st.builds(lambda o: Call(tool="find_order", args={"order_id": o}), ORDERS),
    st.builds(lambda o: Call(tool="cancel_order", args={"order_id": o, "reason": "r"}), ORDERS),
    st.builds(
        lambda o, s: Call(tool="set_status", args={"order_id": o, "status": s}),
        ORDERS,
        st.sampled_from(["pending", "delivered", "cancelled"]),
    ),
    st.builds(Say, text=st.text(max_size=5)),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(ACTIONS, max_size=6))
def test_the_same_actions_give_the_same_bytes(actions: list[Action]) -> None:
    one, other = episode(*actions, RIGHT), episode(*actions, RIGHT)
    assert one.model_dump_json() == other.model_dump_json()


def test_another_process_with_another_hash_seed_gives_the_same_bytes() -> None:
    code = (
        "from tests.worlds.shop import bundle\n"
        "from agents import panel\nfrom worlds.check import check\n"
        "print([e.model_dump_json() for e in check(bundle(), panel()).episodes])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert json.dumps("reference") in printed.pop()
