"""Bundles of the shop whose tool server runs outside, and the settings that say what it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.pinning import pin
from tests.worlds import shop
from worlds.bundle import Bundle
from worlds.servers import Servers, ServerSettings
from worlds.toolserver_body import OutsideBody

SCRIPT = Path(__file__).with_name("outside_shop.py")
JSON: dict[str, Any] = {
    "command": ["{python}", "-S", str(SCRIPT), "json", "{dir}/state.json"],
    "state": {"json": "{dir}/state.json#/shop/tables"},
}
SQLITE = {
    "command": ["{python}", "-S", str(SCRIPT), "sqlite", "{dir}/shop.db"],
    "state": {"sqlite": "{dir}/shop.db"},
}
TOOLS = {
    "command": ["{python}", "-S", str(SCRIPT), "memory"],
    "state": {"export": "export_state", "import": "import_state"},
    "result": "/tables",
}
BLIND = {"command": ["{python}", "-S", str(SCRIPT), "memory"]}
KINDS: dict[str, dict[str, Any]] = {"json": JSON, "sqlite": SQLITE, "tools": TOOLS}
QUICK = {"start_seconds": 5, "call_seconds": 1, "received_bytes": 1_000_000}


def settings(kind: dict[str, Any] = JSON, **changes: Any) -> ServerSettings:
    """The settings of a kind with changes."""
    said = {"hidden": {"token": "{episode}"}, "limits": QUICK, **kind, **changes}
    return ServerSettings.model_validate(said)


def install(**servers: ServerSettings) -> None:
    """Let these names, and no others, mean something."""
    Servers.install(Servers(servers=servers))


def outside(bundle: Bundle, **body: Any) -> Bundle:
    """The bundle with its tool server from outside, pinned afresh."""
    m = bundle.manifest
    made = Bundle.of(
        domain=(m.domain.slug, bundle.domain),
        intent=(m.intent.slug, bundle.intent),
        rules=tuple((ref.slug, rule) for ref, rule in zip(m.rules, bundle.rules, strict=True)),
        records=(m.records.slug, bundle.records),
        toolservers=(("shop", OutsideBody.parse({"server": "shop", **body})),),
        seed=m.seed,
    )
    return replace(made, manifest=made.manifest.model_copy(update={"pin": pin(made)}))


def bundle(**changes: Any) -> Bundle:
    """The shop with its tools outside, with changes as `tests.worlds.shop.bundle` takes them."""
    return outside(shop.bundle(**changes))
