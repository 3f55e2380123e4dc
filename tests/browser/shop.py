"""A small shop: bodies and episodes of a domain that looks real."""

from __future__ import annotations

from typing import Any

from worlds.domain import Domain
from worlds.intent import Intent
from worlds.recordset import Recordset
from worlds.rule import Rule
from worlds.step import Episode
from worlds.toolserver_body import ToolServerBody

VERBS = ["cancel-order", "change-address", "refund-item", "exchange", "track-parcel", "reorder"]
STATUSES = ["pending", "processed", "delivered", "cancelled"]
TITLES = ["Wool blanket", "Desk lamp", "Kettle, 1.7 l", "Running shoes", "Café press", "Bookshelf"]

SOURCE = '''"""What a shop's clerk can do with orders."""

from typing import Literal

REASONS = ("no longer needed", "ordered by mistake")


def find_user_id(email: str) -> str:
    """Find a user by e-mail address."""
    found = db.find("users", {"email": email})
    if not found:
        raise ValueError(f"no user has the address {email}")
    return found[0]["user_id"]


def get_order(order_id: str) -> dict:
    """Show an order with its items."""
    order = db.get("orders", order_id)
    if order is None:
        raise ValueError("Order not found")
    return order


def cancel_order(order_id: str, reason: Literal["no longer needed", "ordered by mistake"]) -> dict:
    """Cancel a pending order and give back the money."""
    order = get_order(order_id)
    if order["status"] != "pending":
        raise ValueError(f"only a pending order can be cancelled; this one is {order['status']}")
    return db.update("orders", order_id, {"status": "cancelled", "reason": reason})
'''


def contract() -> Domain:
    """What the tables hold."""
    return Domain.parse(
        {
            "tables": {
                "users": {
                    "key": "user_id",
                    "schema": {"type": "object", "properties": {"email": {"type": "string"}}},
                },
                "orders": {
                    "key": "order_id",
                    "schema": {"type": "object", "properties": {"total": {"type": "number"}}},
                    "references": [{"from": "user_id", "to": "users"}],
                },
            },
            "invariants": [
                {
                    "id": "total-positive",
                    "text": "An order costs something",
                    "table": "orders",
                    "require": "row.total > 0.0",
                }
            ],
            "glossary": {"carriers": {"DHL": "dhl", "Post": "post"}},
        }
    )


def rule() -> Rule:
    """A section of policy with two clauses."""
    return Rule.parse(
        {
            "text": "Only pending orders can be cancelled. The customer must say why.\n\n"
            "Never promise a delivery date. Refunds go to the payment method of the order, "
            "within five to seven business days, and never in cash.\n",
            "clauses": [
                {
                    "id": "pending-only",
                    "quote": "Only pending orders can be cancelled",
                    "on": "write",
                    "when": "table == 'orders' && after.status == 'cancelled'",
                    "require": "before.status == 'pending'",
                },
                {
                    "id": "no-promise",
                    "quote": "Never promise a delivery date",
                    "on": "say",
                    "require": "!said_now.contains('tomorrow')",
                    "enforce": "guard",
                },
            ],
            "judgement": ["The customer must say why."],
        }
    )


def order(number: int) -> dict[str, Any]:
    """A row of orders."""
    return {
        "order_id": f"#W{1000 + number}",
        "user_id": f"user-{number % 40}",
        "status": STATUSES[number % 4],
        "items": [
            {"title": TITLES[number % 6], "price": 19.5 + number, "pieces": 1 + number % 3},
            {"title": TITLES[(number + 1) % 6], "price": 4.25, "pieces": 1},
        ],
        "total": 23.75 + number,
        "placed": f"2025-03-{1 + number % 28:02d}T09:{number % 60:02d}:00Z",
    }


def records(orders: int = 240) -> Recordset:
    """Forty users and their orders."""
    users = [
        {
            "user_id": f"user-{number}",
            "name": {"first": f"Zoë {number}", "last": "Łukasz-Ñandú"},
            "email": f"user{number}@example.com",
            "loyal": number % 3 == 0,
        }
        for number in range(40)
    ]
    return Recordset.parse(
        {
            "clock": {"now": "2025-03-28T10:00:00Z", "per_call": "PT30S"},
            "tables": {"users": users, "orders": [order(number) for number in range(orders)]},
        }
    )


def server() -> ToolServerBody:
    """The clerk's tools."""
    return ToolServerBody(source=SOURCE)


