"""A shop small enough to read: orders of users, a tool server of four tools, one rule, one intent.

Tests change one thing at a time: `bundle(intent={...})`, `bundle(source=...)`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.pinning import pin
from worlds.bundle import Bundle, Pin
from worlds.check import CheckResult, check
from worlds.domain import Domain
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder, File
from worlds.intent import Intent
from worlds.library import write
from worlds.recordset import Recordset
from worlds.rule import Rule
from worlds.toolserver_body import ToolServerBody

DOMAIN: dict[str, Any] = {
    "tables": {
        "users": {
            "key": "user_id",
            "schema": {
                "type": "object",
                "properties": {"user_id": {"type": "string"}, "name": {"type": "string"}},
                "required": ["user_id", "name"],
                "additionalProperties": False,
            },
        },
        "orders": {
            "key": "order_id",
            "schema": {
                "type": "object",
                "properties": {
                    "order_id": {"type": "string"},
                    "user_id": {"type": "string"},
                    "status": {"enum": ["pending", "delivered", "cancelled"]},
                    "total": {"type": "number"},
                    "reason": {"type": "string"},
                },
                "required": ["order_id", "user_id", "status", "total"],
                "additionalProperties": False,
            },
            "references": [{"from": "user_id", "to": "users"}],
        },
        "refunds": {"key": "refund_id"},
    },
}

RECORDS: dict[str, Any] = {
    "clock": {"now": "2025-03-01T09:00:00+00:00"},
    "tables": {
        "users": [{"user_id": "ann", "name": "Ann"}, {"user_id": "bob", "name": "Bob"}],
        "orders": [
            {"order_id": "W1", "user_id": "ann", "status": "pending", "total": 20},
            {"order_id": "W2", "user_id": "bob", "status": "pending", "total": 25.5},
            {"order_id": "W3", "user_id": "bob", "status": "delivered", "total": 7},
        ],
        "refunds": [],
    },
}

SOURCE = '''
def find_order(order_id: str) -> dict:
    """Read an order."""
    order = db.get("orders", order_id)
    if order is None:
        raise ValueError("There is no such order.")
    return order


def cancel_order(order_id: str, reason: str) -> dict:
    """Cancel a pending order and pay its total back."""
    order = find_order(order_id)
    if order["status"] != "pending":
        raise ValueError("Only pending orders can be cancelled.")
    refund = db.next_id("refunds", "R")
    db.insert("refunds", {"refund_id": refund, "order_id": order_id, "amount": order["total"]})
    return db.update("orders", order_id, {"status": "cancelled", "reason": reason})


def set_status(order_id: str, status: str) -> dict:
    """Set the status of an order, whatever it was."""
    return db.update("orders", order_id, {"status": status})


def list_users() -> list:
    """List everybody."""
    return db.find("users", {})
'''

RULE: dict[str, Any] = {
    "text": "Only pending orders can be cancelled. Nothing is ever delivered by hand.",
    "clauses": [
        {
            "id": "pending-only",
            "quote": "Only pending orders can be cancelled",
            "on": "write",
            "when": "table == 'orders' && after.status == 'cancelled'",
            "require": "before.status == 'pending'",
        },
        {
            "id": "no-hand-delivery",
            "quote": "Nothing is ever delivered by hand",
            "on": "call",
            "when": "call.tool == 'set_status'",
            "require": "call.args.status != 'delivered'",
            "enforce": "guard",
        },
    ],
}

INTENT: dict[str, Any] = {
    "instruction": "I am {user.name}. Cancel order {order.order_id}: I no longer need it.",
    "actor": "user",
    "slots": {
        "order": {"table": "orders", "match": {"status": "pending"}},
        "user": {"table": "users", "match": {"user_id": "{order.user_id}"}},
    },
    "goal": {
        "outcome": "done",
        "require": ["get('orders', order.order_id).status == 'cancelled'"],
        "changes": ["orders/{order.order_id}#status,reason", "refunds/+1"],
        "answer": {"refund": {"type": "number", "unit": "USD", "equals": "order.total"}},
    },
    "plans": {
        "default": [
            {"call": "find_order", "args": {"order_id": "{order.order_id}"}, "as": "found"},
            {"call": "cancel_order", "args": {"order_id": "{found.order_id}", "reason": "changed"}},
            {"finish": {"outcome": "done", "answer": {"refund": "{found.total}"}}},
        ]
    },
}


class Whole(dict[str, Any]):
    """An object that takes another's place as a whole rather than key by key."""


def merged(base: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """`base` with the keys of `change` laid over it, objects within objects too."""
    result = dict(base)
    for key, value in change.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        both = both and not isinstance(value, Whole)
        result[key] = merged(result[key], value) if both else value
    return result


def bundle(
    *,
    domain: dict[str, Any] | None = None,
    records: dict[str, Any] | None = None,
    rule: dict[str, Any] | None = None,
    intent: dict[str, Any] | None = None,
    source: str = SOURCE,
    seed: int = 0,
    pinned: Pin | None = None,
) -> Bundle:
    """The shop with what is given laid over its bodies, pinned (by `pinned`, or afresh)."""

    def made(with_pin: Pin | None) -> Bundle:
        return Bundle.of(
            domain=("domain", Domain.parse(merged(DOMAIN, domain or {}))),
            intent=("cancel", Intent.parse(merged(INTENT, intent or {}))),
            rules=(("cancelling", Rule.parse(merged(RULE, rule or {}))),),
            records=("small", Recordset.parse(merged(RECORDS, records or {}))),
            toolservers=(("shop", ToolServerBody(source=source)),),
            seed=seed,
            pin=with_pin,
        )

    return made(pinned or pin(made(None)))


def written(path: Path) -> Path:
    """The shop as a library's folder, without pins; the library is `path`."""
    spec = EnvironmentSpec("first", "cancel", ("cancelling",), "small", ("shop",))
    folder = DomainFolder(
        "shop",
        File("domain", Domain.parse(DOMAIN)),
        intents={"cancel": File("cancel", Intent.parse(INTENT))},
        rules={"cancelling": File("cancelling", Rule.parse(RULE))},
        records={"small": File("small", Recordset.parse(RECORDS))},
        toolservers={"shop": File("shop", ToolServerBody(source=SOURCE.lstrip()))},
        environments={"first": spec},
    )
    write(folder, path)
    return path


def codes(result: CheckResult) -> dict[str, str]:
    """Code → severity of every finding."""
    return {found.code: found.severity for found in result.findings}


def checked(**changes: Any) -> CheckResult:
    """The shop with changes, checked by the whole panel."""
    from agents import panel

    return check(bundle(**changes), panel())
