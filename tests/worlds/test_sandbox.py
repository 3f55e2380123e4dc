"""Tool code in the real sandbox: what it returns, how it fails, and that it cannot reach out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from textwrap import dedent
from typing import Any

import pytest

from worlds.domain import Domain
from worlds.hosts import Host
from worlds.records import Base, Records
from worlds.recordset import Recordset
from worlds.sandbox import Limits, Outcome, Sandbox
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody

NOW = datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    made = Sandbox(Limits(seconds=0.5, suspensions=2000), processes=2, patience=1)
    yield made
    made.close()


def host() -> Host:
    domain = Domain.parse({"tables": {"users": {"key": "id"}, "orders": {"key": "order_id"}}})
    tables = {"users": [{"id": "u1", "name": "Ann", "tags": ["a"]}], "orders": []}
    return Host(Records(Base(domain, Recordset.parse({"tables": tables}))), NOW)


def server(source: str) -> ToolServer:
    return ToolServer.of(ToolServerBody(source=dedent(source)))


def run(
    sandbox: Sandbox, source: str, tool: str, /, _on: Host | None = None, **args: Any
) -> Outcome:
    with sandbox.session() as session:
        return session.call(server(source), tool, args, _on or host())


def test_a_result_comes_back_as_plain_json(sandbox: Sandbox) -> None:
    source = """
        from dataclasses import dataclass
        from datetime import datetime, date
        from decimal import Decimal

        @dataclass
        class Point:
            x: int

        def everything():
            return {"point": Point(1), "pair": (1, 2), "at": datetime(2025, 1, 2), "on": date(2025, 1, 2),
                    "price": Decimal("1.20"), "none": None}
    """
    assert run(sandbox, source, "everything").value == {
        "point": {"x": 1},
        "pair": [1, 2],
        "at": "2025-01-02T00:00:00",
        "on": "2025-01-02",
        "price": 1.2,
        "none": None,
    }


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("float('nan')", "nan is not a number"),
        ("{1, 2}", "type set is not JSON"),
        ("{1: 2}", "key must be text"),
        ("b'x'", "type bytes is not JSON"),
        ("10 ** 40", "beyond 64 bits"),
        ("chr(0)", "NUL"),
        ("Plain()", "make it a dataclass"),
        ("len", "not JSON"),
    ],
)
def test_a_result_that_is_not_json_is_a_crash(sandbox: Sandbox, result: str, words: str) -> None:
    outcome = run(sandbox, f"class Plain:\n    pass\ndef give():\n    return {result}\n", "give")
    assert (outcome.status, outcome.function) == ("crashed", "give")
    assert words in outcome.message
