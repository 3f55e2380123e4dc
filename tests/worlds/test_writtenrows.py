"""Rows that tools wrote: what they break that was whole before, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import INTENT, RECORDS, SOURCE, Whole, checked
from worlds.check import CheckResult

PLAN = INTENT["plans"]["default"]
SUM = {"id": "small", "text": "Totals are small.", "table": "orders", "require": "row.total < 50.0"}
ALONE = {
    "id": "alone",
    "text": "A user has one pending order.",
    "table": "orders",
    "require": "size(find('orders', {'user_id': row.user_id, 'status': 'pending'})) < 2",
}
DROP = '''

def drop_user(user_id: str) -> str:
    """Delete a user."""
    db.delete("users", user_id)
    return user_id


def price(order_id: str, total: float) -> dict:
    """Set a total."""
    return db.update("orders", order_id, {"total": total})
'''


def written(result: CheckResult) -> list[tuple[str, str, str]]:
    """What is said of tools, but that these, being short, crash on ids that no row has."""
    return [
        (item.code, item.symbol, item.severity)
        for item in result.findings
        if item.kind == "toolserver" and (item.code, item.severity) != ("tool-crash", "warning")
    ]


def acting(*steps: dict[str, Any], **domain: Any) -> CheckResult:
    intent = {"plans": Whole(default=[*steps, *PLAN]), "goal": {"changes": None}}
    return checked(source=SOURCE + DROP, intent=intent, domain=domain)


@pytest.mark.parametrize(
    ("old", "new", "symbol"),
    [
        ('"status": "cancelled"', '"status": "canceled"', "cancel_order orders.status"),
        ('"reason": reason}', '"reason": 5}', "cancel_order orders.reason"),
        ('"reason": reason}', '"extra": reason}', "cancel_order orders"),
    ],
)
def test_a_write_that_breaks_the_schema_blames_the_tool_and_the_field(
    old: str, new: str, symbol: str
) -> None:
    result = checked(source=SOURCE.replace(old, new))
    assert ("row-invalid", symbol, "blocking") in written(result)
    item = next(item for item in result.findings if item.kind == "toolserver")
    assert (item.place, item.evidence["agent"], item.evidence["step"]) == (
        "cancel_order",
        "reference",
        1,
    )


def test_a_reference_to_nothing_blames_the_tool_that_wrote_it() -> None:
    source = SOURCE.replace('"status": "cancelled",', '"status": "cancelled", "user_id": "eve",')
    assert written(checked(source=source)) == [
        ("reference-dangling", "cancel_order orders.user_id", "blocking")
    ]


def test_a_deleted_row_that_others_name_blames_the_tool_that_deleted_it() -> None:
    result = acting({"call": "drop_user", "args": {"user_id": "{user.user_id}"}})
    assert ("reference-dangling", "drop_user orders.user_id", "blocking") in written(result)


def test_a_row_that_breaks_an_invariant_after_the_write_is_told_with_the_invariant() -> None:
    dear = {"call": "price", "args": {"order_id": "{order.order_id}", "total": 70}}
    cheap = {"call": "price", "args": {"order_id": "{order.order_id}", "total": "{order.total}"}}
    result = acting(dear, cheap, invariants=[SUM])
    assert written(result) == [("row-invalid", "price small", "blocking")]
    item = next(item for item in result.findings if item.kind == "toolserver")
    assert item.message.endswith("breaks the invariant “Totals are small”.")
    assert (item.evidence["invariant"], item.evidence["asked"]) == ("small", {"total": 70})
    assert (item.evidence["table"], item.evidence["line"] > 0) == ("orders", True)


def test_what_was_wrong_before_the_write_is_not_the_tool_s() -> None:
    low = {**SUM, "require": "row.total < 5.0"}
    result = acting({"call": "price", "args": {"order_id": "W3", "total": 6}}, invariants=[low])
    assert written(result) == []


def test_only_the_rows_written_are_asked_not_those_that_the_write_breaks_elsewhere() -> None:
    orders = [{**row, "status": "pending"} for row in RECORDS["tables"]["orders"]]
    orders[2] = {**orders[2], "status": "delivered"}
    twice = {"call": "set_status", "args": {"order_id": "W3", "status": "pending"}}
    intent = {"plans": Whole(default=[twice, *PLAN]), "goal": {"changes": None}}
    result = checked(
        records={"tables": {"orders": orders}}, intent=intent, domain={"invariants": [ALONE]}
    )
    assert written(result) == [("row-invalid", "set_status alone", "blocking")]
    assert {item.evidence.get("key") for item in result.findings} >= {"W3"}


def test_sound_writes_are_no_finding() -> None:
    assert checked(domain={"invariants": [SUM]}).findings == []
