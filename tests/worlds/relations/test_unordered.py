"""worlds.relations.unordered"""

from __future__ import annotations

from typing import Any

from tests.worlds.relations.cases import DONE, FIND, call, case, checked, seen

LIST = {"type": "array", "items": {"type": "string"}}
TAGS = {"tags": {**LIST, "x-unordered": True}}
PAIRS = {"tags": {**LIST, "x-pairs": "colours"}, "colours": LIST}
PLAN = [FIND, call("tag", order_id="{order.order_id}", tags=["gift", "fragile"]), DONE]
COLOURED = [
    FIND,
    call("tag", order_id="{order.order_id}", tags=["gift", "fragile"], colours=["red", "blue"]),
    DONE,
]
CHANGES = ["orders/{order.order_id}#tags,colours"]
ASKED = "I am {user.name}. Tag order {order.order_id} as gift (red) and fragile (blue)."
ROW = "get('orders', order.order_id)"
SEEN = {("order-sensitive", "warning", "goal other order")}


def found(require: str, fields: dict[str, Any], plan: list[dict[str, Any]]) -> set[Any]:
    goal = {"require": [require], "changes": CHANGES}
    return seen(checked(case(goal, plan, fields=fields, instruction=ASKED)))


def test_a_goal_that_asks_for_an_order_that_means_nothing_is_sensitive_to_it() -> None:
    assert found(f"{ROW}.tags == ['gift', 'fragile']", TAGS, PLAN) == SEEN


def test_a_goal_that_asks_what_is_in_the_list_is_not() -> None:
    require = f"size({ROW}.tags) == 2 && ['gift', 'fragile'].all(t, t in {ROW}.tags)"
    assert found(require, TAGS, PLAN) == set()


def test_an_order_that_is_not_declared_to_mean_nothing_may_be_asked_for() -> None:
    assert found(f"{ROW}.tags == ['gift', 'fragile']", {}, PLAN) == set()


def test_lists_that_run_parallel_are_turned_together() -> None:
    asked = f"{ROW}.tags == ['gift', 'fragile'] && {ROW}.colours == ['red', 'blue']"
    assert found(asked, PAIRS, COLOURED) == SEEN
    paired = (
        f"size({ROW}.tags) == 2 && (({ROW}.tags[0] == 'gift' && {ROW}.colours == ['red', 'blue']) || "
        f"({ROW}.tags[0] == 'fragile' && {ROW}.colours == ['blue', 'red']))"
    )
    assert found(paired, PAIRS, COLOURED) == set()


FIXED = '''
def find_order(order_id: str) -> dict:
    """Read an order."""
    return db.get("orders", order_id)


def wrap(order_id: str) -> dict:
    """Mark an order as a fragile gift."""
    return db.update("orders", order_id, {"tags": ["gift", "fragile"]})
'''


def test_a_list_that_the_tool_made_is_turned_by_an_edit() -> None:
    goal = {"require": [f"{ROW}.tags == ['gift', 'fragile']"], "changes": CHANGES}
    plan = [FIND, call("wrap", order_id="{order.order_id}"), DONE]
    result = checked(case(goal, plan, fields=TAGS, source=FIXED, instruction=ASKED))
    assert seen(result) == SEEN
    assert result.findings[0].evidence["edits"][0]["fields"]["tags"]["after"] == ["fragile", "gift"]


def test_a_list_that_the_tool_sorted_has_no_other_order() -> None:
    source = FIXED.replace('["gift", "fragile"]', 'sorted(["gift", "fragile"])')
    goal = {"require": [f"{ROW}.tags == ['fragile', 'gift']"], "changes": CHANGES}
    plan = [FIND, call("wrap", order_id="{order.order_id}"), DONE]
    made = case(goal, plan, fields=TAGS, source=source, instruction=ASKED)
    assert seen(checked(made)) == set()


def test_a_list_that_only_became_longer_can_have_no_other_order() -> None:
    source = FIXED.replace('["gift", "fragile"]', '[*find_order(order_id)["tags"], "fragile"]')
    goal = {"require": [f"{ROW}.tags == ['gift', 'fragile']"], "changes": CHANGES}
    plan = [FIND, call("wrap", order_id="{order.order_id}"), DONE]
    orders = [
        {"order_id": "W1", "user_id": "ann", "status": "pending", "total": 20, "tags": ["gift"]}
    ]
    records = {"tables": {"orders": orders}}
    made = case(goal, plan, fields=TAGS, source=source, instruction=ASKED, records=records)
    assert seen(checked(made)) == set()


ADDING = '''
def find_order(order_id: str) -> dict:
    """Read an order."""
    return db.get("orders", order_id)


def add_tag(order_id: str, tag: str) -> dict:
    """Tag an order."""
    return db.update("orders", order_id, {"tags": [*find_order(order_id).get("tags", []), tag]})
'''


def test_neighbouring_calls_are_swapped_where_each_adds_to_the_list() -> None:
    plan = [
        FIND,
        call("add_tag", order_id="{order.order_id}", tag="gift"),
        call("add_tag", order_id="{order.order_id}", tag="fragile"),
        DONE,
    ]
    orders = [{"order_id": "W1", "user_id": "ann", "status": "pending", "total": 20, "tags": []}]
    records = {"tables": {"orders": orders}}

    def found(require: str) -> set[Any]:
        goal = {"require": [require], "changes": CHANGES}
        made = case(goal, plan, fields=TAGS, source=ADDING, instruction=ASKED, records=records)
        return seen(checked(made))

    assert found(f"{ROW}.tags == ['gift', 'fragile']") == SEEN
    assert (
        found(f"size({ROW}.tags) == 2 && 'gift' in {ROW}.tags && 'fragile' in {ROW}.tags") == set()
    )
