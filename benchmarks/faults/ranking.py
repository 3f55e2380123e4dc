"""How well a ranking names who is at fault: pure functions of rows as `benchmarks.attribution` keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

Row = dict[str, Any]
CONFIRMED = "confirmed"
BINS = 5


@dataclass(frozen=True)
class Standing:
    """Where the best of the true ones stands, when ties are broken by lot."""

    above: int
    """So many stand before it for certain."""
    tied: int
    """So many share its place, itself among them."""
    true: int
    """So many of those are true."""

    def among(self, places: int) -> float:
        """The probability that a true one is among the first `places`."""
        taken = min(self.tied, places - self.above)
        if taken <= 0:
            return 0.0
        return 1 - comb(self.tied - self.true, taken) / comb(self.tied, taken)

    @property
    def reciprocal(self) -> float:
        """The expected value of one divided by the place of the best true one."""
        ways = comb(self.tied, self.true)
        return sum(
            comb(self.tied - place, self.true - 1) / ways / (self.above + place)
            for place in range(1, self.tied - self.true + 2)
        )


def standing(scores: Mapping[str, float], true: Iterable[str]) -> Standing | None:
    """Of candidates by their scores, the highest first; None where no true one is a candidate with a score."""
    given = {name: score for name, score in scores.items() if score > 0}
    mine = [given[name] for name in true if name in given]
    if not mine:
        return None
    best = max(mine)
    values = list(given.values())
    return Standing(sum(value > best for value in values), values.count(best), mine.count(best))


def places(suspects: Iterable[Row]) -> dict[str, float]:
    """Candidate → a number that is the higher the earlier its place: of a component named twice its best one."""
    found: dict[str, float] = {}
    for row in suspects:
        found[row["component"]] = max(found.get(row["component"], 0.0), 1 / row["rank"])
    return found


def named(found: Sequence[Standing | None]) -> Row:
    """Shares of faults whose ranking names a true component first and among three, and the mean reciprocal rank."""
    known = [each for each in found if each]
    count = len(found)
    return {
        "faults": count,
        "first": _share(sum(each.among(1) for each in known), count),
        "three": _share(sum(each.among(3) for each in known), count),
        "reciprocal": _share(sum(each.reciprocal for each in known), count),
    }


def confirmation(faults: Iterable[tuple[Sequence[Row], Sequence[str]]]) -> Row:
    """Precision and recall of `confirmed`, over faults, each with its suspects and true components. A fault of two
    culprits is recalled in so far as both are confirmed."""
    confirmed = right = true = 0
    for suspects, culprits in faults:
        names = {row["component"] for row in suspects if row["state"] == CONFIRMED}
        confirmed += len(names)
        right += len(names & set(culprits))
        true += len(set(culprits))
    return {
        "confirmed": confirmed,
        "right": right,
        "precision": _share(right, confirmed),
        "culprits": true,
        "recall": _share(right, true),
    }


Judged = tuple[float, bool]
"""A score, and whether the candidate is at fault."""


def judged(suspects: Iterable[Row], culprits: Iterable[str]) -> list[Judged]:
    """The scores of all candidates of a fault; true ones that nobody suspects have 0."""
    scores: dict[str, float] = dict.fromkeys(culprits, 0.0)
    true = set(scores)
    for row in suspects:
        scores[row["component"]] = max(scores.get(row["component"], 0.0), row["score"])
    return [(score, name in true) for name, score in scores.items()]


def calibration(scores: Sequence[Judged]) -> Row:
    """Brier score, its skill against saying the base rate of everybody, and that rate."""
    if not scores:
        return {"candidates": 0, "brier": None, "skill": None, "base_rate": None}
    rate = sum(is_true for _, is_true in scores) / len(scores)
    brier = sum((score - is_true) ** 2 for score, is_true in scores) / len(scores)
    constant = rate * (1 - rate)
    return {
        "candidates": len(scores),
        "brier": round(brier, 4),
        "skill": round(1 - brier / constant, 3) if constant else None,
        "base_rate": round(rate, 3),
    }


def reliability(scores: Sequence[Judged], bins: int = BINS) -> list[Row]:
    """How often candidates of like scores are at fault, for as many bins of equal width."""
    found = []
    for number in range(bins):
        mine = [each for each in scores if min(int(each[0] * bins), bins - 1) == number]
        found.append(
            {
                "scores": f"{number / bins:g}–{(number + 1) / bins:g}",
                "candidates": len(mine),
                "mean_score": _share(sum(score for score, _ in mine), len(mine)),
                "at_fault": _share(sum(is_true for _, is_true in mine), len(mine)),
            }
        )
    return found


def _share(part: float, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
