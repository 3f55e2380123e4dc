"""The shop with a few more tools and fields, for faults that one relation alone can see."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.worlds.shop import SOURCE, Whole, bundle, merged
from worlds.bundle import Bundle
from worlds.check import CheckResult, check

Seen = tuple[str, str, str]
"""Code, severity and symbol of a finding."""

CRASH = ("tool-crash", "warning")
MORE = '''

def rename(user_id: str, name: str) -> dict:
    """Change a user's name."""
    return db.update("users", user_id, {"name": name})


def add_fee(order_id: str) -> dict:
    """Add a fee of one to an order."""
    return db.update("orders", order_id, {"total": find_order(order_id)["total"] + 1})


def explain(order_id: str, reason: str) -> dict:
    """Say why an order is as it is."""
    return db.update("orders", order_id, {"reason": reason})


def tag(order_id: str, tags: list[str], colours: list[str] | None = None) -> dict:
    """Tag an order; a colour for each tag."""
    return db.update("orders", order_id, {"tags": tags, "colours": colours or []})


def send(order_id: str, to: str = "", by: str = "") -> dict:
    """Say where an order goes, and how."""
    db.insert("log", {"log_id": db.next_id("log", "L"), "order_id": order_id})
    said = {"to": to, "by": by}
    return db.update("orders", order_id, {name: value for name, value in said.items() if value})
'''

FIELDS: dict[str, Any] = {
    "tags": {"type": "array", "items": {"type": "string"}},
    "colours": {"type": "array", "items": {"type": "string"}},
    "to": {"type": "string"},
    "by": {"type": "string"},
}


def case(
    goal: dict[str, Any],
    plan: list[dict[str, Any]],
    *,
    fields: dict[str, Any] | None = None,
    source: str = SOURCE + MORE,
    domain: dict[str, Any] | None = None,
    records: dict[str, Any] | None = None,
    **intent: Any,
) -> Bundle:
    """A shop with this goal and plan; `fields`: more in the schema of orders, `domain`: more in the domain."""
    schema = {"properties": {**FIELDS, **(fields or {})}}
    tables = {"orders": {"schema": schema}, "log": {"key": "log_id"}}
    return bundle(
        source=source,
        domain={"tables": tables, **(domain or {})},
        records=merged({"tables": {"log": []}}, records or {}),
        intent={"goal": Whole({"outcome": "done", **goal}), "plans": {"default": plan}, **intent},
    )


def call(tool: str, **args: Any) -> dict[str, Any]:
    """A step of a plan."""
    return {"call": tool, "args": args}


def checked(made: Bundle) -> CheckResult:
    """The check by the whole panel, but for what is said of ids that no row has: these tools are short, and crash."""
    from agents import panel

    result = check(made, panel())
    found = [each for each in result.findings if (each.code, each.severity) != CRASH]
    return replace(result, findings=found)


def seen(result: CheckResult) -> set[Seen]:
    """Everything that a check found, by code, severity and symbol."""
    return {(item.code, item.severity, item.symbol) for item in result.findings}


FIND = call("find_order", order_id="{order.order_id}")
DONE: dict[str, Any] = {"finish": {"outcome": "done"}}
CANCELLED = "get('orders', order.order_id).status == 'cancelled'"
