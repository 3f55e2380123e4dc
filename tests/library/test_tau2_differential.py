"""Our ports of both τ² domains against the packages' MCP servers, each a process spoken with over stdio.

Every published solution, and generated calls: sound, refused and malformed. Results, refusals and final states
are the same but for the differences that docs/tau2-import.md lists, each of which is seen here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import strategies as st

from tests.library import airline_calls, retail_calls
from tests.library.calls import EXPRESSIONS, examples, malformed
from tests.library.tau2 import AIRLINE, LIBRARY, RETAIL, Answer, Call, Tau2, called
from tests.library.tau2_process import Process, running
from worlds.records import Records
from worlds.sandbox import Sandbox, Session

DOCS = LIBRARY.parent / "docs" / "tau2-import.md"

Kind = Literal["plan", "sequence", "malformed", "probe"]


@dataclass(frozen=True)
class Pair:
    """A call, and how it ended on either side."""

    tau2: Tau2
    call: Call
    ours: Answer
    theirs: Answer

    @property
    def differences(self) -> list[str]:
        """Which of the listed differences it shows."""
        return [name for name, holds in DIFFERENCES.items() if holds(self)]


@dataclass
class Run:
    """Calls in a row on a fresh state."""

    tau2: Tau2
    kind: Kind
    calls: list[Call]
    pairs: list[Pair] = field(default_factory=list)
    """Up to the first call that writes there and not here."""
    rows: list[str] = field(default_factory=list)
    """Those that the final states do not have alike."""


def _calculated(says: str) -> Callable[[Pair], bool]:
    """Refused here by these words, and there by others or not at all."""
    return lambda pair: (
        pair.call[0] == "calculate"
        and pair.ours[0] == "refused"
        and says in pair.ours[1]
        and pair.ours != pair.theirs
    )


DIFFERENCES: Mapping[str, Callable[[Pair], bool]] = {
    "arguments-words": lambda pair: (pair.ours[0], pair.theirs[0]) == ("invalid", "refused"),
    "arguments-run": lambda pair: (pair.ours[0], pair.theirs[0]) == ("invalid", "ok"),
    "calculate-powers": _calculated("Powers are not supported"),
    "calculate-length": _calculated("An expression may have 1000 characters"),
    "calculate-nesting": _calculated("too many nested parentheses"),
    "calculate-size": _calculated("int too large to convert to float"),
    "calculate-syntax": lambda pair: (
        _calculated("(<string>, line 1)")(pair)
        and "too many" not in pair.ours[1]
        and pair.theirs[0] == "refused"
    ),
    "certificate-twice": lambda pair: pair.ours[1].endswith("can be used only once"),
}
WRITES_THERE = ("arguments-run", "certificate-twice")
"""Differences that leave the two states apart."""

PROBES = [
    *("2 ** 3", "+".join(["1"] * 600), "(" * 60 + "1" + ")" * 60, f"{'9' * 200}. * {'9' * 200}."),
    *("1 +", "9" * 400, "1 / 0", "7 // 2"),
]
TWICE: Call = (
    "book_reservation",
    {
        "user_id": "mia_li_3668",
        "origin": "JFK",
        "destination": "SEA",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [],
        "passengers": [],
        "payment_methods": [{"payment_id": "certificate_7504069", "amount": 25}] * 2,
        "total_baggages": 1,
        "nonfree_baggages": 1,
        "insurance": "no",
    },
)
RARE: list[Call] = [
    ("get_flight_status", {"flight_number": "HAT001", "date": "2024-05-15"}),
    ("list_all_airports", {}),
    ("search_onestop_flight", {"origin": "JFK", "destination": "SEA", "date": "2024-05-20"}),
    ("send_certificate", {"user_id": "mia_li_3668", "amount": 100}),
]
"""Tools that no published solution uses."""


def runs(
    tau2: Tau2, sequences: st.SearchStrategy[list[Call]], *probes: list[Call]
) -> Iterator[Run]:
    """All that is compared in a domain."""
    for calls in tau2.plans.values():
        yield Run(tau2, "plan", calls)
    made = examples(sequences, 125)
    for number in range(0, len(made), 4):
        yield Run(tau2, "sequence", [call for some in made[number : number + 4] for call in some])
    expressions = [*PROBES, *examples(EXPRESSIONS, 50)]
    yield Run(tau2, "probe", [("calculate", {"expression": text}) for text in expressions])
    yield from (Run(tau2, "probe", calls) for calls in probes)
    spoilt = examples(malformed(tau2, sequences.flatmap(st.sampled_from)), 140)
    while spoilt:
        run = Run(tau2, "malformed", spoilt)
        yield run
        spoilt = spoilt[len(run.pairs) :]


async def play(run: Run, process: Process, session: Session) -> None:
    """Makes the calls on both sides, and compares the states."""
    await process.reset()
    records = Records(run.tau2.base)
    for call in run.calls:
        ours = called(run.tau2, session, records, call)
        theirs = await process.call(call, text=ours[1].startswith('"'))
        pair = Pair(run.tau2, call, ours, theirs)
        run.pairs.append(pair)
        writes = run.tau2.server.tools[call[0]].writes
        if writes and any(name in WRITES_THERE for name in pair.differences):
            break
    run.rows = process.state_differences(records)


async def compare(folder: Path) -> list[Run]:
    """Both domains, side by side."""
    done: list[Run] = []

    async def one(tau2: Tau2, planned: Iterator[Run]) -> None:
        with Sandbox.shared().session() as session:
            async with running(tau2, folder / tau2.name) as process:
                for run in planned:
                    await play(run, process, session)
                    done.append(run)

    async with anyio.create_task_group() as group:
        group.start_soon(one, AIRLINE, runs(AIRLINE, airline_calls.sequences(), [TWICE], RARE))
        group.start_soon(one, RETAIL, runs(RETAIL, retail_calls.sequences()))
    return done


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    with start_blocking_portal() as portal:  # the browser's tests leave a loop in this thread
        return portal.call(compare, tmp_path_factory.mktemp("states"))


def pairs(compared: list[Run], *kinds: Kind) -> list[Pair]:
    return [pair for run in compared if run.kind in kinds for pair in run.pairs]


def test_every_step_of_every_published_solution_ends_here_as_there(compared: list[Run]) -> None:
    steps = pairs(compared, "plan")
    unlike = [pair for pair in steps if pair.ours != pair.theirs]
    assert unlike[:3] == []
    assert Counter(pair.tau2.name for pair in steps) == {"airline": 142, "retail": 550}
    assert sum(run.kind == "plan" for run in compared) == 164


def test_generated_calls_end_here_as_there_or_show_exactly_one_listed_difference(
    compared: list[Run],
) -> None:
    made = pairs(compared, "sequence", "malformed", "probe")
    unlisted = [pair for pair in made if len(pair.differences) != (pair.ours != pair.theirs)]
    assert unlisted[:3] == []


def test_only_malformed_calls_are_refused_for_their_arguments(compared: list[Run]) -> None:
    assert {pair.ours[0] for pair in pairs(compared, "plan", "sequence", "probe")} == {
        "ok",
        "refused",
    }
    assert {pair.ours[0] for pair in pairs(compared, "malformed")} == {"invalid"}


def test_the_final_states_are_the_same_but_for_what_only_the_other_server_writes(
    compared: list[Run],
) -> None:
    for run in compared:
        last = run.pairs[-1] if run.pairs else None
        if last and "certificate-twice" in last.differences:
            assert run.rows == [f"users/{last.call[1]['user_id']}"]
        elif last is None or "arguments-run" not in last.differences:
            assert run.rows == []


@pytest.mark.parametrize("name", ["airline", "retail"])
def test_enough_was_compared_of_every_kind(compared: list[Run], name: str) -> None:
    made = [p for p in pairs(compared, "sequence", "malformed", "probe") if p.tau2.name == name]
    counts = Counter(pair.ours[0] for pair in made)
    assert counts.total() >= 500
    assert min(counts[status] for status in ("ok", "refused", "invalid")) >= 100
    made += [pair for pair in pairs(compared, "plan") if pair.tau2.name == name]
    used = {pair.call[0] for pair in made if pair.ours[0] == "ok"}
    assert used == set(made[0].tau2.server.tools)


def test_each_difference_that_the_docs_list_is_seen_and_no_other(compared: list[Run]) -> None:
    seen = {name for run in compared for pair in run.pairs for name in pair.differences}
    section = DOCS.read_text().partition("Where they differ, on purpose")[2]
    listed = re.findall(r"^\| `([a-z-]+)` \|", section, flags=re.MULTILINE)
    assert seen == set(DIFFERENCES) == set(listed)
