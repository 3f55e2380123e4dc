"""The tools of a small shop."""

from typing import Any, Literal


def find_user(email: str) -> dict[str, Any]:
    """Find a user by e-mail address."""
    found = db.find("users", {"email": email})
    if not found:
        raise ValueError(f"No user has the address {email}.")
    return found[0]


def get_order(order_id: str) -> dict[str, Any]:
    """Show an order and what it costs in all."""
    order = _order(order_id)
    return {**order, "total": money(sum(item["price"] for item in order["items"]))}


def cancel_order(
    order_id: str, reason: Literal["no longer needed", "ordered by mistake"]
) -> dict[str, Any]:
    """Cancel a pending order."""
    order = _order(order_id)
    if order["status"] != "pending":
        raise ValueError(
            f"Order {order_id} is {order['status']}: only pending orders can be cancelled."
        )
    return db.update("orders", order_id, {"status": "cancelled", "reason": reason})


def tag_order(order_id: str, tags: list[str]) -> dict[str, Any]:
    """Give an order other tags."""
    _order(order_id)
    return db.update("orders", order_id, {"tags": tags})


def _order(order_id: str) -> dict[str, Any]:
    order = db.get("orders", order_id)
    if order is None:
        raise ValueError(f"There is no order {order_id}.")
    return order
