"""What somebody may know: texts, numbers and moments; and whether a value is one of them or follows from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import combinations, islice
from math import isfinite
from typing import Any

from worlds.moments import Moments, as_moment, clock_times

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
NUMERAL = re.compile(r"[-+]?[$€£]?\s?\d[\d,]*(?:\.\d+)?\s?%?")
AMOUNT = re.compile(r"[.,$€£%]")
SUM = re.compile(r"(?=.*\d\s*[-+*/])[\d\s.,+\-*/()%]+")
"""Arithmetic, as calculators take it."""
SAYS_NUMBER = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "ninety": 90, "hundred": 100, "dozen": 12, "both": 2, "half": 0.5, "twice": 2, "double": 2,
    "couple": 2, "pair": 2, "quarter": 15,
}  # fmt: skip
NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(SAYS_NUMBER)})\b", re.IGNORECASE)
EDGES = re.compile(r"^\W+|\W+$")
"""Signs around a name (`#W1`, `(W1)`) that are its spelling and not what is known."""
COMPOSED = 4
"""Words from which on a text is somebody's own and not known."""
COMPOSE = re.compile(
    r"(?:^|_)(?:message|summary|reason|notes?|comments?|description|text|body|content|subject|explanation|thought"
    r"|remarks?|details|justification)(?:_|$)",
    re.IGNORECASE,
)
"""Names of arguments that an agent words itself."""
NUMBERS_KEPT = 300
SUMS_KEPT = 2_000
MOST = 2_000_000
"""Characters that are looked through."""
GROUP = 10
"""Numbers under one name in one list whose sums are looked at."""
MANY = 12
"""Known numbers whose sums reach nearly any: then nothing can be told."""
CENT = 0.0051
TIMES = 12
"""What a number may be multiplied by, as prices are by people."""


class Known:
    """Grows as more is read."""

    def __init__(self, now: datetime) -> None:
        self.moments = Moments(years={now.year - 1, now.year, now.year + 1})
        self.moments.learn(now.isoformat())
        self.moments.said.add(now.date())
        self.numbers: dict[float, None] = {}
        self._sums: dict[float, None] = {}
        self._texts: dict[str, None] = {}
        self._size = 0
        self._longest = 0
        """Length of the longest list: counts go so far."""

    @property
    def is_full(self) -> bool:
        """Whether more was read than is looked through: then nothing is strange."""
        return self._size > MOST

    def hear(self, text: str) -> None:
        """Take in what the user says."""
        self.moments.learn(text, by_user=True)
        self.learn(text)

    def learn(self, value: Any) -> None:
        """Take in a JSON value: its texts, names of members, numbers, and how many there are."""
        if isinstance(value, str):
            self._learn_text(value)
        elif isinstance(value, Mapping):
            for name, item in value.items():
                self._learn_text(name)
                self.learn(item)
            self._learn_sums(list(value.values()))
        elif isinstance(value, list):
            self._longest = max(self._longest, len(value))
            self._learn_sums(value)
            for item in value:
                self.learn(item)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self._learn_number(float(value))

    def _learn_text(self, text: str) -> None:
        folded = _folded(text)
        if not folded or folded in self._texts or self.is_full:
            return
        self._texts[folded] = None
        self._size += len(folded)
        self.moments.learn(text)
        for match in NUMBER.findall(text):
            self._learn_number(float(match.replace(",", "")))
        for word in NUMBER_WORD.findall(text):
            self._learn_number(SAYS_NUMBER[word.lower()])

    def _learn_sums(self, items: list[Any]) -> None:
        for group in _groups(items):
            if len(self._sums) < SUMS_KEPT:
                self._sums |= dict.fromkeys(_sums(group))

    def _learn_number(self, number: float) -> None:
        if len(self.numbers) < NUMBERS_KEPT and isfinite(number):
            self.numbers[number] = None

    def strange(self, value: Any) -> Iterator[Any]:
        """The parts of a value that are neither known nor follow from what is."""
        if isinstance(value, Mapping):
            for item in value.values():
                yield from self.strange(item)
        elif isinstance(value, list):
            for item in value:
                yield from self.strange(item)
        elif not self.is_full and not self._has(value):
            yield value

    def _has(self, value: Any) -> bool:
        if value is None or isinstance(value, bool):
            return True
        if isinstance(value, str):
            return self.has_text(value)
        return self.has_number(float(value))

    def has_text(self, text: str) -> bool:
        """Whether a text is a part of what is known, or a day, a time, a number that follows from it; text of
        several words is somebody's own, and so is one made of known words."""
        words = text.split()
        if len(words) >= COMPOSED or not words or self.says(text):
            return True
        moment = as_moment(text)
        if isinstance(moment, datetime):
            return self.moments.has_instant(moment, self.numbers)
        if moment is not None:
            return self.moments.has_day(moment, self.numbers)
        minutes = list(clock_times(text))
        if len(minutes) == 1 and len(text) <= 8:
            return self.moments.has_time(minutes[0], self.numbers)
        if NUMERAL.fullmatch(text):
            # Digits alone are a name more often than an amount: no arithmetic leads to a name.
            number = _number(text)
            return self.has_number(number) if AMOUNT.search(text) else _near(number, self.numbers)
        if SUM.fullmatch(text):
            return all(self.has_number(_number(each)) for each in NUMBER.findall(text))
        return len(words) > 1 and all(self.says(word.strip(".,;:!?()'\"")) for word in words)

    def says(self, text: str) -> bool:
        """Whether a text stands in what is known, whatever its capitals."""
        folded = EDGES.sub("", _folded(text))
        if not folded or any(_within(folded, known) for known in self._texts):
            return True
        return text.isupper() and text.isalpha() and self._abbreviates(folded)

    def _abbreviates(self, letters: str) -> bool:
        """Whether letters are the first ones of known words: NY, of New York."""
        if not 2 <= len(letters) <= 4:
            return False
        words = re.compile(r"\b" + r"\w*\s+".join(map(re.escape, letters)))
        return any(words.search(known) for known in self._texts)

    def has_number(self, number: float) -> bool:
        """Whether a number is known, small, a count, or a sum, difference, product or percentage of known ones."""
        if number in (0, 1, -1) or _near(number, self.numbers):
            return True
        if number.is_integer() and 0 < number <= self._longest:
            return True
        if sum(0 < each <= abs(number) for each in self.numbers) > MANY:
            return True
        several = [n for n in dict.fromkeys([*self.numbers, *self._sums]) if n]
        if _near(number, several) or _near(-number, several):
            return True
        singles = list(self.numbers)
        return any(_combined(number / times, several, singles) for times in range(1, TIMES + 1))


