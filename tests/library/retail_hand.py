"""Orders of the published shop that cases are about, and writes that its tools would refuse."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tests.library.clauses import Spoken, write
from tests.library.tau2 import RETAIL, Call

DB = RETAIL.db
Row = dict[str, Any]

SHIRT = "#W1080318"
"""Pending, one T-shirt, paid by card; the gift card of its user covers it."""
OMAR, OMARS_CARD, OMARS_GIFT = "omar_kim_3528", "credit_card_3577130", "gift_card_3749819"
IN_SHIRT, OTHER_SHIRT, THIRD_SHIRT, SOLD_OUT_SHIRT = (
    "8349118980",
    "9612497925",
    "8124970213",
    "5047954489",
)
TSHIRTS = "9523456873"

WATCH = "#W8328622"
"""Pending, one watch, paid by a gift card; its user has a credit card too."""
AVAS_CARD, AVAS_GIFT = "credit_card_6291943", "gift_card_8836799"
KEYBOARD = "#W3197825"
"""Processed, one keyboard, of the same user, paid by the credit card."""
IN_KEYBOARD, OTHER_KEYBOARD = "7867398203", "7706410293"

BRUSH = "#W5101035"
"""Pending, one toothbrush, paid by paypal; the gift card of its user holds 5.0."""
OLIVIA, OLIVIAS_GIFT, OLIVIAS_PAYPAL = (
    "olivia_sanchez_2914",
    "gift_card_3573484",
    "paypal_3388537",
)
IN_BRUSH, DEARER_BRUSH = "8798690242", "6164262152"

CHAIR = "#W5911003"
"""Pending: a chair, boots and a hose, paid by card."""
IN_CHAIR, OTHER_CHAIR, IN_BOOTS, OTHER_BOOTS = (
    "4274709903",
    "1793929609",
    "2185126308",
    "1615379700",
)
CAMERA = "#W2941275"
"""Delivered, a camera and a bottle, of the same user, paid by card; the gift card holds 6.0."""
LOPEZ_CARD, LOPEZ_GIFT = "credit_card_7772870", "gift_card_4855547"
IN_CAMERA, DEARER_CAMERA, SOLD_OUT_CAMERA = "1804581713", "6384525445", "3892645120"
IN_BOTTLE, OTHER_BOTTLE = "7843064651", "4579334072"

TWO_WAYS = "#W7808613"
"""Delivered, one item, paid by paypal; its user also has a credit card and a gift card."""
TWO_WAYS_ITEM, TWO_WAYS_CARD, TWO_WAYS_GIFT = (
    "9811090008",
    "credit_card_7801956",
    "gift_card_9832062",
)

HOME = {
    "address1": "1 Elm Street",
    "address2": "",
    "city": "Austin",
    "state": "TX",
    "country": "USA",
    "zip": "78701",
}


def order(order_id: str) -> Row:
    """A copy of an order as published."""
    return deepcopy(DB["orders"][order_id])


def variant(item_id: str) -> Row:
    """An item as the catalogue has it."""
    rows = DB["products"].values()
    return next(row["variants"][item_id] for row in rows if item_id in row["variants"])


def booked(kind: str, amount: float, method: str) -> Row:
    """An entry of a payment history."""
    return {"transaction_type": kind, "amount": round(amount, 2), "payment_method_id": method}


def cancelled(order_id: str, reason: str = "no longer needed", to: str = "") -> Call:
    """An order cancelled and refunded, to the first method or another one; no gift card is credited."""
    first = order(order_id)["payment_history"][0]
    refund = booked("refund", first["amount"], to or first["payment_method_id"])
    history = [first, refund]
    return write(
        "orders", order_id, status="cancelled", cancel_reason=reason, payment_history=history
    )


def repaid(order_id: str, *entries: Row, **more: Any) -> Call:
    """Entries added to the payment history of an order."""
    history = [*order(order_id)["payment_history"], *entries]
    return write("orders", order_id, payment_history=history, **more)


def replaced(row: Row, new: str, method: str, **more: Any) -> Row:
    """An order whose first line is another item, the difference booked."""
    row = deepcopy(row)
    line, item = row["items"][0], variant(new)
    difference = item["price"] - line["price"]
    line.update(item_id=new, price=item["price"], options=item["options"])
    entry = booked("payment" if difference > 0 else "refund", abs(difference), method)
    row.update(status="pending (item modified)", payment_history=[*row["payment_history"], entry])
    return {**row, **more}


def wrote(row: Row) -> Call:
    """An order written as a whole."""
    return write("orders", row["order_id"], **row)


def returned(order_id: str, items: list[str], method: str, **more: Any) -> Call:
    """A return as its tool would write it."""
    fields = {"return_items": items, "return_payment_method_id": method, **more}
    return write("orders", order_id, **{"status": "return requested", **fields})


def exchanged(order_id: str, old: list[str], new: list[str], method: str, **more: Any) -> Call:
    """An exchange as its tool would write it."""
    prices = [sum(variant(each)["price"] for each in items) for items in (old, new)]
    fields = {
        "status": "exchange requested",
        "exchange_items": sorted(old),
        "exchange_new_items": sorted(new),
        "exchange_payment_method_id": method,
        "exchange_price_difference": round(prices[1] - prices[0], 2),
    }
    return write("orders", order_id, **{**fields, **more})


def overdrawn(user_id: str, gift_card: str) -> Call:
    """A gift card below nothing."""
    methods = deepcopy(DB["users"][user_id]["payment_methods"])
    methods[gift_card]["balance"] = -10.0
    return write("users", user_id, payment_methods=methods)


# Calls of the published tools


def found(user_id: str) -> Call:
    """The user looked up by email."""
    return "find_user_id_by_email", {"email": DB["users"][user_id]["email"]}


def looked_at(order_id: str) -> Call:
    """The order's details read."""
    return "get_order_details", {"order_id": order_id}


def cancel(order_id: str, reason: str = "no longer needed") -> Call:
    """A cancellation."""
    return "cancel_pending_order", {"order_id": order_id, "reason": reason}


def ship_to(order_id: str, **address: str) -> Call:
    """Another address for an order."""
    return "modify_pending_order_address", {"order_id": order_id, **HOME, **address}


def live_at(user_id: str) -> Call:
    """Another address for a user."""
    return "modify_user_address", {"user_id": user_id, **HOME}


def pay_by(order_id: str, method: str) -> Call:
    """Another way to pay for an order."""
    return "modify_pending_order_payment", {"order_id": order_id, "payment_method_id": method}


def _swap(order_id: str, old: list[str], new: list[str], method: str) -> dict[str, Any]:
    names = ("order_id", "item_ids", "new_item_ids", "payment_method_id")
    return dict(zip(names, (order_id, old, new, method), strict=True))


def modify(order_id: str, old: list[str], new: list[str], method: str) -> Call:
    """Other items for a pending order."""
    return "modify_pending_order_items", _swap(order_id, old, new, method)


def exchange(order_id: str, old: list[str], new: list[str], method: str) -> Call:
    """Other items for a delivered order."""
    return "exchange_delivered_order_items", _swap(order_id, old, new, method)


def give_back(order_id: str, items: list[str], method: str) -> Call:
    """A return."""
    args = {"order_id": order_id, "item_ids": items, "payment_method_id": method}
    return "return_delivered_order_items", args


# Words

MAIL = Spoken("How can I help, and what is your email address?", "Here it is.")


def asked(reply: str = "Yes, please do.") -> Spoken:
    """The agent asks for a yes."""
    return Spoken("I am going to do as you ask, to this order. Is that right?", reply)
