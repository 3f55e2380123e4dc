"""What a plan uses and an agent can, or cannot, know."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import INTENT, SOURCE, Whole, checked
from worlds.check import CheckResult

PLAN = INTENT["plans"]["default"]
SILENT = "I am {user.name}. Cancel my order: I no longer need it."
MINE = '''

def orders_of(name: str) -> list:
    """List the orders of a user.

    Args:
        name: the user's name.
    """
    users = db.find("users", {"name": name})
    return [order["order_id"] for user in users for order in db.find("orders", {"user_id": user["user_id"]})]
'''


def strange(result: CheckResult) -> list[tuple[str, str]]:
    return [
        (item.place, item.symbol) for item in result.findings if item.code == "argument-ungrounded"
    ]


def planned(*steps: dict[str, Any], **intent: Any) -> list[tuple[str, str]]:
    return strange(checked(intent={"plans": Whole(default=list(steps)), **intent}))


def test_a_value_that_nobody_says_is_told_once_and_what_follows_from_it_is_not() -> None:
    result = checked(intent={"instruction": SILENT})
    (item,) = result.findings
    assert (item.code, item.severity) == ("argument-ungrounded", "warning")
    assert (item.place, item.symbol) == (
        "plans.default[0].args.order_id",
        "plan find_order.order_id",
    )
    assert "'W1'" in item.message
    assert result.status == "solvable"


@pytest.mark.parametrize(
    "changes",
    [
        {"user": {"knows": {"order": "{order.order_id}"}}},
        {"user": {"brief": "You want to cancel {order.order_id}."}},
        {"user": {"script": [{"when": "true", "says": "{order.order_id}"}]}},
        {"user": {"opens": "Hello! It is about {order.order_id}."}},
        {"open": ["find_order.order_id"]},
    ],
    ids=["knows", "brief", "script", "opening", "open"],
)
def test_what_the_user_says_or_leaves_open_is_known(changes: dict[str, Any]) -> None:
    assert strange(checked(intent={"instruction": SILENT, **changes})) == []


def test_what_a_read_leads_to_is_known_though_the_plan_does_not_make_it() -> None:
    assert strange(checked(intent={"instruction": SILENT}, source=SOURCE + MINE)) == []


def test_a_read_by_what_nobody_says_leads_to_nothing() -> None:
    nameless = {"instruction": "Cancel my order: I no longer need it."}
    unlisted = SOURCE[: SOURCE.index("def list_users")]
    found = strange(checked(intent=nameless, source=unlisted + MINE))
    assert found == [("plans.default[0].args.order_id", "plan find_order.order_id")]


def test_what_the_rule_s_text_or_the_glossary_says_is_known() -> None:
    rule = {
        "text": "Only pending orders can be cancelled. Nothing is ever delivered by hand. W1 is ours."
    }
    assert strange(checked(intent={"instruction": SILENT}, rule=rule)) == []
    words = {"glossary": {"orders": {"the first": "W1"}}}
    assert strange(checked(intent={"instruction": SILENT}, domain=words)) == []


def test_a_text_to_be_worded_needs_no_source_and_one_to_be_looked_up_does() -> None:
    step = {"call": "set_status", "args": {"order_id": "W3", "status": "delayed"}}
    found = planned(*PLAN[:2], step, PLAN[2], goal={"changes": None})
    assert found == [
        ("plans.default[2].args.order_id", "plan set_status.order_id"),
        ("plans.default[2].args.status", "plan set_status.status"),
    ]


def test_a_field_marked_as_text_is_exempt() -> None:
    step = {"call": "set_status", "args": {"order_id": "{order.order_id}", "status": "delayed"}}
    plan = {"plans": Whole(default=[*PLAN, step]), "goal": {"changes": None}}
    status = {"tables": {"orders": {"schema": {"properties": {"status": {"x-text": True}}}}}}
    assert strange(checked(intent=plan, domain=status)) == []


def test_facts_in_messages_and_answers_are_looked_at_and_words_are_not() -> None:
    goal = {"goal": {"answer": {"note": {"type": "string", "equals": "'R2-D2'"}}}}
    answer = {"refund": "{order.total}", "note": "R2-D2"}
    says = {"finish": {"answer": answer, "message": "Cancelled as R2-D2, gladly, for 20."}}
    assert planned(*PLAN[:2], says, **goal) == [
        ("plans.default[2].finish.answer.note", "plan finish.note"),
        ("plans.default[2].finish.message", "plan finish.message"),
    ]


def test_of_a_range_that_a_read_looks_at_one_end_is_enough() -> None:
    source = SOURCE + (
        '\n\ndef sales(first: str, last: str) -> list:\n    """Sales of some days."""\n'
        "    return [first, last]\n"
    )
    sales = {"call": "sales", "args": {"first": "2025-03-01", "last": "2025-09-30"}}
    intent = {"plans": Whole(default=[sales, *PLAN])}
    assert strange(checked(intent=intent, source=source)) == []
    sales["args"]["first"] = "2025-08-30"  # type: ignore[index]  # its args are an object
    assert len(strange(checked(intent=intent, source=source))) == 2


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("I no longer need it.", [("plans.default[1].args.reason", "plan cancel_order.reason")]),
        ("The reason is: found it cheaper elsewhere, sorry.", []),
    ],
)
def test_words_that_the_goal_demands_to_the_letter_are_to_be_said(
    said: str, found: list[tuple[str, str]]
) -> None:
    words = "found it cheaper elsewhere, sorry"
    cancel = {**PLAN[1], "args": {**PLAN[1]["args"], "reason": words}}
    goal = {"require": [f"get('orders', order.order_id).reason == '{words}'"]}
    instruction = f"I am {{user.name}}. Cancel my order {{order.order_id}}. {said}"
    assert planned(PLAN[0], cancel, PLAN[2], goal=goal, instruction=instruction) == found
    told = {"define": {"because": f"'{words}'"}, "instruction": instruction}
    goal = {"require": ["get('orders', order.order_id).reason == because"]}
    assert planned(PLAN[0], cancel, PLAN[2], goal=goal, **told) == found
