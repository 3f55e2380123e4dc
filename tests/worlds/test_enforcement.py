"""Guards that did not stop what they forbid, in servers whose writes cannot be taken back."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from agents import panel
from tests.worlds.outside import JSON, bundle, install, settings
from tests.worlds.shop import RECORDS, RULE, Whole
from worlds.check import check
from worlds.servers import Servers


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    yield
    Servers.install(None)


TABLES = {
    table: {next(iter(row.values())): row for row in rows}
    for table, rows in RECORDS["tables"].items()
}
ROWS = base64.b64encode(json.dumps(TABLES).encode()).decode()
FULL = f"import base64, json, outside_shop as s; s.MEMORY.update(json.loads(base64.b64decode('{ROWS}')))"
TOLD: dict[str, Any] = {
    "command": ["{python}", "-c", f"{FULL}; s.main('memory')"],
    "env": {"PYTHONPATH": "tests/worlds"},
    "state": {"export": "export_state"},
    "result": "/tables",
}
"""It begins with the shop's rows and tells its state; nobody can give it another."""


def found(enforce: str, kind: dict[str, Any]) -> list[tuple[str, str, str]]:
    install(shop=settings(kind))
    clauses = [{**RULE["clauses"][0], "enforce": enforce}]
    revive = {"call": "set_status", "args": {"order_id": "W3", "status": "cancelled"}}
    intent = {"plans": Whole(default=[revive, {"finish": {"answer": {"refund": 20}}}])}
    result = check(bundle(rule={"clauses": clauses}, intent=intent), panel())
    return [
        (item.severity, item.component, item.symbol)
        for item in result.findings
        if item.code == "rule-unenforced"
    ]


def test_a_write_that_a_guard_could_not_take_back_names_the_tool_and_the_clause() -> None:
    symbol = "set_status cancelling/pending-only"
    assert found("guard", TOLD) == [("warning", "shop", symbol)]


def test_what_is_taken_back_or_only_audited_is_enforced() -> None:
    assert found("guard", JSON) == []
    assert found("audit", TOLD) == []
