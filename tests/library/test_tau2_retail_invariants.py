"""What every sound shop keeps true: the published records do, each invariant can be broken, and tools that break one
are named."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from functools import cache

import pytest

from agents import panel
from agents.pinning import pin
from tests.library.retail_hand import (
    AVAS_CARD,
    BRUSH,
    CAMERA,
    CHAIR,
    DB,
    DEARER_CAMERA,
    IN_BOOTS,
    IN_BOTTLE,
    IN_CAMERA,
    IN_CHAIR,
    KEYBOARD,
    LOPEZ_CARD,
    OMAR,
    OMARS_GIFT,
    OTHER_BOOTS,
    OTHER_BOTTLE,
    OTHER_CHAIR,
    OTHER_SHIRT,
    SHIRT,
    SOLD_OUT_CAMERA,
    TSHIRTS,
    WATCH,
    Row,
    booked,
    cancel,
    exchange,
    exchanged,
    give_back,
    modify,
    pay_by,
    returned,
    ship_to,
)
from tests.library.tau2 import RETAIL, Call
from worlds.check import check
from worlds.conditions import Allowance
from worlds.hosts import Host
from worlds.recordcheck import RowCheck, all_record_findings
from worlds.records import Records
from worlds.toolsession import ToolSession
from worlds.world import World

INVARIANTS = {each.id: each for each in RETAIL.domain.invariants}
LOPEZ = DB["orders"][CAMERA]["user_id"]
AVA = DB["orders"][WATCH]["user_id"]
KEYBOARDS = DB["orders"][KEYBOARD]["items"][0]["product_id"]
OTHERS_TRACKING = DB["orders"][CAMERA]["fulfillments"][0]["tracking_id"]


def broken(records: Records, table: str, key: str) -> set[str]:
    """The invariants that a row breaks."""
    row = records.get(table, key)
    assert row is not None
    spec = RowCheck(records, RETAIL.base.clock.now, Allowance())
    problems = list(spec.problems(table, key, row))
    assert not any(each.failed for each in problems), problems
    return {each.invariant for each in problems if each.invariant}


Change = tuple[str, str, Callable[[Row], object]]
"""Table, key, and what is done to a copy of the row."""


def line(**fields: object) -> Callable[[Row], object]:
    """Fields of the first line of an order."""
    return lambda row: row["items"][0].update(fields)


def laid(call: Call) -> Change:
    """A write by hand as a change."""
    args = call[1]
    return args["table"], args["key"], lambda row: row.update(args["fields"])


def fields(table: str, key: str, **changed: object) -> Change:
    """Fields laid over a row."""
    return table, key, lambda row: row.update(changed)


def _gift_card_spent(row: Row) -> None:
    row["payment_methods"][OMARS_GIFT]["balance"] -= 5.0


def _under_another_key(row: Row) -> None:
    row["payment_methods"]["gift_card_1"] = row["payment_methods"].pop(OMARS_GIFT)


def _variant_under_another_key(row: Row) -> None:
    row["variants"]["1"] = row["variants"].pop(OTHER_SHIRT)


def _two_alike(row: Row) -> None:
    row["variants"][OTHER_SHIRT]["options"] = row["variants"]["8124970213"]["options"]


def _with_a_keyboard(row: Row) -> None:
    row["variants"]["7706410293"] = {**row["variants"][OTHER_SHIRT], "item_id": "7706410293"}
    row["variants"]["7706410293"]["options"] = {
        "color": "",
        "size": "",
        "material": "",
        "style": "",
    }


BREAKS: dict[str, Change] = {
    "line-is-a-variant": ("orders", SHIRT, line(product_id=KEYBOARDS, name="Mechanical Keyboard")),
    "line-has-the-products-name": ("orders", SHIRT, line(name="Shirt")),
    "line-has-the-items-options": ("orders", SHIRT, line(options={"color": "red"})),
    "line-has-the-items-price": ("orders", SHIRT, line(price=53.0)),
    "paid-to-the-cent": fields(
        "orders", SHIRT, payment_history=[booked("payment", 50.0, "credit_card_3577130")]
    ),
    "payment-comes-first": (
        "orders",
        SHIRT,
        lambda row: row["payment_history"].insert(0, booked("refund", 0.0, "credit_card_3577130")),
    ),
    "status-fits-the-fulfilment": fields("orders", SHIRT, status="delivered"),
    "fulfilments-are-the-lines": (
        "orders",
        CAMERA,
        lambda row: row["fulfillments"][0]["item_ids"].pop(),
    ),
    "one-tracking-number": (
        "orders",
        KEYBOARD,
        lambda row: row["fulfillments"][0].update(tracking_id=OTHERS_TRACKING),
    ),
    "reason-of-the-cancelled": fields("orders", SHIRT, cancel_reason="no longer needed"),
    "exchange-is-told-whole": fields("orders", CAMERA, status="exchange requested"),
    "exchanged-one-for-one": laid(exchanged(CAMERA, [IN_BOTTLE], [OTHER_SHIRT], LOPEZ_CARD)),
    "exchanged-are-of-the-order": laid(
        exchanged(CAMERA, [SOLD_OUT_CAMERA], [DEARER_CAMERA], LOPEZ_CARD)
    ),
    "exchange-difference": laid(
        exchanged(CAMERA, [IN_BOTTLE], [OTHER_BOTTLE], LOPEZ_CARD, exchange_price_difference=9.0)
    ),
    "return-is-told-whole": fields("orders", CAMERA, status="return requested"),
    "returned-are-of-the-order": laid(returned(CAMERA, [OTHER_BOTTLE], LOPEZ_CARD)),
    "listed-with-its-user": fields("orders", SHIRT, user_id=AVA),
    "booked-on-gift-cards": (
        "orders",
        WATCH,
        lambda row: row["payment_history"].extend(
            [booked("payment", 335.99, AVAS_CARD), booked("refund", 335.99, "gift_card_8836799")]
        ),
    ),
    "orders-are-ones-own": ("users", OMAR, lambda row: row["orders"].append(BRUSH)),
    "gift-cards-change-by-orders": ("users", OMAR, _gift_card_spent),
    "methods-by-their-ids": ("users", OMAR, _under_another_key),
    "email-of-one-user": fields("users", OMAR, email=DB["users"][AVA]["email"]),
    "one-of-a-name-and-zip": fields(
        "users", OMAR, name=DB["users"][AVA]["name"], address=DB["users"][AVA]["address"]
    ),
    "variants-by-their-ids": ("products", TSHIRTS, _variant_under_another_key),
    "variants-differ": ("products", TSHIRTS, _two_alike),
    "item-of-one-product": ("products", TSHIRTS, _with_a_keyboard),
    "name-of-one-product": fields("products", TSHIRTS, name="Mechanical Keyboard"),
}
TOGETHER = {
    "line-has-the-items-price": {"paid-to-the-cent"},
    "variants-by-their-ids": {"item-of-one-product"},
}
"""What such a change breaks besides."""


@pytest.mark.parametrize("name", BREAKS)
def test_a_write_that_an_invariant_forbids_breaks_it_and_no_other(name: str) -> None:
    table, key, change = BREAKS[name]
    records = Records(RETAIL.base)
    row = deepcopy(DB[table][key])
    change(row)
    records.put(table, key, row)
    assert table == INVARIANTS[name].table
    assert broken(records, table, key) == {name} | TOGETHER.get(name, set())


def test_every_invariant_is_broken_once() -> None:
    assert list(BREAKS) == [each.id for each in RETAIL.domain.invariants]


def test_no_row_of_the_published_records_breaks_anything() -> None:
    spec = next(iter(RETAIL.folder.all_environments()))
    assert all_record_findings(World(RETAIL.folder.bundle(spec))) == []


SOUND: list[Call] = [
    cancel(SHIRT),
    cancel(WATCH),
    pay_by(SHIRT, OMARS_GIFT),
    pay_by(WATCH, AVAS_CARD),
    modify(CHAIR, [IN_CHAIR], [OTHER_CHAIR], LOPEZ_CARD),
    ship_to(SHIRT),
    exchange(CAMERA, [IN_BOTTLE, IN_CAMERA], [OTHER_BOTTLE, DEARER_CAMERA], LOPEZ_CARD),
    give_back(CAMERA, [IN_BOTTLE], LOPEZ_CARD),
]
UNSOUND: list[tuple[list[Call], set[str]]] = [
    (
        [modify(CHAIR, [IN_CHAIR, IN_BOOTS], [OTHER_CHAIR, OTHER_BOOTS], LOPEZ_CARD)],
        {"line-has-the-items-options", "line-has-the-items-price", "paid-to-the-cent"},
    ),
    ([pay_by(SHIRT, OMARS_GIFT), cancel(SHIRT)], {"paid-to-the-cent"}),
]
"""Writes of the published tools that leave an order as no sound shop has it."""


def left(calls: list[Call]) -> set[str]:
    """The invariants that rows break which the published tools wrote, on the published records."""
    records = Records(RETAIL.base)
    with ToolSession() as session:
        for tool, args in calls:
            host = Host(records, RETAIL.base.clock.now)
            session.ready(RETAIL.server, host)
            assert session.call(RETAIL.server, tool, args, host).status == "ok"
    return {
        name
        for change in records.diff()
        for name in broken(records, change["table"], change["key"])
    }


@pytest.mark.parametrize("call", SOUND, ids=lambda call: f"{call[0]} {call[1]['order_id']}")
def test_what_the_published_tools_do_rightly_breaks_nothing(call: Call) -> None:
    assert left([call]) == set()


@pytest.mark.parametrize(("calls", "names"), UNSOUND, ids=["two items", "paid anew, cancelled"])
def test_what_the_published_tools_do_wrongly_breaks_what_it_should(
    calls: list[Call], names: set[str]
) -> None:
    assert left(calls) == names


@cache
def written(task: str) -> list[tuple[str, str]]:
    """Symbol and component of the findings about rows that the plan of a task wrote."""
    folder = RETAIL.folder
    spec = next(each for each in folder.all_environments() if each.slug == task)
    result = check(folder.bundle(spec, pin(folder.bundle(spec))), panel())
    return [
        (item.symbol, f"{item.kind} {item.component}")
        for item in result.findings
        if item.code == "row-invalid"
    ]


def test_a_task_that_changes_several_items_shows_that_the_tool_prices_them_all_as_the_last() -> (
    None
):
    found = written("task-20")
    assert {component for _, component in found} == {"toolserver retail"}
    assert {symbol for symbol, _ in found} == {
        f"modify_pending_order_items {name}" for name in UNSOUND[0][1]
    }


def test_a_task_that_changes_one_item_shows_nothing() -> None:
    assert written("task-16") == []


def test_ids_are_plain_names() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)+", name) for name in INVARIANTS)
