"""How often attribution names the component that a fault was planted in, by half and kind, beside two baselines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.faults.attributed import ALONE, QUICK, STAGES, STANDINS
from benchmarks.faults.detected import KINDS
from benchmarks.faults.ranking import (
    Judged,
    Standing,
    calibration,
    confirmation,
    judged,
    named,
    places,
    reliability,
    standing,
)

Row = dict[str, Any]
RANKINGS = (*STAGES, "directly", "spectral")
HALVES = {"heldout": "held_out", "development": "development"}
"""Half → how its figures begin in the headline."""


def ranked(row: Row, ranking: str) -> Standing | None:
    """Where a true component of a fault stands, in one of `RANKINGS`."""
    given = row[ranking]
    scores: Mapping[str, float] = given if isinstance(given, dict) else places(given)
    return standing(scores, row["culprits"])


def table(rows: Sequence[Row]) -> list[Row]:
    """A row for each half and each ranking in it: over all its faults, those of each kind, and those of the
    catalogue."""
    found = []
    for half in dict.fromkeys(row["half"] for row in rows):
        mine = [row for row in rows if row["half"] == half]
        for of, those in _parts(mine):
            for ranking in RANKINGS:
                if measured := [ranked(row, ranking) for row in those if ranking in row]:
                    said = named(measured)
                    found.append({"half": half, "of": of, "ranking": ranking, **said})
    return found


def _parts(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    mutants = [row for row in rows if not row["catalogue"]]
    yield "all", list(rows)
    for kind in KINDS:
        yield kind, [row for row in mutants if row["kind"] == kind]
    yield "catalogue", [row for row in rows if row["catalogue"]]


def confirmed(rows: Sequence[Row]) -> list[Row]:
    """Of each half, and of both, how often what swaps confirm is so."""
    found = []
    for half in (*HALVES, "both"):
        mine = [row for row in rows if half in (row["half"], "both")]
        for stage in (ALONE, STANDINS):
            faults = [(row[stage], row["culprits"]) for row in mine if stage in row]
            found.append({"half": half, "ranking": stage, **confirmation(faults)})
    return found


def scores(rows: Iterable[Row], half: str) -> list[Judged]:
    """What the candidates of all faults of a half are given."""
    mine = (row for row in rows if row["half"] == half)
    return [each for row in mine for each in judged(row[main_stage(row)], row["culprits"])]


def main_stage(row: Row) -> str:
    """The ranking that counts: without earlier versions and siblings, where anything was swapped."""
    return ALONE if ALONE in row else QUICK


def calibrated(rows: Sequence[Row]) -> list[Row]:
    """Of each half how well scores are probabilities."""
    return [{"half": half, **calibration(scores(rows, half))} for half in HALVES]


def reliable(rows: Sequence[Row]) -> list[Row]:
    """Of each half how often candidates of like scores are at fault."""
    return [{"half": half, **each} for half in HALVES for each in reliability(scores(rows, half))]


def headline(rows: Sequence[Row], sets: Sequence[Row], tasks: Sequence[Row]) -> Row:
    """The shares that count, None where nothing was measured."""
    said: Row = {"faults": len(rows), "unseen": sum(not row["causes"] for row in rows)}
    for half, name in HALVES.items():
        mine = [row for row in rows if row["half"] == half]
        alone = named([ranked(row, main_stage(row)) for row in mine])
        said |= {f"{name}_{what}": alone[what] for what in ("first", "three", "reciprocal")}
        for ranking in ("directly", "spectral", STANDINS):
            measured = [ranked(row, ranking) for row in mine if ranking in row]
            said[f"{name}_first_{ranking}"] = named(measured)["first"]
    for stage, name in ((ALONE, "confirmed"), (STANDINS, "confirmed_standins")):
        made = confirmation([(row[stage], row["culprits"]) for row in rows if stage in row])
        said |= {name: made["confirmed"]}
        said |= {f"{name}_{what}": made[what] for what in ("precision", "recall")}
    held_out = calibration(scores(rows, "heldout"))
    said |= {f"held_out_{what}": held_out[what] for what in ("brier", "skill")}
    of_twelve = [row for row in sets if (row["half"], row["size"]) == ("heldout", 12)]
    members = [member["first"] for row in of_twelve for member in row["members"]]
    said["held_out_first_of_twelve"] = round(sum(members) / len(members), 3) if members else None
    agreed = [row["first"] for row in tasks]
    said["tau2_first"] = round(sum(agreed) / len(agreed), 3) if agreed else None
    return said


LOOKED_UP = 3
"""Places of a ranking that are kept of each fault, for a reader to look up."""


def brief(row: Row) -> Row:
    """A fault as it is kept: of each ranking the first places and the true components, and no list that only the
    figures are made of."""
    kept = {name: value for name, value in row.items() if name not in MADE_FIGURES_OF}
    for stage in (stage for stage in STAGES if stage in row):
        kept[stage] = [
            each
            for each in row[stage]
            if each["rank"] <= LOOKED_UP or each["component"] in row["culprits"]
        ]
    return kept


MADE_FIGURES_OF = ("directly", "spectral", "failing")
