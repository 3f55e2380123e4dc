# about:
#   title: Retail store tools
#   notes: >-
#     Our own port of the sixteen tools of the published retail benchmark: same names, parameters,
#     results and refusals, its peculiarities included. docs/tau2-import.md lists where the two
#     differ.
#   authority: given

import json
import re
from typing import Annotated

# Reading rows


def _order(order_id: str) -> dict:
    order = db.get("orders", order_id)
    if order is None:
        raise ValueError("Order not found")
    return order


def _user(user_id: str) -> dict:
    user = db.get("users", user_id)
    if user is None:
        raise ValueError("User not found")
    return user


def _product(product_id: str) -> dict:
    product = db.get("products", product_id)
    if product is None:
        raise ValueError("Product not found")
    return product


def _payment_method(user: dict, payment_method_id: str) -> dict:
    method = user["payment_methods"].get(payment_method_id)
    if method is None:
        raise ValueError("Payment method not found")
    return method


def _replacement(item: dict, new_item_id: str) -> dict:
    variant = _product(item["product_id"])["variants"].get(new_item_id)
    if variant is None:
        raise ValueError("Variant not found")
    if not variant["available"]:
        raise ValueError(f"New item {new_item_id} not found or available")
    return variant


def _first_item(items: list, item_id: str) -> dict:
    for item in items:
        if item["item_id"] == item_id:
            return item
    raise ValueError(f"Item {item_id} not found")


def _missing_item(order: dict, item_ids: list) -> str | None:
    """The first id that is asked for more often than the order has it."""
    in_order = [item["item_id"] for item in order["items"]]
    for item_id in item_ids:
        if item_ids.count(item_id) > in_order.count(item_id):
            return item_id
    return None


def _is_pending(order: dict) -> bool:
    return "pending" in order["status"]


def _is_gift_card(method: dict) -> bool:
    return method["source"] == "gift_card"


# Writing rows and showing them


_SOMETIMES = [
    "cancel_reason",
    "exchange_items",
    "exchange_new_items",
    "exchange_payment_method_id",
    "exchange_price_difference",
    "return_items",
    "return_payment_method_id",
]


def _shown(order: dict) -> dict:
    """An order as the agent sees it: what has not happened to it yet is null."""
    return {**dict.fromkeys(_SOMETIMES), **order}


def _credit(user: dict, payment_method_id: str, amount: float) -> None:
    """Puts money on a gift card (a negative amount takes it off); other methods are settled elsewhere."""
    method = user["payment_methods"][payment_method_id]
    if _is_gift_card(method):
        method["balance"] = money(method["balance"] + amount)


def _save_methods(user: dict) -> None:
    db.update("users", user["user_id"], {"payment_methods": user["payment_methods"]})


def _transaction(kind: str, amount: float, payment_method_id: str) -> dict:
    return {
        "transaction_type": kind,
        "amount": amount,
        "payment_method_id": payment_method_id,
    }


# Arithmetic


_SYMBOL = r"\d+\.?\d*|\.\d+|//|."
_LEVELS = [["+", "-"], ["*", "/", "//"]]
_LONGEST = 1000
_DEEPEST = 50


def _syntax(what: str = "invalid syntax") -> ValueError:
    return ValueError(f"{what} (<string>, line 1)")


def _number(token: str) -> float:
    if not token.isdigit():
        return float(token)
    if token[0] == "0" and token.strip("0"):
        raise _syntax(
            "leading zeros in decimal integer literals are not permitted; "
            "use an 0o prefix for octal integers"
        )
    return int(token)


def _read_chain(tokens: list, at: int, level: int, postfix: list) -> int:
    """Reads operands joined by the operators of a level into `postfix`; returns where it stopped."""
    if level == len(_LEVELS):
        return _read_operand(tokens, at, postfix)
    at = _read_chain(tokens, at, level + 1, postfix)
    while tokens[at] in _LEVELS[level]:
        operator = tokens[at]
        at = _read_chain(tokens, at + 1, level + 1, postfix)
        postfix.append(operator)
    return at


def _read_operand(tokens: list, at: int, postfix: list) -> int:
    negations = 0
    while tokens[at] in ["+", "-"]:
        negations += tokens[at] == "-"
        at += 1
    if tokens[at] == "(":
        at = _read_chain(tokens, at + 1, 0, postfix)
        if tokens[at] != ")":
            raise _syntax("'(' was never closed" if tokens[at] == "" else "invalid syntax")
    elif tokens[at].strip(".").replace(".", "").isdigit():
        postfix.append(_number(tokens[at]))
    else:
        raise _syntax()
    postfix.extend(["negate"] * negations)
    return at + 1


