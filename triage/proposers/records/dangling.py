"""Rows that name what there is not: the row is put back, or what names it names another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice

from triage.proposers.records.ground import Ground
from triage.proposers.records.mend import Mend
from triage.proposers.records.options import mends
from triage.proposers.records.oracle import Oracle
from triage.proposers.records.paths import MISSING, value_at, with_value
from triage.proposers.records.rebuilt import rebuilt
from worlds.domain import Reference
from worlds.records import Place, Row

MOST_KEYS = 5
MOST_ROWS = 6
MOST_PATHS = 40


def dangling_mends(ground: Ground) -> Iterator[Mend]:
    """The key that most rows name in vain first."""
    named = _in_vain(ground)
    oracle = Oracle(ground)
    ranked = sorted(named.items(), key=lambda item: (-len(item[1]), item[0]))
    for (table, key), places in ranked[:MOST_KEYS]:
        alone = len({place for place, _ in places}) == 1 and not is_gap(
            list(ground.base.tables[table]), key
        )
        factor = 0.55 if alone else 1.0
        yield from (_scaled(mend, factor) for mend in islice(rebuilt(ground, oracle, table, key), 4))  # fmt: skip
        for place, path in places[:MOST_ROWS]:
            yield from mends(ground, *place, path, 1.0 if alone else 0.08)
        yield from _all_misspelt(ground, places)


def _in_vain(ground: Ground) -> dict[Place, list[tuple[Place, str]]]:
    """Table and key → the rows and paths that name it in vain."""
    named: dict[Place, list[tuple[Place, str]]] = defaultdict(list)
    for item in ground.findings:
        if item.code == "reference-dangling":
            place = (item.evidence["table"], item.evidence["key"])
            row = ground.row(place)
            for reference in ground.domain.tables[place[0]].references:
                if reference.from_ == item.evidence.get("field") and row is not None:
                    for path in named_paths(row, reference.from_):
                        key = value_at(row, path)
                        if isinstance(key, str) and _is_missing(ground, reference, key):
                            named[reference.to, key].append((place, path))
    return {place: list(dict.fromkeys(found)) for place, found in named.items()}


def _is_missing(ground: Ground, reference: Reference, key: str) -> bool:
    return reference.to in ground.base.tables and key not in ground.base.tables[reference.to]


def named_paths(row: Row, pattern: str) -> list[str]:
    """The places of a row that `items[].product_id` means."""
    paths = [""]
    for step in pattern.split("."):
        name = step.removesuffix("[]")
        paths = [f"{path}.{name}" if path else name for path in paths]
        if step.endswith("[]"):
            paths = [each for path in paths for each in _each(row, path)]
    return [path for path in paths if value_at(row, path) is not MISSING][:MOST_PATHS]


def _each(row: Row, path: str) -> list[str]:
    inside = value_at(row, path)
    if isinstance(inside, list):
        return [f"{path}.{at}" for at in range(len(inside))]
    return [f"{path}.{name}" for name in inside] if isinstance(inside, dict) else []


def _scaled(mend: Mend, factor: float) -> Mend:
    return Mend(mend.rows, mend.how, mend.chance * factor, mend.authority)


def _all_misspelt(ground: Ground, places: list[tuple[Place, str]]) -> Iterator[Mend]:
    """All rows that name the key name one other, where that is spelled alike."""
    if len(places) < 2:
        return
    counts: Counter[str] = Counter()
    for place, path in places[:MOST_ROWS]:
        for mend in mends(ground, *place, path):
            row = mend.rows[place]
            value = value_at(row, path)
            if isinstance(value, str) and mend.how in ("Spell", "Write in full"):
                counts[value] += 1
    for value, _ in counts.most_common(2):
        rows: dict[Place, Row | None] = {}
        for place, path in places:
            before = rows.get(place) or ground.row(place)
            if before is not None:
                rows[place] = with_value(before, path, value)
        yield Mend(rows, "Spell the key everywhere as its row has it", 0.15)


def is_gap(keys: list[str], key: str) -> bool:
    """Whether keys are counted on without a gap but for this one."""
    stem = key.rstrip("0123456789")
    digits = key[len(stem) :]
    others = [each for each in keys if each.startswith(stem) and len(each) <= len(stem) + 12]
    numbers = {int(each[len(stem) :]) for each in others if each[len(stem) :].isdecimal()}
    if not digits or len(digits) > 12 or len(numbers) < 3:
        return False
    number = int(digits)
    return number - 1 in numbers and (
        number + 1 in numbers or len(numbers) == number - min(numbers)
    )
