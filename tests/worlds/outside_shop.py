"""The shop of `tests.worlds.shop` as a server of its own, and one that misbehaves when it is asked to.

It speaks MCP in plain JSON lines, without the SDK: so it starts at once, and can say what no SDK would.
`python outside_shop.py json FILE | sqlite FILE | memory` keeps its state there.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

TEXT = {"type": "string"}
TABLES = {
    "users": ["user_id", "name"],
    "orders": ["order_id", "user_id", "status", "total", "reason"],
    "refunds": ["refund_id", "order_id", "amount"],
}
MEMORY: dict[str, Any] = {name: {} for name in TABLES}


class Refused(Exception):
    """A refusal in words."""


def tool(name: str, reads: bool = False, **arguments: dict[str, Any]) -> dict[str, Any]:
    """A tool as it is listed."""
    return {
        "name": name,
        "description": name.replace("_", " ").capitalize() + ".\n\nAt length.",
        "inputSchema": {
            "type": "object",
            "properties": {**arguments, "token": TEXT},
            "required": [*arguments],
        },
        **({"annotations": {"readOnlyHint": True}} if reads else {}),
    }


TOOLS = [
    tool("find_order", reads=True, order_id=TEXT),
    tool("cancel_order", order_id=TEXT, reason=TEXT),
    tool("set_status", order_id=TEXT, status=TEXT),
    tool("misbehave", how=TEXT),
    tool("peek", reads=True, how=TEXT),
    {
        **tool("promise", said=TEXT),
        "outputSchema": {"type": "object", "properties": {"said": {"pattern": "^(a+)+$"}}},
    },
    tool("export_state", reads=True),
    tool("import_state", state={"type": "object"}),
    tool("reset_state"),
]


class Store:
    """Where the rows are: read at each call, written before it is answered."""

    def __init__(self, kind: str, path: str) -> None:
        self.kind, self.path = kind, path
        if kind == "sqlite":
            with sqlite3.connect(path) as database:
                for name, fields in TABLES.items():
                    columns = ", ".join([f"{fields[0]} TEXT PRIMARY KEY", *fields[1:]])
                    database.execute(f"CREATE TABLE IF NOT EXISTS {name} ({columns})")

    def read(self) -> dict[str, Any]:
        if self.kind == "memory":
            return MEMORY
        if self.kind == "json":
            document = json.loads(Path(self.path).read_text())
            return document["shop"]["tables"]  # type: ignore[no-any-return]
        with sqlite3.connect(self.path) as database:
            return {name: _rows(database, name, fields) for name, fields in TABLES.items()}

    def write(self, tables: dict[str, Any]) -> None:
        if self.kind == "memory":
            MEMORY.update(tables)
        elif self.kind == "json":
            Path(self.path).write_text(json.dumps({"shop": {"tables": tables}, "calls": []}))
        else:
            with sqlite3.connect(self.path) as database:
                for name, fields in TABLES.items():
                    database.execute(f"DELETE FROM {name}")  # noqa: S608
                    for row in tables[name].values():
                        marks = ", ".join("?" * len(fields))
                        values = [row.get(field) for field in fields]
                        database.execute(f"INSERT INTO {name} VALUES ({marks})", values)  # noqa: S608


def _rows(database: sqlite3.Connection, name: str, fields: list[str]) -> dict[str, Any]:
    rows = database.execute(f"SELECT {', '.join(fields)} FROM {name}").fetchall()  # noqa: S608
    named = [dict(zip(fields, row, strict=True)) for row in rows]
    return {row[fields[0]]: {k: v for k, v in row.items() if v is not None} for row in named}


def called(store: Store, name: str, args: dict[str, Any]) -> Any:
    """What a tool answers."""
    if name in ("misbehave", "peek"):
        return misbehave(store, args["how"])
    if name == "import_state":
        store.write(args["state"])
        return "imported"
    tables = store.read()
    if name == "export_state":
        return {"tables": tables}
    if name == "reset_state":
        store.write({table: {} for table in TABLES})
        return "reset"
    order = tables["orders"].get(args["order_id"])
    if order is None:
        raise Refused("There is no such order.")
    if name == "cancel_order":
        order = cancelled(tables, order, args["reason"])
    if name == "set_status":
        order["status"] = args["status"]
    store.write(tables)
    return order


def cancelled(tables: dict[str, Any], order: dict[str, Any], reason: str) -> dict[str, Any]:
    if order["status"] != "pending":
        raise Refused("Only pending orders can be cancelled.")
    refund = f"R{len(tables['refunds']) + 1}"
    tables["refunds"][refund] = {
        "refund_id": refund,
        "order_id": order["order_id"],
        "amount": order["total"],
    }
    order.update(status="cancelled", reason=reason)
    return order


def misbehave(store: Store, how: str) -> Any:
    """Do what a server must not do."""
    MISDEEDS.get(how, _nothing)(store)
    results = {"large": "x" * 2_000_000, "count": f"{os.getpid()}"}
    return results.get(how, how)


def _nothing(_store: Store) -> None:
    pass


def _die(_store: Store) -> None:
    print("about to die", file=sys.stderr, flush=True)
    os._exit(3)


def _flood(_store: Store) -> None:
    while True:
        print("x" * 100_000)


def _flood_with_messages(_store: Store) -> None:
    while True:
        tell({"method": "notifications/message", "params": {"level": "info", "data": "x" * 9_000}})


def _endless_line(_store: Store) -> None:
    while True:
        sys.stdout.write("x" * 100_000)


def _breed(store: Store) -> None:
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep(600)  # {store.path}"])


def _ask_back(_store: Store) -> None:
    for number in range(10_000):
        tell({"id": f"{number}", "method": "ping"})
    time.sleep(600)


def _spoil(store: Store) -> None:
    tables = store.read()
    tables["users"]["eve"] = {"user_id": "eve", "name": "\ud800"}
    store.write(tables)


def _spoil_a_key(store: Store) -> None:
    tables = store.read()
    tables["users"]["\ud800"] = {"user_id": "eve", "name": "Eve"}
    store.write(tables)


def _write(store: Store) -> None:
    tables = store.read()
    tables["orders"]["W3"]["total"] = 8
    store.write(tables)


def _die_after_writing(store: Store) -> None:
    tables = store.read()
    tables["orders"]["W1"]["status"] = "delivered"
    store.write(tables)
    os._exit(3)


MISDEEDS: dict[str, Callable[[Store], object]] = {
    "hang": lambda _: time.sleep(600),
    "die": _die,
    "flood": _flood,
    "flood with messages": _flood_with_messages,
    "one endless line": _endless_line,
    "babble": lambda _: print("Traceback, or a greeting", flush=True),
    "eat": lambda _: bytearray(4 << 30),
    "breed": _breed,
    "ask back": _ask_back,
    "spoil": _spoil,
    "garble": lambda store: Path(store.path).write_text("{"),
    "spoil a key": _spoil_a_key,
    "write": _write,
    "die after writing": _die_after_writing,
}


def tell(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def answer(store: Store, message: dict[str, Any]) -> dict[str, Any]:
    """The result of a request."""
    if message["method"] == "initialize":
        return {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "shop", "version": "1"},
        }
    if message["method"] == "tools/list":
        return {"tools": TOOLS}
    params = message["params"]
    if params["name"] == "promise":
        return {"content": [], "structuredContent": {"said": params["arguments"]["said"]}}
    try:
        value, failed = called(store, params["name"], params.get("arguments", {})), False
    except Refused as refusal:
        value, failed = str(refusal), True
    except Exception:  # noqa: BLE001  # as the SDK's servers tell a crash
        traceback.print_exc()
        value, failed = f"Error executing tool {params['name']}", True
    text = value if isinstance(value, str) else json.dumps(value)
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def main(kind: str, path: str = "") -> None:
    store = Store(kind, path)
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("params", {}).get("arguments", {}).get("how") == "refuse by number":
            tell({"id": message["id"], "error": {"code": -32000, "message": "not today"}})
        elif "id" in message and "method" in message:
            tell({"id": message["id"], "result": answer(store, message)})


if __name__ == "__main__":
    main(*sys.argv[1:])