def _postfix(expression: str) -> list:
    if len(expression) > _LONGEST:
        raise ValueError(f"An expression may have {_LONGEST} characters")
    if "**" in expression:
        raise ValueError("Powers are not supported")
    tokens = [symbol for symbol in re.findall(_SYMBOL, expression) if symbol.strip()]
    depth = 0
    for symbol in tokens:
        depth += (symbol == "(") - (symbol == ")")
        if depth > _DEEPEST:
            raise _syntax("too many nested parentheses")
    postfix = []
    end = _read_chain([*tokens, ""], 0, 0, postfix)
    if end < len(tokens):
        raise _syntax("unmatched ')'" if tokens[end] == ")" else "invalid syntax")
    return postfix


def _applied(operator: str, left: float, right: float) -> float:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    whole = isinstance(left, int) and isinstance(right, int)
    if operator == "/":
        if right == 0:
            raise ValueError("division by zero" if whole else "float division by zero")
        return left / right
    if right == 0:
        raise ValueError(
            "integer division or modulo by zero" if whole else "float floor division by zero"
        )
    return left // right


def _evaluated(postfix: list) -> float:
    stack = []
    for entry in postfix:
        if entry == "negate":
            stack.append(-stack.pop())
        elif isinstance(entry, str):
            right = stack.pop()
            stack.append(_applied(entry, stack.pop(), right))
        else:
            stack.append(entry)
    return stack.pop()


# The tools


def calculate(
    expression: Annotated[
        str, "Numbers, + - * / //, parentheses and spaces, such as '2 * (49.99 + 5)'."
    ],
) -> str:
    """Work out an arithmetic expression. The result is text, rounded to two decimals."""
    if not all(char in "0123456789+-*/(). " for char in expression):
        raise ValueError("Invalid characters in expression")
    value = _evaluated(_postfix(expression))
    if abs(value) > 1e308:
        raise ValueError("int too large to convert to float")
    return str(money(float(value)))


def cancel_pending_order(
    order_id: Annotated[str, "The order's id with its leading '#', such as '#W0000000'."],
    reason: Annotated[str, "'no longer needed' or 'ordered by mistake'; nothing else is accepted."],
) -> dict:
    """Cancel a whole order whose status is 'pending' and refund every payment of it.

    A gift card is credited at once; other payment methods take 5 to 7 business days. Confirm the
    order and the reason with the customer first: it cannot be undone. Returns the order.
    """
    order = _order(order_id)
    if order["status"] != "pending":
        raise ValueError("Non-pending order cannot be cancelled")
    if reason not in ["no longer needed", "ordered by mistake"]:
        raise ValueError("Invalid reason")
    user = _user(order["user_id"])
    refunds = []
    for payment in order["payment_history"]:
        method_id = payment["payment_method_id"]
        _payment_method(user, method_id)
        _credit(user, method_id, payment["amount"])
        refunds.append(_transaction("refund", payment["amount"], method_id))
    _save_methods(user)
    changed = {
        "status": "cancelled",
        "cancel_reason": reason,
        "payment_history": order["payment_history"] + refunds,
    }
    return _shown(db.update("orders", order_id, changed))


def exchange_delivered_order_items(
    order_id: Annotated[str, "The order's id with its leading '#', such as '#W0000000'."],
    item_ids: Annotated[
        list[str], "Ids of the items to give back; name one twice to give back two."
    ],
    new_item_ids: Annotated[
        list[str],
        "Ids of the items wanted instead, in the same order: each an available variant of the same product.",
    ],
    payment_method_id: Annotated[
        str, "One of the customer's payment methods: pays or receives the difference in price."
    ],
) -> dict:
    """Request an exchange of items of an order whose status is 'delivered'.

    Works once an order: collect everything to be exchanged, show the details and obtain the
    customer's confirmation first. A gift card must cover the difference. Returns the order.
    """
    order = _order(order_id)
    if order["status"] != "delivered":
        raise ValueError("Non-delivered order cannot be exchanged")
    missing = _missing_item(order, item_ids)
    if missing is not None:
        raise ValueError(f"Number of {missing} not found.")
    if len(item_ids) != len(new_item_ids):
        raise ValueError("The number of items to be exchanged should match.")
    difference = 0
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        item = _first_item(order["items"], item_id)
        difference += _replacement(item, new_item_id)["price"] - item["price"]
    difference = money(difference)
    method = _payment_method(_user(order["user_id"]), payment_method_id)
    if _is_gift_card(method) and method["balance"] < difference:
        raise ValueError("Insufficient gift card balance to pay for the price difference")
    changed = {
        "status": "exchange requested",
        "exchange_items": sorted(item_ids),
        "exchange_new_items": sorted(new_item_ids),
        "exchange_payment_method_id": payment_method_id,
        "exchange_price_difference": difference,
    }
    return _shown(db.update("orders", order_id, changed))


