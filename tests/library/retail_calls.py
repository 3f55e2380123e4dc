"""Calls of the retail tools as agents make them: mostly sound, often about the same few orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.library.calls import TEXT
from tests.library.tau2 import RETAIL, Call

DB = RETAIL.db


def _payment_methods(user_id: str) -> list[str]:
    return [*DB["users"][user_id]["payment_methods"], "gift_card_0"]


ADDRESS = dict.fromkeys(("address1", "address2", "city", "state", "zip"), TEXT)
CASES: list[Callable[[str], str]] = [str, str.upper, str.lower, str.title]
ORDERS = sorted(DB["orders"])
SMALL = {  # few orders, so that calls of one sequence meet
    status: [key for key in ORDERS if DB["orders"][key]["status"] == status][:12]
    for status in ("pending", "delivered", "processed", "cancelled")
}
TWICE = [
    key
    for key, order in DB["orders"].items()
    if len({item["item_id"] for item in order["items"]}) < len(order["items"])
]


@st.composite
def swaps(draw: st.DrawFn, order: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Items of an order, mostly, and what to have instead, mostly available variants of the same product."""
    stranger = draw(st.sampled_from(ORDERS))
    extra = DB["orders"][stranger]["items"][:1] if draw(st.integers(0, 15)) == 7 else []
    items = draw(st.lists(st.sampled_from([*order["items"], *extra]), max_size=3))
    wanted = []
    for item in items:
        variants = DB["products"][item["product_id"]]["variants"]
        available = [key for key, variant in variants.items() if variant["available"]]
        wanted.append(draw(st.sampled_from(available or ["1"])))
    if draw(st.integers(0, 15)) == 7:
        wanted.append(draw(st.sampled_from(["1", *DB["products"]["9523456873"]["variants"]])))
    return [item["item_id"] for item in items], wanted


@st.composite
def order_calls(draw: st.DrawFn, order_ids: list[str]) -> Call:
    """A call about an order of a few."""
    order_id = draw(st.sampled_from(order_ids))
    order = DB["orders"][order_id]
    paying = draw(st.sampled_from(_payment_methods(order["user_id"])))
    items, wanted = draw(swaps(order))
    address = {**draw(st.fixed_dictionaries(ADDRESS)), "country": "USA"}
    reasons = ["no longer needed", "ordered by mistake", "no longer needed", "too expensive"]
    swap = {"item_ids": items, "new_item_ids": wanted, "payment_method_id": paying}
    pending: list[Call] = [
        ("cancel_pending_order", {"reason": draw(st.sampled_from(reasons))}),
        ("modify_pending_order_address", address),
        ("modify_pending_order_items", swap),
        ("modify_pending_order_items", swap),
        ("modify_pending_order_payment", {"payment_method_id": paying}),
    ]
    delivered: list[Call] = [
        ("exchange_delivered_order_items", swap),
        ("exchange_delivered_order_items", swap),
        ("return_delivered_order_items", {"item_ids": items, "payment_method_id": paying}),
    ]
    fitting = {"pending": pending, "delivered": delivered}.get(order["status"], [])
    every: list[Call] = [("get_order_details", {}), *pending, *delivered]
    tool, args = draw(
        st.one_of(*[st.sampled_from(fitting)] * bool(fitting), st.sampled_from(every))
    )
    if draw(st.integers(0, 30)) == 7:
        order_id = draw(st.sampled_from(["#W0", "", order_id.removeprefix("#")]))
    return tool, {"order_id": order_id, **args}


@st.composite
def other_calls(draw: st.DrawFn) -> Call:
    """A call about a user or a product, mostly one that exists, in whatever case its name is written."""
    user = DB["users"][draw(st.sampled_from(sorted(DB["users"])))]
    product = DB["products"][draw(st.sampled_from(sorted(DB["products"])))]
    case = draw(st.sampled_from(CASES))
    address = {**draw(st.fixed_dictionaries(ADDRESS)), "country": "USA"}
    name = {key: case(value) for key, value in user["name"].items()}
    unknown = draw(st.booleans())
    calls: list[Call] = [
        ("find_user_id_by_email", {"email": case(user["email"])}),
        ("find_user_id_by_name_zip", {**name, "zip": user["address"]["zip"]}),
        ("get_user_details", {"user_id": case(user["user_id"])}),
        ("get_product_details", {"product_id": "0" if unknown else product["product_id"]}),
        ("get_item_details", {"item_id": "0" if unknown else draw(_variant(product))}),
        ("list_all_product_types", {}),
        ("modify_user_address", {"user_id": user["user_id"], **address}),
        ("transfer_to_human_agents", {"summary": draw(TEXT)}),
    ]
    return draw(st.sampled_from(calls))


def _variant(product: dict[str, Any]) -> st.SearchStrategy[str]:
    return st.sampled_from(sorted(product["variants"]))


@st.composite
def sequences(draw: st.DrawFn) -> list[Call]:
    """Calls in a row that mostly concern the same one or two orders."""
    statuses = ["pending", "pending", "delivered", "delivered", "processed", "cancelled"]
    pool = draw(st.sampled_from([*(SMALL[status] for status in statuses), TWICE]))
    orders = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=2))
    call = st.one_of(order_calls(orders), order_calls(orders), order_calls(orders), other_calls())
    return draw(st.lists(call, min_size=1, max_size=6))
