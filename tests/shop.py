"""A small domain for tests: a shop whose orders can be cancelled."""

from __future__ import annotations

from typing import Any

from worlds.body import Body
from worlds.domain import Domain
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder, File
from worlds.intent import Intent
from worlds.recordset import Recordset
from worlds.rule import Rule
from worlds.toolserver_body import ToolServerBody

CONTRACT = {
    "tables": {
        "orders": {"key": "order_id", "references": [{"from": "user_id", "to": "users"}]},
        "users": {"key": "user_id"},
    }
}
SOURCE = '''\
def cancel_order(order_id: str) -> dict:
    """Cancel an order.

    Args:
        order_id: The order.
    """
    order = db.get("orders", order_id)
    if order is None or order["status"] != "pending":
        raise ValueError("Only pending orders can be cancelled.")
    return db.update("orders", order_id, {"status": "cancelled"})
'''
POLICY = {
    "text": "Only pending orders can be cancelled.\n",
    "clauses": [
        {
            "id": "pending-only",
            "quote": "Only pending orders can be cancelled",
            "on": "write",
            "when": "table == 'orders' && after.status == 'cancelled'",
            "require": "before.status == 'pending'",
        }
    ],
}
ROWS = {
    "tables": {
        "orders": [
            {"order_id": "o1", "user_id": "ann", "status": "pending", "total": 25.5},
            {"order_id": "o2", "user_id": "ann", "status": "done", "total": 10},
        ],
        "users": [{"user_id": "ann", "name": "Ann"}],
    }
}


def cancel(**changes: Any) -> Intent:
    """The intent to cancel an order; `changes` replace keys of its body."""
    body = {
        "instruction": "I am {user.name}. Cancel order {order.order_id}.",
        "actor": "user",
        "slots": {
            "order": {"table": "orders", "match": {"status": "pending"}},
            "user": {"table": "users", "match": {"user_id": "{order.user_id}"}},
        },
        "goal": {"outcome": "done", "matches_plan": True},
        "plans": {
            "default": [
                {"call": "cancel_order", "args": {"order_id": "{order.order_id}"}},
                {"finish": {"outcome": "done"}},
            ]
        },
    }
    return Intent.parse({**body, **changes})


def shop(slug: str = "shop", *, intents: int = 1) -> DomainFolder:
    """A domain with so many intents (`cancel-0` …), a composition of them all, and one more environment."""
    made = {f"cancel-{number}": cancel(open=[f"note {number}"]) for number in range(intents)}
    return DomainFolder(
        slug,
        File("domain", Domain.parse(CONTRACT)),
        intents={name: File(name, body) for name, body in made.items()},
        rules={"policy": File("policy", Rule.parse(POLICY), {"title": "Policy"})},
        records={"small": File("small", Recordset.parse(ROWS))},
        toolservers={"desk": File("desk", ToolServerBody(source=SOURCE), {"authority": "given"})},
        compositions={
            "all": {
                "intents": "*",
                "rules": ["policy"],
                "records": ["small"],
                "toolservers": [["desk"]],
            }
        },
        environments={"lawless": EnvironmentSpec("lawless", "cancel-0", (), "small", ("desk",))},
    )


def with_body(folder: DomainFolder, shelf: str, slug: str, body: Body) -> DomainFolder:
    """The folder with another body in one of its files."""
    files: dict[str, File[Any]] = getattr(folder, shelf)
    files[slug] = File(slug, body, files[slug].about if slug in files else {})
    return folder
