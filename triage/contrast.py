"""What two episodes changed, side by side: a diff of diffs, up to how new rows are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worlds.diff import Diff, masked, same, without_volatile
from worlds.domain import Domain

Units = Mapping[str, Any]
"""Place (`table/key#field`; a new row's field too, a deleted row's `table/key`) → what stands there afterwards."""


@dataclass(frozen=True)
class Difference:
    """A place where two episodes end otherwise; a side that did not change it is absent, not null."""

    place: str
    sides: Mapping[str, Any]

    @property
    def was_changed_by_one(self) -> bool:
        return "one" in self.sides

    @property
    def was_changed_by_other(self) -> bool:
        return "other" in self.sides

    @property
    def one(self) -> Any:
        return self.sides.get("one")

    @property
    def other(self) -> Any:
        return self.sides.get("other")


def effect(diff: Diff, domain: Domain) -> Diff:
    """A diff less what is volatile, fresh keys masked: as a pin holds it."""
    return masked(without_volatile(diff, domain.volatile), domain)


def contrast(one: Diff, other: Diff) -> list[Difference]:
    """Where two diffs (as `effect` gives them) differ, by place."""
    mine, theirs = units(one), units(other)
    return [
        Difference(place, _sides(place, mine, theirs))
        for place in sorted({*mine, *theirs})
        if place not in mine or place not in theirs or not same(mine[place], theirs[place])
    ]


def _sides(place: str, one: Units, other: Units) -> dict[str, Any]:
    found = {"one": one, "other": other}
    return {name: changed[place] for name, changed in found.items() if place in changed}


def units(diff: Diff) -> Units:
    """A diff field by field."""
    found: dict[str, Any] = {}
    for change in diff:
        row = f"{change['table']}/{change['key']}"
        if change["op"] == "update":
            for name, sides in change["fields"].items():
                found[f"{row}#{name}"] = sides.get("after")
        elif change["op"] == "insert":
            found.update({f"{row}#{name}": value for name, value in change["row"].items()})
        else:
            found[row] = "deleted"
    return found


def in_words(differences: Sequence[Difference], one: str, other: str, most: int = 4) -> str:
    """`Only it changed a, b; only the reference changed c; both changed d, differently.`"""
    parts = {
        f"only {one} changed": [
            each.place for each in differences if not each.was_changed_by_other
        ],
        f"only {other} changed": [
            each.place for each in differences if not each.was_changed_by_one
        ],
        "they differ in": [each.place for each in differences if len(each.sides) == 2],
    }
    said = "; ".join(f"{what} {_few(places, most)}" for what, places in parts.items() if places)
    return f"{said[:1].upper()}{said[1:]}."


def _few(places: Sequence[str], most: int) -> str:
    more = f" and {len(places) - most} more" if len(places) > most else ""
    return ", ".join(places[:most]) + more