def find_user_id_by_name_zip(
    first_name: Annotated[str, "First name; upper and lower case are the same."],
    last_name: Annotated[str, "Last name; upper and lower case are the same."],
    zip: Annotated[str, "Zip code of the customer's default address, five digits."],
) -> str:
    """Find a customer's user id by name and zip code, for customers who cannot give their email."""
    for user in db.find("users", {"address.zip": zip}):
        name = user["name"]
        same_first = name["first_name"].lower() == first_name.lower()
        if same_first and name["last_name"].lower() == last_name.lower():
            return user["user_id"]
    raise ValueError("User not found")


def find_user_id_by_email(
    email: Annotated[str, "Email address; upper and lower case are the same."],
) -> str:
    """Find a customer's user id by email address."""
    found = db.find("users", {"email": email.lower()})
    if not found:
        raise ValueError("User not found")
    return found[0]["user_id"]


def get_order_details(
    order_id: Annotated[str, "The order's id with its leading '#', such as '#W0000000'."],
) -> dict:
    """Look up an order: status, items, address, deliveries, payments, and what was asked for since."""
    return _shown(_order(order_id))


def get_product_details(
    product_id: Annotated[str, "A product's id; not to be confused with an item's."],
) -> dict:
    """Look up a product and all its variants: item ids, options, prices, and which are available."""
    return _product(product_id)


def get_item_details(
    item_id: Annotated[str, "An item's (variant's) id; not to be confused with a product's."],
) -> dict:
    """Look up one variant of a product: its options, its price, and whether it is available."""
    products = db.find("products", {"variants[].item_id": item_id})
    if not products:
        raise ValueError("Item not found")
    return products[0]["variants"][item_id]


def get_user_details(
    user_id: Annotated[str, "The customer's user id, such as 'sara_doe_496'."],
) -> dict:
    """Look up a customer: name, email, default address, payment methods, and ids of all orders."""
    return _user(user_id)


def list_all_product_types() -> str:
    """List every product that the store sells: JSON text of an object from name to product id."""
    products = db.find("products", {})
    return json.dumps({row["name"]: row["product_id"] for row in products}, sort_keys=True)


def modify_pending_order_address(
    order_id: Annotated[str, "The order's id with its leading '#', such as '#W0000000'."],
    address1: Annotated[str, "Street and number."],
    address2: Annotated[str, "Flat, suite and the like; empty when there is none."],
    city: Annotated[str, "City."],
    state: Annotated[str, "State, two letters."],
    country: Annotated[str, "Country, such as 'USA'."],
    zip: Annotated[str, "Zip code, five digits."],
) -> dict:
    """Change where a pending order is shipped. Returns the order.

    Show the new address and obtain the customer's confirmation first.
    """
    if not _is_pending(_order(order_id)):
        raise ValueError("Non-pending order cannot be modified")
    address = {
        "address1": address1,
        "address2": address2,
        "city": city,
        "state": state,
        "country": country,
        "zip": zip,
    }
    return _shown(db.update("orders", order_id, {"address": address}))


def modify_pending_order_items(
    order_id: Annotated[str, "The order's id with its leading '#', such as '#W0000000'."],
    item_ids: Annotated[list[str], "Ids of the items to replace; name one twice to replace two."],
    new_item_ids: Annotated[
        list[str],
        "Ids of the items wanted instead, in the same order: each another available variant of the same product.",
    ],
    payment_method_id: Annotated[
        str, "One of the customer's payment methods: pays or receives the difference in price."
    ],
) -> dict:
    """Replace items of an order whose status is 'pending' by other variants of the same products.

    Works once an order, which can be neither modified in its items nor cancelled afterwards: collect
    everything to be changed, show the details and obtain the customer's confirmation first. A gift
    card must cover the difference. Returns the order.
    """
    order = _order(order_id)
    if order["status"] != "pending":
        raise ValueError("Non-pending order cannot be modified")
    missing = _missing_item(order, item_ids)
    if missing is not None:
        raise ValueError(f"{missing} not found")
    if len(item_ids) != len(new_item_ids):
        raise ValueError("The number of items to be exchanged should match")
    difference = 0
    variant: dict = {}
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        if item_id == new_item_id:
            raise ValueError("The new item id should be different from the old item id")
        item = _first_item(order["items"], item_id)
        variant = _replacement(item, new_item_id)
        difference += variant["price"] - item["price"]
    user = _user(order["user_id"])
    method = _payment_method(user, payment_method_id)
    if _is_gift_card(method) and method["balance"] < difference:
        raise ValueError("Insufficient gift card balance to pay for the new item")
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        # As published: every replaced item takes price and options of the last one.
        item = _first_item(order["items"], item_id)
        item["item_id"] = new_item_id
        item["price"] = variant["price"]
        item["options"] = variant["options"]
    _credit(user, payment_method_id, -difference)
    _save_methods(user)
    kind = "payment" if difference > 0 else "refund"
    paid = _transaction(kind, abs(difference), payment_method_id)
    changed = {
        "status": "pending (item modified)",
        "items": order["items"],
        "payment_history": order["payment_history"] + [paid],
    }
    return _shown(db.update("orders", order_id, changed))


