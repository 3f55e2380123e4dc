"""The same value written otherwise, and what it was before a slip: each with how likely such a slip is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from triage.recordedits import bare, shape, spellings
from worlds.canonical import canonical

DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?=$|[T ])")
SHEET = re.compile(r"(\d\d?)[/.](\d\d?)[/.](\d{4})")
INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
CLOCK = re.compile(r"(\d\d?):(\d\d)")
LONGEST = 200
"""Characters of a text whose spelling is looked at."""
SHIFTS = (
    (timedelta(days=1), 0.12, "a day"),
    (timedelta(days=7), 0.12, "a week"),
    (timedelta(hours=1), 0.1, "an hour"),
    (timedelta(hours=2), 0.07, "two hours"),
    (timedelta(days=30), 0.06, "thirty days"),
    (timedelta(hours=12), 0.06, "twelve hours"),
    (timedelta(days=365), 0.05, "a year of days"),
)
FACTORS = (
    (10, 0.1, "ten"),
    (100, 0.12, "a hundred"),
    (1000, 0.05, "a thousand"),
    (60, 0.05, "sixty"),
)
ENOUGH_ALIKE = 0.75
MOST_ALIKE = 3


class Variant(NamedTuple):
    """A value, how likely it was meant, and what is done to get there (in the imperative)."""

    value: Any
    chance: float
    how: str


def variants(value: Any, among: list[Any] | None = None) -> Iterator[Variant]:
    """The likeliest kinds first; `among` are the values that are allowed or usual."""
    seen = {canonical(value)}
    for variant in _all(value, among or []):
        name = canonical(variant.value)
        if name not in seen:
            seen.add(name)
            yield variant


def _all(value: Any, among: list[Any]) -> Iterator[Variant]:
    if isinstance(value, str):
        if len(value) <= LONGEST:
            yield from nearest(value, among)
            yield from _moments(value)
            yield from _texts(value)
    elif isinstance(value, bool):
        yield Variant(not value, 0.12, "Turn round")
    elif isinstance(value, (int, float)):
        yield from _numbers(value)
    for other in spellings(value, []):
        if type(other) is not type(value):
            yield Variant(
                other, 0.08 if isinstance(other, list) else 0.3, "Write with the right type"
            )
        elif other in among or when_written(value) is None:
            yield Variant(other, 0.3 if other in among else 0.04, "Write as is usual")


def when_written(value: Any) -> re.Match[str] | None:
    """Whether it is a day or moment as it is usually written."""
    return DAY.match(value) if isinstance(value, str) else None


def nearest(text: str, among: list[Any]) -> Iterator[Variant]:
    """Those of some texts that are spelled most alike."""
    known = sorted({each for each in among if isinstance(each, str)})
    plain = bare(text)
    same = [each for each in known if bare(each) == plain and plain]
    for each in same:
        yield Variant(each, 0.85 if len(same) == 1 else 0.4, "Spell")
    ends = [each for each in known if len(plain) > 2 and plain in _parts(each)]
    for each in ends:
        yield Variant(each, 0.6 if len(ends) == 1 else 0.25, "Write in full")
    scored = sorted((-SequenceMatcher(None, text, each).ratio(), each) for each in known[:2_000])
    top = scored[0][0] if scored else 0.0
    equal = sum(score <= top + 0.02 for score, _ in scored)
    for score, each in scored[:MOST_ALIKE]:
        if -score >= ENOUGH_ALIKE:
            yield Variant(each, -score * 0.45 / equal, "Spell")


def _parts(text: str) -> set[str]:
    return {bare(each) for each in re.split(r"[/:, ]", text)}


def _moments(text: str) -> Iterator[Variant]:
    yield from _sheet_days(text)
    yield from _swapped(text)
    if INSTANT.fullmatch(text) or DAY.fullmatch(text):
        yield from _zones(text)
        yield from _shifted(text)
    clock = CLOCK.fullmatch(text)
    if clock:
        hour = int(clock.group(1))
        for other in (hour + 12, hour - 12, hour + 1, hour - 1):
            if 0 <= other < 24:
                yield Variant(f"{other:02}:{clock.group(2)}", 0.08, "Set the hour")
        yield Variant(f"{hour:02}:{clock.group(2)}", 0.5, "Write with two digits")


def _sheet_days(text: str) -> Iterator[Variant]:
    found = SHEET.match(text)
    if found is None:
        return
    one, two, year = (int(each) for each in found.groups())
    for month, day_, chance in ((two, one, 0.5), (one, two, 0.45)):
        if _is_day(year, month, day_):
            value = f"{year:04}-{month:02}-{day_:02}{text[found.end() :]}"
            yield Variant(value, chance, "Write as a day is written")


def _swapped(text: str) -> Iterator[Variant]:
    found = DAY.match(text)
    if found and found.group(2) != found.group(3):
        year, month, day_ = (int(each) for each in found.groups()[:3])
        if _is_day(year, day_, month):
            value = f"{year:04}-{day_:02}-{month:02}{text[found.end() :]}"
            yield Variant(value, 0.18, "Exchange day and month")


def _zones(text: str) -> Iterator[Variant]:
    if "T" in text and not re.search(r"(Z|[+-]\d\d:?\d\d)$", text):
        yield Variant(f"{text}+00:00", 0.4, "Write the zone")
        yield Variant(f"{text}Z", 0.4, "Write the zone")
    if text.endswith("Z"):
        yield Variant(f"{text[:-1]}+00:00", 0.4, "Write the zone as offset")
    if text.endswith("+00:00"):
        yield Variant(f"{text[:-6]}Z", 0.4, "Write the zone as Z")
        yield Variant(text[:-6], 0.15, "Write without a zone")
    if DAY.fullmatch(text):
        yield Variant(f"{text}T00:00:00+00:00", 0.15, "Write as a moment")
    elif len(text) > 10:
        yield Variant(text[:10], 0.15, "Write as a day")


def _shifted(text: str) -> Iterator[Variant]:
    try:
        day_alone = DAY.fullmatch(text) is not None
        when = datetime.fromisoformat(text)
    except ValueError:
        return
    for step, chance, name in SHIFTS:
        if day_alone and step < timedelta(days=1):
            continue
        for other, way in ((step, "on"), (-step, "back")):
            moved = _moved(text, when, other)
            if moved is not None:
                yield Variant(moved, chance, f"Move {name} {way}")
    yield from _other_months(text)


def _other_months(text: str) -> Iterator[Variant]:
    year, month, day_ = int(text[:4]), int(text[5:7]), int(text[8:10])
    for months, chance, name in (
        (1, 0.1, "a month on"), (-1, 0.1, "a month back"), (12, 0.1, "a year on"), (-12, 0.1, "a year back"),
    ):  # fmt: skip
        at = year * 12 + month - 1 + months
        if _is_day(at // 12, at % 12 + 1, day_):
            value = f"{at // 12:04}-{at % 12 + 1:02}-{day_:02}{text[10:]}"
            yield Variant(value, chance, f"Move {name}")


def moved_as(text: str, step: timedelta) -> str | None:
    """A day or moment, moved, and written as it was; None where it is none."""
    try:
        return _moved(text, datetime.fromisoformat(text), step)
    except ValueError:
        return None


def _moved(text: str, when: datetime, step: timedelta) -> str | None:
    """Written as it was."""
    try:
        moved = when + step
    except OverflowError:
        return None
    if len(text) == 10:
        return moved.date().isoformat()
    stamp = moved.isoformat(sep=text[10])
    tail = re.search(r"(Z|[+-]\d\d:?\d\d)$", text[10:])
    zone = tail.group() if tail else ""
    return stamp[: len(text) - len(zone)] + zone


def _texts(text: str) -> Iterator[Variant]:
    if text != text.strip():
        yield Variant(text.strip(), 0.5, "Take the spaces off")
    if "@" not in text and " at " in text:
        yield Variant(text.replace(" at ", "@"), 0.3, "Write as an address")


def _numbers(value: float) -> Iterator[Variant]:
    for factor, chance, name in FACTORS:
        yield Variant(_as(value, value * factor), chance * 0.8, f"Multiply by {name}")
        divided = value / factor
        if not isinstance(value, int) or float(divided).is_integer():
            yield Variant(_as(value, divided), chance, f"Divide by {name}")
    yield Variant(-value, 0.12 if value < 0 else 0.06, "Turn the sign round")
    for step in (1, -1):
        yield Variant(value + step, 0.08, "Count one more" if step > 0 else "Count one less")
    yield from _exchanged_digits(value)


def _exchanged_digits(value: float) -> Iterator[Variant]:
    text = str(value)
    if "e" in text:
        return
    for at in range(min(len(text) - 1, 8)):
        pair = text[at : at + 2]
        if pair.isdecimal() and pair[0] != pair[1]:
            swapped = text[:at] + pair[::-1] + text[at + 2 :]
            yield Variant(type(value)(swapped), 0.06, "Exchange two digits")


def _as(like: float, value: float) -> int | float:
    """A whole number where it was one; else no more decimals than money has, beside those there were."""
    if isinstance(like, int) and float(value).is_integer():
        return int(value)
    decimals = len(str(like).partition(".")[2])
    return round(value, max(2, decimals))


def _is_day(year: int, month: int, day_: int) -> bool:
    try:
        date(year, month, day_)
    except ValueError:
        return False
    return True


def shaped_as(values: list[Any]) -> str | None:
    """The shape that nearly all values have; None where there is none."""
    counts: dict[str, int] = {}
    for value in values:
        name = shape(value)
        counts[name] = counts.get(name, 0) + 1
    best = max(counts, key=lambda name: counts[name], default=None)
    return best if best is not None and counts[best] >= 0.9 * len(values) else None
