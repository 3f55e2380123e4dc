"""triage.proposers.conditions"""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import DOMAIN, RECORDS, merged
from triage.proposers.conditions import EDITORS, edits
from triage.proposers.conditions.code import ConditionCode, Neighbour
from worlds.cel_tree import parse
from worlds.contract import row_shape
from worlds.domain import Domain

FIELDS = {
    "closed": {"type": ["string", "null"]},
    "day": {"type": "string"},
    "at": {"type": "string"},
    "other": {"type": "string"},
    "items": {
        "type": "array",
        "items": {"type": "object", "properties": {"price": {"type": "number"}}},
    },
}
SHOP = Domain.parse(
    merged(
        DOMAIN,
        {
            "tables": {
                "orders": {"schema": {"properties": FIELDS}},
                "users": {"schema": {"properties": {"tz": {"type": "string"}}}},
            }
        },
    )
)
ROWS = {
    **RECORDS["tables"],
    "orders": [
        {**row, "at": "2025-03-01T09:00:00+00:00", "day": "2025-03-01"}
        for row in RECORDS["tables"]["orders"]
    ],
}


def code(text: str, **given: Any) -> ConditionCode:
    orders, users = row_shape(SHOP, "orders"), row_shape(SHOP, "users")
    names = {"before": orders, "after": orders, "actor": users, "key": None}
    return ConditionCode(text, SHOP, names, tables=ROWS, **given)


def texts(text: str, **given: Any) -> list[str]:
    return [edit.text for edit in edits(code(text, **given))]


@pytest.mark.parametrize(
    ("faulty", "meant", "given"),
    [
        ("!(after.total > 3.0 && after.status == 'pending')", "after.total > 3.0 && after.status == 'pending'", {}),
        ("after.total > 3.0", "after.total >= 3.0", {"means": "at least three"}),
        ("after.total != 3.0", "after.total == 3.0", {}),
        ("before.total == 3.0", "after.total == 3.0", {"absent": ["before"]}),
        ("after.totl == 3.0", "after.total == 3.0", {}),
        ("get('order', key) != null", "get('orders', key) != null", {}),
        ("aftr.total == 3.0", "after.total == 3.0", {}),
        (
            "days_between(before.at, after.at) <= 3",
            "days_between(before.at, after.at) <= 7",
            {"means": "within seven days"},
        ),
        (
            "minutes_between(before.at, after.at) <= 4320.0",
            "minutes_between(before.at, after.at) <= 10080.0",
            {"means": "no later than 7 days"},
        ),
        ("after.status == 'canceled'", "after.status == 'cancelled'", {}),
        ("after.status == 'delivered'", "after.status == 'cancelled'", {"means": "must be cancelled"}),
        ("after.total == 3.0 && after.at == now()", "after.total == 3.0 || after.at == now()", {}),
        ("after.items.exists(i, i.price > 3.0)", "after.items.all(i, i.price > 3.0)", {}),
        ("days_between(after.at, before.at) > 3", "days_between(before.at, after.at) > 3", {}),
        ("min(before.total, 3.0) == 3.0", "max(before.total, 3.0) == 3.0", {}),
        (
            "get('orders', key).total > 3.0",
            "get('orders', key) != null && get('orders', key).total > 3.0",
            {"failed": True},
        ),
        ("after.closed < now()", "after.closed == null || after.closed < now()", {"failed": True}),
        ("after.status == 'pending'", "after.status in ['pending', 'delivered']", {}),
        ("find('orders', {'other': key}).size() == 1", "find('orders', {'user_id': key}).size() == 1", {}),
        ("after.at <= '2025-03-02'", "local(after.at, actor.tz).date <= '2025-03-02'", {}),
        ("after.user_id == actor.user_id", "after.user_id == actor.user_id || before.user_id == actor.user_id", {}),
        ("after.total = 3.0 and after.at == now()", "after.total == 3.0 && after.at == now()", {}),
        ("(after.total == 3.0", "(after.total == 3.0)", {}),
    ],
)  # fmt: skip
def test_what_was_meant_is_among_the_first_edits(faulty: str, meant: str, given: Any) -> None:
    found = texts(faulty, **given)
    assert meant in found[:12], found[:12]


def test_a_part_that_a_neighbour_asks_for_is_borrowed_and_cited() -> None:
    near = [Neighbour("after.total > 3.0 && after.status == 'pending'", "shop/other")]
    found = {edit.text: edit for edit in edits(code("after.user_id == key", neighbours=near))}
    made = found["after.user_id == key && after.status == 'pending'"]
    assert made.authority.startswith("shop/other asks for")


def test_a_number_that_the_wording_names_is_cited_and_comes_first() -> None:
    given = code(
        "days_between(before.at, after.at) <= 3", means="within seven days", cites="the quote"
    )
    best = next(edits(given))
    assert (best.text, best.authority) == ("days_between(before.at, after.at) <= 7", "the quote")


def test_edits_are_read_differ_and_come_once_and_in_the_same_order_each_time() -> None:
    text = "before.closed != null && (after.items.exists(i, i.price >= 2.5) || after.status in ['pending'])"
    found = texts(text)
    assert len(found) > 25
    assert len({*found, text}) == len(found) + 1
    assert found == texts(text)
    for each in found:
        parse(each)


def test_the_likeliest_come_first() -> None:
    weights = [
        edit.likelihood for edit in edits(code("!(after.total > 3.0) || before.at < after.at"))
    ]
    assert weights == sorted(weights, reverse=True)
    assert all(0 < weight <= 1 for weight in weights)


@pytest.mark.parametrize("text", ["", "a b", "(((", "'open", "x" * 5_000, "f(\x00)", "((a)" * 30])
def test_of_what_is_no_condition_nothing_is_made_that_is_none(text: str) -> None:
    for editor in EDITORS.values():
        list(editor(code(text)))
    for each in edits(code(text)):
        parse(each.text)