def intent(number: int) -> Intent:
    """Someone wants order `number` cancelled."""
    return Intent.parse(
        {
            "instruction": "I am {user.name.first}. Cancel order {order.order_id}: I no longer "
            "need it. If that cannot be done, tell me why.\n",
            "actor": "user",
            "user": {
                "opens": "Hi, I need help with an order.",
                "brief": "You are impatient and never give your order number before being asked.",
                "knows": {"email": "{user.email}"},
                "script": [{"when": "refused('cancel_order')", "says": "Then leave it."}],
            },
            "slots": {
                "order": {"table": "orders", "match": {"order_id": f"#W{1000 + number}"}},
                "user": {"table": "users", "match": {"user_id": "{order.user_id}"}},
            },
            "goal": {
                "outcome": "done",
                "require": ["get('orders', order.order_id).status == 'cancelled'"],
                "changes": ["orders/{order.order_id}#status,reason"],
                "answer": {"refund": {"type": "number", "unit": "USD", "equals": "order.total"}},
            },
            "plans": {
                "default": [
                    {"call": "find_user_id", "args": {"email": "{user.email}"}},
                    {"call": "get_order", "args": {"order_id": "{order.order_id}"}, "as": "found"},
                    {
                        "call": "cancel_order",
                        "args": {
                            "order_id": "{order.order_id}",
                            "reason": "no longer needed",
                        },
                    },
                    {"finish": {"outcome": "done", "answer": {"refund": "{found.total}"}}},
                ]
            },
            "unscored": [{"kind": "nl_assertion", "text": "The agent is polite."}],
        }
    )


def effect(number: int) -> list[dict[str, Any]]:
    """What cancelling order `number` changes."""
    fields = {
        "reason": {"after": "no longer needed"},
        "status": {"before": "pending", "after": "cancelled"},
    }
    key = f"#W{1000 + number}"
    return [{"table": "orders", "key": key, "op": "update", "fields": fields}]


def episode(bundle: str, agent: str, number: int, *, solved: bool) -> Episode:
    """How `agent` went about it."""
    steps = _acts(number, solved=solved) if agent == "reference" else []
    if agent == "parrot":
        steps = [_call("get_order", {"order_id": f"#W{1000 + number}"}, order(number))]
        steps.append({"kind": "say", "text": f"Your order says {order(number)}"})
    outcome = "refused" if agent == "refuser" else "done"
    steps.append({"kind": "finish", "outcome": outcome, "args": {"refund": 23.75 + number}})
    return Episode.model_validate(
        {
            "bundle": bundle,
            "agent": agent,
            "steps": [{"index": index, **step} for index, step in enumerate(steps)],
            "ended": "finished",
            "diff": effect(number) if solved else [],
            "touched": [f"orders/#W{1000 + number}", f"users/user-{number % 40}"],
            "state": "0" * 64,
            "verdict": _verdict(number, solved=solved),
        }
    )


def _call(tool: str, args: dict[str, Any], result: Any, **rest: Any) -> dict[str, Any]:
    return {"kind": "call", "tool": tool, "args": args, "result": result, **rest}


def _acts(number: int, *, solved: bool) -> list[dict[str, Any]]:
    key = f"#W{1000 + number}"
    cancel = {"order_id": key, "reason": "no longer needed"}
    refusal = "only a pending order can be cancelled; this one is delivered"
    done = {**order(number), "status": "cancelled", "reason": "no longer needed"}
    return [
        {"kind": "hear", "text": "Hi, I need help with an order."},
        _call("ask_user", {"about": "email"}, f"user{number % 40}@example.com"),
        _call("find_user_id", {"email": f"user{number % 40}@example.com"}, f"user-{number % 40}"),
        _call("get_order", {"order_id": key}, order(number)),
        {"kind": "say", "text": "I found it: do you want the whole order cancelled?"},
        {"kind": "hear", "text": "Yes. All of it, please."},
        _call("cancel_order", cancel, done, changes=effect(number))
        if solved
        else _call("cancel_order", cancel, refusal, status="refused", line=31),
    ]


def _verdict(number: int, *, solved: bool) -> dict[str, Any]:
    key = f"#W{1000 + number}"
    why = "" if solved else f"orders/{key} says status 'delivered'"
    return {
        "reward": int(solved),
        "progress": 1.0 if solved else 0.25,
        "assertions": [
            _assertion("outcome", "goal.outcome", "done", met=True),
            _assertion(
                "require",
                "goal.require[0]",
                f"get('orders', '{key}').status == 'cancelled'",
                met=solved,
                detail=why,
            ),
            _assertion("changes", "goal.changes", f"orders/{key}#status,reason", met=True),
            _assertion("answer", "goal.answer.refund", f"{23.75 + number}", met=solved, detail=why),
        ],
        "violations": [],
    }


def _assertion(kind: str, place: str, text: str, *, met: bool, detail: str = "") -> dict[str, Any]:
    return {
        "kind": kind,
        "place": place,
        "text": text,
        "met": met,
        "at_start": False,
        "met_weight": int(met),
        "detail": detail,
    }