def modify_pending_order_payment(
    order_id: Annotated[str, "The order's id with its leading '#', such as '#W0000000'."],
    payment_method_id: Annotated[
        str, "Another of the customer's payment methods than the one that paid for the order."
    ],
) -> dict:
    """Pay for a pending order by another payment method; the first one is refunded.

    A gift card must cover the whole amount. Show the details and obtain the customer's confirmation
    first. Returns the order.
    """
    order = _order(order_id)
    if not _is_pending(order):
        raise ValueError("Non-pending order cannot be modified")
    user = _user(order["user_id"])
    method = _payment_method(user, payment_method_id)
    payments = order["payment_history"]
    if len(payments) != 1 or payments[0]["transaction_type"] != "payment":
        raise ValueError("There should be exactly one payment for a pending order")
    amount = payments[0]["amount"]
    first_id = payments[0]["payment_method_id"]
    if first_id == payment_method_id:
        raise ValueError("The new payment method should be different from the current one")
    if _is_gift_card(method) and method["balance"] < amount:
        raise ValueError("Insufficient gift card balance to pay for the order")
    _payment_method(user, first_id)
    _credit(user, payment_method_id, -amount)
    _credit(user, first_id, amount)
    _save_methods(user)
    moved = [
        _transaction("payment", amount, payment_method_id),
        _transaction("refund", amount, first_id),
    ]
    return _shown(db.update("orders", order_id, {"payment_history": payments + moved}))


def modify_user_address(
    user_id: Annotated[str, "The customer's user id, such as 'sara_doe_496'."],
    address1: Annotated[str, "Street and number."],
    address2: Annotated[str, "Flat, suite and the like; empty when there is none."],
    city: Annotated[str, "City."],
    state: Annotated[str, "State, two letters."],
    country: Annotated[str, "Country, such as 'USA'."],
    zip: Annotated[str, "Zip code, five digits."],
) -> dict:
    """Change a customer's default address; orders keep theirs. Returns the customer.

    Show the new address and obtain the customer's confirmation first.
    """
    _user(user_id)
    address = {
        "address1": address1,
        "address2": address2,
        "city": city,
        "state": state,
        "country": country,
        "zip": zip,
    }
    return db.update("users", user_id, {"address": address})


def return_delivered_order_items(
    order_id: Annotated[str, "The order's id with its leading '#', such as '#W0000000'."],
    item_ids: Annotated[list[str], "Ids of the items to return; name one twice to return two."],
    payment_method_id: Annotated[
        str, "Receives the refund: what first paid for the order, or a gift card of the customer."
    ],
) -> dict:
    """Request the return of items of an order whose status is 'delivered'.

    The customer gets an email on how to send them back. Show the details and obtain the customer's
    confirmation first. Returns the order.
    """
    order = _order(order_id)
    if order["status"] != "delivered":
        raise ValueError("Non-delivered order cannot be returned")
    method = _payment_method(_user(order["user_id"]), payment_method_id)
    original = order["payment_history"][0]["payment_method_id"]
    if not _is_gift_card(method) and payment_method_id != original:
        raise ValueError("Payment method should be the original payment method")
    if _missing_item(order, item_ids) is not None:
        raise ValueError("Some item not found")
    changed = {
        "status": "return requested",
        "return_items": sorted(item_ids),
        "return_payment_method_id": payment_method_id,
    }
    return _shown(db.update("orders", order_id, changed))


def transfer_to_human_agents(
    summary: Annotated[str, "What the customer wants, and why it is beyond these tools."],
) -> str:
    """Hand the customer over to a human agent: only when no other tool can do what is asked."""
    return "Transfer successful"
