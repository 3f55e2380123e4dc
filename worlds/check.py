"""A check: everything that is run on one bundle, and the status that follows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from worlds.agent import Agent
from worlds.bundle import Bundle
from worlds.conditions import Allowance
from worlds.controls import control_findings
from worlds.episode import STEPS, play
from worlds.findings import Finding, finding
from worlds.observation import Unobserved, unobserved
from worlds.play import CALLS_BYTES, CALLS_SECONDS
from worlds.recordcheck import domain_findings, record_findings
from worlds.records import RecordsInvalid
from worlds.sandbox import Limits
from worlds.slots import ROWS_LOOKED_AT, ROWS_TRIED
from worlds.static import static_findings
from worlds.step import Episode
from worlds.toolsession import ToolSession
from worlds.world import World

CheckStatus = Literal["broken", "solvable", "unproven"]

VERSIONS: Mapping[str, int] = {"static": 2, "controls": 3}
"""Raised when a stage comes to judge differently, so that stored results are not taken for its own."""

LIMITS: Mapping[str, Any] = {
    "steps": STEPS,
    "rows_tried": ROWS_TRIED,
    "rows_looked_at": ROWS_LOOKED_AT,
    "calls_seconds": CALLS_SECONDS,
    "calls_bytes": CALLS_BYTES,
    "conditions": asdict(Allowance()),
    "sandbox": asdict(Limits()),
}
"""What is cut off where; another limit may lead to another result."""

UNPLAYABLE = {"source-invalid", "slot-unbound", "body-invalid"}
"""Blocking codes of the static stage after which there is no sense in acting."""

SAID = ("instruction", "user.", "goal.changes", "goal.mentions")
"""Places in an intent whose templates are filled in while an attempt runs or is judged."""


@dataclass(frozen=True)
class CheckResult:
    """What a check showed. Trouble of ours is an exception from `check`, never a result."""

    status: CheckStatus
    witness: Literal["", "plan", "search", "agent"]
    findings: list[Finding]
    episodes: list[Episode]
    seconds: float
    unobserved: tuple[Unobserved, ...] = ()
    """What could not be looked at, and why."""
    times: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Agent → seconds of each of its attempts; `static`, `controls` → seconds of the stage."""


def check(bundle: Bundle, agents: Mapping[str, Callable[[World], Agent]]) -> CheckResult:
    """Run the static stage, then every agent of the panel, then the controls on their episodes."""
    watch = Watch()
    try:
        world = World(bundle)
    except RecordsInvalid as problem:
        return _decided([_unkeyed(bundle, problem)], [], watch)
    with watch.lap("static"):
        findings = [*static_findings(world), *domain_findings(world)]
    episodes: list[Episode] = []
    if world.unbound is None and _is_playable(findings):
        with ToolSession() as session:
            episodes = _episodes(world, agents, session, watch)
    with watch.lap("controls"):
        findings += control_findings(world, episodes)
        findings += record_findings(world, _touched(world, episodes))
    return _decided(_each_once(findings), episodes, watch, tuple(unobserved(world)))


class Watch:
    """How long a check takes, and each part of it: no part of what it shows."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self.laps: dict[str, list[float]] = {}

    @property
    def seconds(self) -> float:
        """Since it was made."""
        return time.perf_counter() - self._started

    @contextmanager
    def lap(self, name: str) -> Iterator[None]:
        """Note the seconds of a with block under a name."""
        began = time.perf_counter()
        yield
        self.laps.setdefault(name, []).append(round(time.perf_counter() - began, 6))


def _each_once(findings: list[Finding]) -> list[Finding]:
    """What two stages, or two rows, show of one defect at one place counts once."""
    found: dict[tuple[str, str], Finding] = {}
    for item in findings:
        found.setdefault((item.fingerprint, item.place), item)
    return list(found.values())


def _is_playable(findings: list[Finding]) -> bool:
    """Whether there is sense in acting: the code may run, and all texts can be filled in from the rows."""
    blocking = [item for item in findings if item.severity == "blocking"]
    return not any(
        item.code in UNPLAYABLE or (item.kind == "intent" and item.place.startswith(SAID))
        for item in blocking
    )


def _episodes(
    world: World,
    agents: Mapping[str, Callable[[World], Agent]],
    session: ToolSession,
    watch: Watch,
) -> list[Episode]:
    episodes = []
    for name, make in agents.items():
        if name == "reference" and world.plan_key is None:
            continue
        for attempt in range(make(world).attempts):
            with watch.lap(name):
                episodes.append(play(world, make(world), session, attempt=attempt))
    return episodes


def _touched(world: World, episodes: list[Episode]) -> set[str]:
    """The rows that the environment stands on: those bound, and those that the reference used."""
    slots = world.bundle.intent.slots
    bound = {f"{slots[name].table}/{key}" for name, key in world.binding.items() if name in slots}
    used = (episode.touched for episode in episodes if episode.agent == "reference")
    return bound.union(*used)


def _decided(
    findings: list[Finding],
    episodes: list[Episode],
    watch: Watch,
    hidden: tuple[Unobserved, ...] = (),
) -> CheckResult:
    """`broken` by a blocking finding, else `solvable` by a witness, else `unproven`."""
    won = any(
        e.agent == "reference" and e.verdict is not None and e.verdict.reward == 1 for e in episodes
    )
    witness: Literal["", "plan"] = "plan" if won else ""
    status: CheckStatus = "solvable" if won else "unproven"
    if any(item.severity == "blocking" for item in findings):
        status = "broken"
    return CheckResult(status, witness, findings, episodes, watch.seconds, hidden, watch.laps)


def _unkeyed(bundle: Bundle, problem: RecordsInvalid) -> Finding:
    return finding(
        "body-invalid",
        "records",
        bundle.manifest.records.slug,
        place="tables",
        symbol="tables",
        message=f"{problem}.",
    )
