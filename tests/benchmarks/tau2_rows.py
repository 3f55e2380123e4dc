"""Rows of the benchmark `tau2` in short, for what is written from them."""

from __future__ import annotations

from typing import Any


def row(task: str, **given: Any) -> dict[str, Any]:
    """A certain finding in a retail task that nobody has read, but for what is given."""
    made = {
        "domain": "retail",
        "task": task,
        "environment": f"tau2-retail/task-{task}",
        "code": "plan-breaks-rule",
        "severity": "blocking",
        "kind": "intent",
        "component": f"task-{task}",
        "place": "plans.default[3]",
        "symbol": "plan cancel_pending_order cancel-pending-order/reasons",
        "step": 3,
        "tool": "cancel_pending_order",
        "clause": "cancel-pending-order/reasons",
        "row": None,
        "message": "Step 3 of the plan violates “no other reason” (cancel-pending-order/reasons).",
        "fingerprint": f"print of {task}",
        "label": None,
        "why": None,
        "correction": None,
    }
    return {**made, **given}


def shared(task: str, **given: Any) -> dict[str, Any]:
    """A finding about records that tasks share."""
    about = {
        "code": "row-invalid",
        "kind": "records",
        "component": "retail",
        "place": "orders/#W1#items",
        "symbol": "orders.items",
        "step": None,
        "tool": None,
        "clause": None,
        "row": "orders/#W1",
        "message": "orders/#W1: two items are one | the same.",
        "fingerprint": "shared",
    }
    return row(task, **{**about, **given})


def let_through(tool: str, **given: Any) -> dict[str, Any]:
    """What a tool lets through, and nobody has read, but for what is given."""
    about = {
        "code": "rule-unenforced",
        "severity": "warning",
        "kind": "toolserver",
        "component": "retail",
        "place": tool,
        "symbol": f"{tool} cancel-pending-order/reasons",
        "step": None,
        "tool": tool,
        "message": f"{tool} lets it through.",
        "fingerprint": f"print of {tool}",
        "invariant": None,
        "text": "no other reason",
        "tried": 12,
        "applied": 9,
        "accepted": 5,
        "example": f"{tool}(…)",
    }
    return {**row("1"), "task": None, **about, **given}


def document(*rows: dict[str, Any], **given: Any) -> dict[str, Any]:
    """A document with these rows."""
    counts = {"domain": "retail", "tasks": 9, "broken": 2, "solvable": 7, "unproven": 0}
    source = {"domain": "retail", "tasks": 9, "from": "a folder", "tasks_sha256": "0" * 64}
    made: dict[str, Any] = {
        "name": "tau2",
        "machine": {"cores": 2, "python": "3.11.7"},
        "seconds": 7.5,
        "sources": [{**source, "borrowed": {"db.json": "the package"}}],
        "domains": [counts],
        "codes": [],
        "records": [],
        "tools": [],
        "not_probed": [],
        "gone": {"right": 1, "wrong": 2},
        "rows": list(rows),
    }
    return {**made, **given}
