"""An intent with one place of it changed, and the candidate that says so."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from pydantic import ValidationError

from triage.proposers.candidate import Candidate, Name
from triage.proposers.case import Case, Spot
from worlds.intent import Intent

Place = tuple[str | int, ...]
"""Keys and indexes from the whole intent down."""

GONE = object()
"""The value of a place that is to be taken out."""


@dataclass(frozen=True)
class Said:
    """What a candidate says of itself."""

    says: str
    likelihood: float
    authority: str = ""
    reason: str = ""


@dataclass(frozen=True)
class IntentEdit:
    """An intent under a proposer's hands."""

    proposer: str
    name: Name
    intent: Intent

    @classmethod
    def of(cls, proposer: str, case: Case, spot: Spot) -> IntentEdit | None:
        """None where the suspect is no intent of the case."""
        body = case.body(spot.name) if spot.kind == "intent" else None
        return cls(proposer, spot.name, body) if isinstance(body, Intent) else None

    def candidates(self, edits: Mapping[Place, Any], said: Said) -> Iterator[Candidate]:
        """One for the intent with these places changed; none where that is no other intent."""
        changed = edited(self.intent, edits)
        if changed is not None and changed.digest != self.intent.digest:
            yield Candidate(
                proposer=self.proposer,
                changes={self.name: changed},
                says=said.says,
                authority=said.authority,
                likelihood=min(1.0, max(0.01, said.likelihood)),
                reason=said.reason,
            )


def edited(intent: Intent, edits: Mapping[Place, Any]) -> Intent | None:
    """The intent with other values at places (`GONE` takes one out); None where it cannot be so."""
    document: Any = {"": copy.deepcopy(intent.content())}
    try:
        for place, value in edits.items():
            _put(document, ("", *place), value)
        return Intent.parse(document[""])
    except (KeyError, IndexError, TypeError, ValidationError):
        return None


def _put(document: Any, place: Sequence[str | int], value: Any) -> None:
    inner = document
    for step in place[:-1]:
        if isinstance(inner, dict) and step not in inner:
            inner[step] = {}  # a default, which content leaves out
        inner = inner[step]
    if value is GONE:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value


def closest(word: str, words: Sequence[str], least: float = 0.5) -> list[str]:
    """Those most like a word first, without the word itself; none that shares fewer letters than `least`."""
    rated = sorted((-alike(word, each), each) for each in dict.fromkeys(words) if each != word)
    return [each for rate, each in rated if -rate >= least]


def alike(one: str, other: str) -> float:
    """Share of letters that two words have in common, capitals apart."""
    one, other = one[:2_000], other[:2_000]
    return SequenceMatcher(None, one.lower(), other.lower(), autojunk=False).ratio()


def quoted(text: str, most: int = 160) -> str:
    """A text in quotes, cut where it is long."""
    flat = " ".join(text.split())
    return f"“{flat if len(flat) <= most else flat[: most - 1] + '…'}”"
