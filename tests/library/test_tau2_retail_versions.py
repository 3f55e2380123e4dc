"""Steps that other versions of the retail tasks had, put into the published ones: each is found, and named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agents import panel
from agents.pinning import pin
from components.tau2 import folder
from tests.library.tau2 import LIBRARY, RETAIL
from worlds.check import check

Found = tuple[str, str, str, str]
"""Code, component, place, symbol."""


def found(where: Path, task_id: str, step: int, action: dict[str, Any]) -> list[Found]:
    """The blocking findings about a published task with one step as another version has it."""
    task = next(
        each
        for each in json.loads((RETAIL.data / "tasks.json").read_text())
        if str(each["id"]) == task_id
    )
    task["evaluation_criteria"]["actions"][step] |= action
    (where / "tasks.json").write_text(json.dumps([task]))
    for name in ("db.json", "policy.md"):
        shutil.copy(RETAIL.data / name, where / name)
    made = folder("retail", where, LIBRARY)
    bundle = made.bundle(next(iter(made.all_environments())))
    result = check(made.bundle(next(iter(made.all_environments())), pin(bundle)), panel())
    return [
        (item.code, f"{item.kind} {item.component}", item.place, item.symbol)
        for item in result.findings
        if item.severity == "blocking" and item.kind == "intent"
    ]


def swap(order_id: str, old: str, new: str, method: str) -> dict[str, Any]:
    """Arguments of an exchange of one item."""
    names = ("order_id", "item_ids", "new_item_ids", "payment_method_id")
    return {"arguments": dict(zip(names, (order_id, [old], [new], method), strict=True))}


OFFICE_CHAIR = ("#W2890441", "8069050545", "credit_card_1061405")
E_READER = ("#W3239882", "9494281769", "credit_card_5902940")
BOOTS = ("#W1304208", "1615379700", "paypal_1679017")
EXCHANGE = "plan exchange_delivered_order_items"
SAME = f"{EXCHANGE} exchange-delivered-order/different-option"


@pytest.mark.parametrize(
    ("task", "step", "thing"),
    [("18", 4, OFFICE_CHAIR), ("91", 1, E_READER), ("107", 0, BOOTS)],
)
def test_an_exchange_for_the_same_item_as_in_the_older_file_breaks_a_rule(
    tmp_path: Path, task: str, step: int, thing: tuple[str, str, str]
) -> None:
    order_id, item, method = thing
    findings = found(tmp_path, task, step, swap(order_id, item, item, method))
    expected = ("plan-breaks-rule", f"intent task-{task}", f"plans.default[{step}]", SAME)
    assert findings == [expected]


@pytest.mark.parametrize(
    ("task", "step", "thing", "new"),
    [("18", 4, OFFICE_CHAIR, "3609437808"), ("91", 1, E_READER, "6268080249")],
)
def test_an_exchange_for_what_is_not_available_as_in_the_corrected_file_is_refused(
    tmp_path: Path, task: str, step: int, thing: tuple[str, str, str], new: str
) -> None:
    order_id, item, method = thing
    findings = found(tmp_path, task, step, swap(order_id, item, new, method))
    refused = ("plan-refused", f"intent task-{task}", f"plans.default[{step}]", EXCHANGE)
    assert findings[0] == refused


def test_an_item_looked_up_as_a_product_as_in_the_older_file_breaks_a_rule(tmp_path: Path) -> None:
    action = {"name": "get_product_details", "arguments": {"product_id": "4107812777"}}
    symbol = "plan get_product_details domain-basic/a-product-is-no-item"
    assert ("plan-breaks-rule", "intent task-21", "plans.default[5]", symbol) in found(
        tmp_path, "21", 5, action
    )


def test_an_item_looked_up_by_an_argument_that_there_is_not_as_in_the_corrected_file_is_told(
    tmp_path: Path,
) -> None:
    findings = found(tmp_path, "21", 5, {"arguments": {"product_id": "4107812777"}})
    assert [code for code, *_ in findings] == ["arguments-invalid"]
