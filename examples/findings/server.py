"""The small shop's tools as a server from outside that has a fault: `python -m examples.findings.server FILE FAULT`.

Tool code of our own cannot draw lots or write without its source showing it, so two codes need such a server.
"""

from __future__ import annotations

import json
import secrets
import sys
from pathlib import Path
from typing import Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

STATE, FAULT = Path(sys.argv[1]), sys.argv[2]
READS = ToolAnnotations(read_only_hint=True)
server = MCPServer("shop", log_level="ERROR")


def rows(table: str) -> dict[str, Any]:
    """The rows of a table as they are now."""
    found: dict[str, Any] = json.loads(STATE.read_text())[table]
    return found


def keep(order: dict[str, Any]) -> None:
    """Write an order."""
    tables = json.loads(STATE.read_text())
    tables["orders"][order["order_id"]] = order
    STATE.write_text(json.dumps(tables))


@server.tool(annotations=READS)
def find_user(email: str) -> dict[str, Any]:
    """Find a user by e-mail address."""
    return next(user for user in rows("users").values() if user["email"] == email)


@server.tool(annotations=READS)
def get_order(order_id: str) -> dict[str, Any]:
    """Show an order and what it costs in all."""
    order = rows("orders")[order_id]
    if FAULT == "marks":
        keep({**order, "tags": [*order["tags"], "seen"]})
    chance = {"request": secrets.token_hex(8)} if FAULT == "chance" else {}
    return {**order, "total": sum(item["price"] for item in order["items"]), **chance}


@server.tool()
def cancel_order(
    order_id: str, reason: Literal["no longer needed", "ordered by mistake"]
) -> dict[str, Any]:
    """Cancel a pending order."""
    order = {**rows("orders")[order_id], "status": "cancelled", "reason": reason}
    keep(order)
    return order


if __name__ == "__main__":
    server.run("stdio")
