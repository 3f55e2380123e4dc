"""Which passes are suspicious, and which are not."""

from __future__ import annotations

from typing import Any

from agents import panel
from tests.worlds.shop import SOURCE, Whole, bundle
from triage.passes import Doubt, doubts
from worlds.bundle import Bundle
from worlds.check import check
from worlds.intent import Finish
from worlds.replay import replay
from worlds.step import Call, Episode
from worlds.toolsession import ToolSession
from worlds.world import World

OF_BOB = {"slots": {"order": {"match": {"order_id": "W2"}}}}
TERSE = SOURCE.replace(
    '    return db.update("orders", order_id, {"status": "cancelled", "reason": reason})',
    '    db.update("orders", order_id, {"status": "cancelled", "reason": reason})\n    return {"ok": True}',
)
"""Cancelling tells nothing of the order."""

READ = Call(tool="find_order", args={"order_id": "W2"})
CANCEL = Call(tool="cancel_order", args={"order_id": "W2", "reason": "changed"})
END = Finish(outcome="done", answer={"refund": 25.5})


def attempt(made: Bundle, *actions: Any, agent: str = "llm") -> Episode:
    with ToolSession() as session:
        return replay(World(made), session, actions, agent=agent)


def doubted(made: Bundle, *actions: Any) -> list[Doubt]:
    """The reasons to doubt a pass that did this."""
    reference = check(made, panel(["reference"])).episodes
    episode = attempt(made, *actions)
    assert episode.verdict is not None
    assert episode.verdict.reward == 1, episode.verdict
    return doubts(made, [*reference, episode])


def test_a_pass_like_the_references_is_not_doubted() -> None:
    assert doubted(bundle(intent=OF_BOB, source=TERSE), READ, CANCEL, END) == []


def test_another_effect_is() -> None:
    other = Call(tool="cancel_order", args={"order_id": "W2", "reason": "none of yours"})
    (found,) = doubted(bundle(intent=OF_BOB), READ, other, END)
    assert (found.kind, found.agent, found.attempt) == ("other-effect", "llm", 0)
    assert found.explanation == "They differ in orders/W2#reason."


def test_a_value_that_nothing_told_is_and_one_that_a_result_told_is_not() -> None:
    made = bundle(intent=OF_BOB, source=TERSE)
    (found,) = doubted(made, CANCEL, END)
    assert found.kind == "unread"
    assert found.explanation == (
        "It used 25.5 in its answer, and nothing had told it; the reference read it with find_order."
    )
    assert doubted(bundle(intent=OF_BOB), CANCEL, END) == []  # there, cancelling tells the total


def test_what_the_instruction_says_need_not_be_read() -> None:
    said = {**OF_BOB, "instruction": "Cancel order {order.order_id}, of {order.total} USD."}
    assert doubted(bundle(intent=said, source=TERSE), CANCEL, END) == []


def test_a_way_around_a_guard_is_and_a_guard_that_stops_the_reference_too_is_not() -> None:
    stopped = Call(tool="set_status", args={"order_id": "W2", "status": "delivered"})
    (found,) = doubted(bundle(intent=OF_BOB), stopped, READ, CANCEL, END)
    assert found.kind == "around-guard"
    assert "Nothing is ever delivered by hand" in found.explanation
    made = bundle(intent=OF_BOB)
    reference = attempt(made, stopped, READ, CANCEL, END, agent="reference")
    assert doubts(made, [reference, attempt(made, stopped, READ, CANCEL, END)]) == []


def test_an_agent_that_understands_nothing_is_where_the_reference_fails() -> None:
    refuses = {"plans": Whole({"default": [{"finish": {"outcome": "refused"}}]})}
    made = bundle(
        intent={**refuses, "goal": Whole({"outcome": "done", "require": [], "changes": []})}
    )
    played = check(made, panel()).episodes
    found = doubts(made, played)
    assert {(one.kind, one.agent) for one in found} >= {("weaker-agent", "noop")}
    assert {one.kind for one in found} == {"weaker-agent"}


def test_where_both_pass_that_is_a_finding_and_no_suspicion() -> None:
    made = bundle(intent={"goal": Whole({"require": []})})
    played = check(made, panel()).episodes
    assert any(one.verdict and one.verdict.reward for one in played if one.agent == "noop")
    assert doubts(made, played) == []


def test_without_a_reference_a_pass_is_measured_by_the_pinned_effect() -> None:
    pinned = bundle(intent={**OF_BOB, "goal": {"matches_plan": True}})
    assert pinned.manifest.pin is not None
    assert pinned.manifest.pin.effect
    with_search = attempt(pinned, READ, CANCEL, END, agent="search")
    assert doubts(pinned, [with_search]) == []
    loose = bundle(intent=OF_BOB, pinned=pinned.manifest.pin)
    other = Call(tool="cancel_order", args={"order_id": "W2", "reason": "other"})
    (found,) = doubts(loose, [attempt(loose, READ, other, END, agent="search")])
    assert (found.kind, found.agent) == ("other-effect", "search")


def test_a_failure_is_never_suspicious() -> None:
    made = bundle(intent=OF_BOB, source=TERSE)
    reference = check(made, panel(["reference"])).episodes
    assert doubts(made, [*reference, attempt(made, CANCEL, Finish(outcome="refused"))]) == []
