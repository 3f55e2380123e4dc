from __future__ import annotations

from triage.proposers.sourceedits.asked import asked_of
from worlds.intent import PlanStep


def test_plans_tell_the_arguments_of_tools_and_what_is_read_of_results() -> None:
    steps = [
        {"call": "find", "args": {"name": "x"}, "as": "found"},
        {"call": "pay", "args": {"order_id": "{found.orders[0].order_id}"}},
        {"finish": {"answer": {"total": "{found.total}"}}},
    ]
    given, read = asked_of([[PlanStep.model_validate(each) for each in steps]])
    assert given == {"find": {"name"}, "pay": {"order_id"}}
    assert read == {"find": {"orders[0].order_id", "total"}}