def is_worded(argument: str) -> bool:
    """Whether an argument, by its name, is text that whoever calls words."""
    return bool(COMPOSE.search(argument))


def _folded(text: str) -> str:
    return " ".join(text.replace("_", " ").split()).casefold()


def _within(part: str, whole: str) -> bool:
    """Whether a text stands in another, and not in the midst of a word."""
    at = whole.find(part)
    while at >= 0:
        end = at + len(part)
        begins = at == 0 or not (whole[at - 1].isalnum() and part[0].isalnum())
        if begins and (end == len(whole) or not (whole[end].isalnum() and part[-1].isalnum())):
            return True
        at = whole.find(part, at + 1)
    return False


def _number(text: str) -> float:
    digits = "".join(NUMBER.findall(text)[:1]).replace(",", "")
    return float(digits or 0)


def _near(number: float, others: Iterable[float]) -> bool:
    return any(abs(number - other) <= CENT for other in others)


def _combined(number: float, several: list[float], single: list[float]) -> bool:
    """Whether two of them make the number: `several` holds sums, too."""
    found = sorted(several)
    wanted = {round(each, 2) for each in found}
    for one in single:
        if round(number - one, 2) in wanted or round(number + one, 2) in wanted:
            return True
        if one and round(number / one, 2) in wanted and abs(one) > 1:
            return True
        if one and 0 < one < 100 and _near(number, (each * one / 100 for each in single)):
            return True
        if one and 0 < one < 100 and _near(number, (each * (1 - one / 100) for each in single)):
            return True
    return False


def _groups(items: list[Any]) -> Iterator[list[float]]:
    """Numbers that stand under one name in the items of a list, or are the items."""
    groups: dict[str, list[float]] = {}
    for item in items:
        members = item.items() if isinstance(item, Mapping) else [("", item)]
        for name, value in members:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                groups.setdefault(name, []).append(float(value))
    yield from (group[:GROUP] for group in groups.values() if len(group) > 1)


def _sums(group: list[float]) -> Iterator[float]:
    for size in range(2, len(group) + 1):
        yield from (round(sum(chosen), 2) for chosen in islice(combinations(group, size), 200))
