"""The small shop of `examples/findings`, with its intent broken in one place: what is shown to proposers of it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import agents
from triage.proposers import Proposer
from triage.proposers.candidate import Candidate, Name, placed
from triage.proposers.case import Case, Seen, Spot
from worlds.bundle import Bundle
from worlds.check import check
from worlds.intent import Intent
from worlds.library import read

SOUND = Path(__file__).parents[4] / "examples" / "findings" / "sound"
NAME: Name = ("intent", "cancel")


def sound() -> Bundle:
    """The environment as it is."""
    folder = read(SOUND)[0]
    return folder.bundle(folder.all_environments()[0])


def broken(breaks: Callable[[dict[str, Any]], object]) -> Case:
    """A case of the environment with an intent that `breaks` made of the sound one."""
    bundle = sound()
    document = copy.deepcopy(bundle.intent.content())
    breaks(document)
    changed = placed(bundle, {NAME: Intent.parse(document)})
    result = check(changed, agents.panel())
    found = tuple(each for each in result.findings if each.severity != "advice")
    assert found, "nothing is broken"
    reference = next((each for each in result.episodes if each.agent == "reference"), None)
    seen = Seen("cancel", changed, found, reference)
    codes = frozenset(each.code for each in found)
    return Case("shop", [seen], [Spot("intent", "cancel", score=0.9)], codes=codes)


def proposed(proposer: Proposer, case: Case) -> list[Candidate]:
    """All that a proposer says, the likeliest first."""
    return sorted(proposer(case, case.spots[0]), key=lambda each: -each.likelihood)


def is_sound(case: Case, candidate: Candidate) -> bool:
    """Whether the environment checks without a finding with it."""
    result = check(placed(case.seen[0].bundle, candidate.changes), agents.panel())
    return result.status == "solvable" and not [
        each for each in result.findings if each.severity != "advice"
    ]


def first_sound(proposer: Proposer, case: Case) -> Mapping[str, Any]:
    """What the intent says after the first candidate that mends it, which is among the first three."""
    for candidate in proposed(proposer, case)[:3]:
        if is_sound(case, candidate):
            return candidate.changes[NAME].content()
    raise AssertionError([each.says for each in proposed(proposer, case)])
