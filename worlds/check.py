"""A check: everything that is run on one bundle, and the status that follows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from worlds.agent import Agent
from worlds.atrest import MOST_ROWS as ROWS_AT_REST
from worlds.atrest import untouched_findings
from worlds.bundle import Bundle
from worlds.conditions import Allowance
from worlds.controls import control_findings
from worlds.counterexample import Counterexample
from worlds.criteria import criteria_findings
from worlds.episode import STEPS, play
from worlds.findings import Finding, finding
from worlds.observation import Unobserved, unobserved
from worlds.play import CALLS_BYTES, CALLS_SECONDS
from worlds.reach import unreachable
from worlds.recordcheck import domain_findings, record_findings
from worlds.records import RecordsInvalid
from worlds.sandbox import Limits
from worlds.slots import ROWS_LOOKED_AT, ROWS_TRIED
from worlds.solving import Prover, solving_findings
from worlds.soundness import CALLS as SOUNDNESS_CALLS
from worlds.soundness import SECONDS as SOUNDNESS_SECONDS
from worlds.soundness import soundness
from worlds.static import static_findings
from worlds.step import Episode
from worlds.toolsession import ToolSession
from worlds.unheard import unheard_findings
from worlds.wording import wording_findings
from worlds.world import World

CheckStatus = Literal["broken", "solvable", "unproven"]
Witness = Literal["", "plan", "search", "agent"]

VERSIONS: Mapping[str, int] = {"static": 7, "controls": 10, "soundness": 5, "solving": 2}
"""Raised when a stage comes to judge differently, so that stored results are not taken for its own."""

LIMITS: Mapping[str, Any] = {
    "steps": STEPS,
    "rows_tried": ROWS_TRIED,
    "rows_looked_at": ROWS_LOOKED_AT,
    "calls_seconds": CALLS_SECONDS,
    "calls_bytes": CALLS_BYTES,
    "soundness_calls": SOUNDNESS_CALLS,
    "soundness_seconds": SOUNDNESS_SECONDS,
    "rows_at_rest": ROWS_AT_REST,
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
    witness: Witness
    findings: list[Finding]
    episodes: list[Episode]
    seconds: float
    unobserved: tuple[Unobserved, ...] = ()
    """What could not be looked at, and why."""
    times: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Agent → seconds of each of its attempts; a stage's name → seconds of the stage."""
    counterexamples: Sequence[Counterexample] = ()
    """Wrong episodes that the goal accepts and right ones that it refuses."""


def check(
    bundle: Bundle,
    agents: Mapping[str, Callable[[World], Agent]],
    prover: Prover | None = None,
    watch: Watch | None = None,
    *,
    tells_all: bool = False,
) -> CheckResult:
    """Run the static stage, every agent of the panel, the controls on their episodes, then goal soundness on the
    reference's; without a witness, the prover where one is given.

    With `tells_all`, warn also of rows that the environment does not touch.
    """
    made = _Check(bundle, watch or Watch())
    try:
        world = World(bundle)
    except RecordsInvalid as problem:
        made.findings.append(_unkeyed(bundle, problem))
        return made.result()
    with made.watch.lap("static"):
        made.findings += [*static_findings(world), *domain_findings(world)]
        made.findings += criteria_findings(world)
    if world.unbound is None and _is_playable(made.findings):
        with ToolSession() as session:
            made.play(world, agents, session)
            made.findings += unreachable(world)
            made.prove(world, prover, session)
    touched = _touched(world, made.episodes)
    made.findings += record_findings(world, touched)
    made.findings += untouched_findings(world, touched) if tells_all else ()
    made.unobserved = tuple(unobserved(world))
    return made.result()


@dataclass
class _Check:
    """A check under way."""

    bundle: Bundle
    watch: Watch
    findings: list[Finding] = field(default_factory=list)
    episodes: list[Episode] = field(default_factory=list)
    counterexamples: list[Counterexample] = field(default_factory=list)
    unobserved: tuple[Unobserved, ...] = ()

    def play(
        self,
        world: World,
        agents: Mapping[str, Callable[[World], Agent]],
        session: ToolSession,
    ) -> None:
        self.episodes = _episodes(world, agents, session, self.watch)
        with self.watch.lap("controls"):
            self.findings += control_findings(world, self.episodes, session)
        reference = _won(self.episodes, "reference")
        if reference is not None:
            with self.watch.lap("soundness"):
                shown = soundness(world, reference, session)
                self.findings += wording_findings(world, reference)
                self.findings += unheard_findings(world, reference)
            self.findings += shown.findings
            self.counterexamples += shown.counterexamples
            self.episodes += shown.episodes

    def prove(self, world: World, prover: Prover | None, session: ToolSession) -> None:
        if prover is None or _won(self.episodes, "reference") is not None:
            return
        with self.watch.lap("solving"):
            proof = prover(world, session)
            self.findings += solving_findings(world, proof)
        if proof.episode is not None:
            self.episodes.append(proof.episode)

    def result(self) -> CheckResult:
        """`broken` by a blocking finding, else `solvable` by a witness, else `unproven`."""
        findings = _each_once(self.findings)
        witness = _witness(self.episodes)
        return CheckResult(
            decided((item for item in findings if item.severity == "blocking"), witness),
            witness,
            findings,
            self.episodes,
            self.watch.seconds,
            self.unobserved,
            self.watch.laps,
            self.counterexamples,
        )


def decided(blocking: Iterable[Finding], witness: Witness) -> CheckStatus:
    """The status that follows from the blocking findings that count, and the witness."""
    if any(True for _ in blocking):
        return "broken"
    return "solvable" if witness else "unproven"


def _won(episodes: Sequence[Episode], agent: str) -> Episode | None:
    """The first episode of an agent with reward 1."""
    found = (e for e in episodes if e.agent == agent and e.verdict and e.verdict.reward == 1)
    return next(found, None)


def _witness(episodes: Sequence[Episode]) -> Witness:
    if _won(episodes, "reference"):
        return "plan"
    return "search" if _won(episodes, "search") else ""


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


def _unkeyed(bundle: Bundle, problem: RecordsInvalid) -> Finding:
    return finding(
        "body-invalid",
        "records",
        bundle.manifest.records.slug,
        place="tables",
        symbol="tables",
        message=f"{problem}.",
    )
