"""Requirements that a goal lacks."""

from __future__ import annotations

from typing import Any

from tests.triage.proposers.intents.broken import NAME, broken, first_sound, proposed
from triage.proposers.intents.requirements import missing_requirements

STATUS = "get('orders', order.order_id).status == 'cancelled'"
REASON = "get('orders', order.order_id).reason == 'ordered by mistake'"


def test_a_goal_that_requires_nothing_requires_what_the_plan_writes() -> None:
    case = broken(lambda intent: intent["goal"].pop("require"))
    assert STATUS in first_sound(missing_requirements, case)["goal"]["require"]


def tags_it(intent: dict[str, Any]) -> None:
    """The order is to be tagged as well, and nobody looks whether it was."""
    intent["instruction"] += " Tag it returned."
    intent["goal"]["changes"] = ["orders/{order.order_id}#status,reason,tags"]
    call = {"call": "tag_order", "args": {"order_id": "{found.order_id}", "tags": ["returned"]}}
    intent["plans"]["default"].insert(2, call)


def test_a_field_in_which_a_wrong_way_ends_otherwise_is_looked_at() -> None:
    require = first_sound(missing_requirements, broken(tags_it))["goal"]["require"]
    assert require == [STATUS, REASON, "get('orders', order.order_id).tags == ['returned']"]


def test_what_is_required_already_stays_as_it_is() -> None:
    for candidate in proposed(missing_requirements, broken(tags_it)):
        assert candidate.changes[NAME].content()["goal"]["require"][:2] == [STATUS, REASON]
