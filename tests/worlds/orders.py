"""A small shop that conditions are tried on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worlds.conditions import Condition, Shape, View, compile_condition, row_shape
from worlds.domain import Domain
from worlds.records import Base, Records
from worlds.recordset import Recordset

DOMAIN = Domain.parse(
    {
        "tables": {
            "orders": {
                "key": "order_id",
                "schema": {
                    "type": "object",
                    "properties": {
                        "status": {"type": "string"},
                        "total": {"type": "number"},
                        "refund": {"type": ["number", "null"]},
                        "count": {"type": "integer"},
                        "items": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "item_id": {"type": "string"},
                                    "price": {"type": "number"},
                                },
                            },
                        },
                        "prices": {"type": "object", "additionalProperties": {"type": "number"}},
                        "open": {
                            "type": "object",
                            "properties": {"a": {}},
                            "additionalProperties": True,
                        },
                        "either": {"anyOf": [{"type": "object", "properties": {"a": {}}}, {}]},
                    },
                },
            },
            "notes": {"key": "note_id"},
        }
    }
)


def order(number: int, **fields: Any) -> dict[str, Any]:
    """A row of orders."""
    return {
        "order_id": f"o{number}",
        "status": "pending",
        "total": number,
        "refund": None,
        "count": 3,
        "items": [{"item_id": f"{number}-{item}", "price": item} for item in (3, 1, 2)],
        "prices": {"b": 1, "a": 2},
        "open": {"a": 1, "b": 2},
        "either": {"z": 1},
        **fields,
    }


def records() -> Records:
    """300 orders, of which o1 to o3 are done, and one note."""
    rows = [order(number, status="done" if 0 < number < 4 else "pending") for number in range(300)]
    notes = [{"note_id": "n1", "price": 25.5, "text": "Hello"}]
    document = {
        "clock": {"now": "2025-03-01T10:00:00Z"},
        "tables": {"orders": rows, "notes": notes},
    }
    return Records(Base(DOMAIN, Recordset.parse(document)))


def view(state: Records | None = None) -> View:
    """A view of these records, or of fresh ones."""
    state = state or records()
    return View(state, state.base.clock.now)


ORDER: Shape = row_shape(DOMAIN, "orders")


def compiled(text: str, **names: Shape) -> Condition:
    """A condition that may name `order`, `other` (of any shape), and what is given."""
    return compile_condition(text, DOMAIN, {"order": ORDER, "other": None, **names})


def value(text: str, names: Mapping[str, Any] | None = None, state: Records | None = None) -> Any:
    """What a condition says of the shop, with o7 as `order` and null as `other`."""
    looked_at = view(state)
    given = {"order": looked_at.records.get("orders", "o7"), "other": None, **(names or {})}
    return compiled(text).evaluate(looked_at, given)
