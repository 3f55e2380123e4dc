"""Rows that an environment does not touch, told of by one that is asked to."""

from __future__ import annotations

from typing import Any

from agents import panel
from tests.worlds.shop import RECORDS, bundle, codes
from worlds.check import CheckResult, check

ORDERS = RECORDS["tables"]["orders"]
LOST = [{"order_id": f"W{n}", "user_id": "eve", "status": "delivered", "total": 7} for n in (8, 9)]


def checked(orders: list[dict[str, Any]], *, tells_all: bool) -> CheckResult:
    return check(bundle(records={"tables": {"orders": orders}}), panel(), tells_all=tells_all)


def test_a_defect_of_rows_that_nothing_touches_is_a_warning_told_of_the_first() -> None:
    result = checked([*ORDERS, *LOST], tells_all=True)
    (item,) = result.findings
    assert (item.code, item.severity, item.place) == (
        "reference-dangling",
        "warning",
        "orders/W8#user_id",
    )
    assert item.message.endswith("which users does not have. So does another row.")
    assert result.status == "solvable"


def test_who_is_not_asked_says_nothing_and_sound_rows_are_silent() -> None:
    assert checked([*ORDERS, *LOST], tells_all=False).findings == []
    assert checked(ORDERS, tells_all=True).findings == []


def test_a_row_that_the_environment_touches_blocks_as_ever() -> None:
    orders = [{**ORDERS[0], "total": "20"}, *ORDERS[1:]]
    assert codes(checked(orders, tells_all=True))["row-invalid"] == "blocking"
