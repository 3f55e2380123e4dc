"""What an agent has seen so far: texts that it was told, and every value of every result, by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from agents.moments import fits
from agents.texts import KINDS, Phrase, numbers, phrases, words

NEVER = 100_000
"""Where in the text something stands that is not in it."""
TOLD = -1
"""The source of what the agent was told at first, and needed no call for."""
LONGEST = 20_000
"""Characters of one text that are looked at."""
PER_NAME = 400
"""Values kept under one name: a catalogue has thousands."""
ANSWERED = 5.0
"""The weight of what the user answered: nothing is meant more."""
COMMON = 2
"""A value that stands in more rows than these tells less of each."""
RANKED = 18
"""Values of one name that are offered as arguments."""
SAYINGS = 40
"""Phrases that are."""
TEXTS = 80
"""Texts kept: refusals say the same over and over."""
PROSE = 40
"""A text of a result is read for what it mentions when it is longer than this, or a refusal."""

Scalar = str | int | float | bool


@dataclass(frozen=True)
class Fact:
    """A value seen in a result."""

    value: Scalar
    name: str
    """The key it stood under; that of the list, for a list's items."""
    source: int
    """The number of the call that showed it, or TOLD."""
    weight: float
    """How much of what stands beside it was spoken of: 0 = nothing."""
    place: int
    """Its row's number in the list that it came in."""
    at: int
    """Where the user spoke of its row first; NEVER when nowhere."""

    @cached_property
    def doubt(self) -> float:
        """What speaks against it: that nothing beside it was spoken of, that it came late in its list,
        that the user spoke of it late."""
        late = 0.15 if self.at == NEVER else min(0.15, self.at / 2000)
        return 1.2 / (1 + 2 * self.weight) + min(0.03 * self.place, 0.5) + late


@dataclass(frozen=True)
class Around:
    """What a value stands in: how much of it was spoken of, where first, and its row's number."""

    weight: float = 0.0
    at: int = NEVER
    place: int = 0


@dataclass(frozen=True)
class Told:
    """A text addressed to the agent: what the user said, or why a tool refused."""

    text: str
    source: int
    by_user: bool


@dataclass(frozen=True)
class Saying:
    """A phrase of a text that may be an argument."""

    phrase: Phrase
    cost: float
    source: int


def _sayings(told: Told) -> Iterator[Saying]:
    for phrase in phrases(told.text):
        if told.by_user or phrase.kind in ("code", "quoted", "name"):
            cost = KINDS[phrase.kind] + (0.0 if told.by_user else 1.2)
            yield Saying(phrase, cost + 0.15 * phrase.at / len(told.text), told.source)


class Knowledge:
    """Everything seen on one path; `fork` it where paths part."""

    def __init__(self, now: str) -> None:
        self.now = now
        self.told: list[Told] = []
        self.facts: dict[str, dict[tuple[type, Scalar], Fact]] = {}
        """Name → value → where it was seen best."""
        self.lists: dict[str, dict[str, tuple[list[Any], int, float]]] = {}
        """Name → whole lists of plain values, with source and weight."""
        self.objects: dict[str, tuple[dict[str, Any], int, float]] = {}
        self.timed: list[tuple[str, str, int, float]] = []
        """Days and times of day of one row, with source and weight."""
        self.version = 0
        self._ranked: dict[str, list[Fact]] = {}
        self._sayings: list[Saying] | None = None
        self._spoken = ""
        self._numbers: set[float] = set()
        self._words: frozenset[str] = frozenset()
        self._mentioned: dict[Scalar, float] = {}
        self._rows: Counter[Scalar] = Counter()

    def fork(self) -> Knowledge:
        """The same knowledge, to grow apart."""
        other = Knowledge(self.now)
        other.told = list(self.told)
        other.facts = {name: dict(facts) for name, facts in self.facts.items()}
        other.lists = {name: dict(found) for name, found in self.lists.items()}
        other.objects = dict(self.objects)
        other.timed = list(self.timed)
        other.version = self.version
        other._ranked, other._sayings = dict(self._ranked), self._sayings
        other._rows = Counter(self._rows)
        other._spoken, other._words = self._spoken, self._words
        other._numbers, other._mentioned = set(self._numbers), dict(self._mentioned)
        return other

    # Taking in

    def hear(self, text: str, source: int = TOLD) -> None:
        """The user said something: from now on it is what is spoken of."""
        if text and all(told.text != text for told in self.told):
            self.told.append(Told(text, source, by_user=True))
            self._spoken += f"\n{text.casefold()}"
            self._numbers.update(number for number, _ in numbers(text))
            self._words |= words(text)
            self._mentioned = {}
            self._sayings = None
            self.version += 1

    def answered(self, about: str, text: str, source: int) -> None:
        """The user answered a question about something."""
        self.hear(text, source)
        self._keep(Fact(text, about, source, ANSWERED, 0, 0))

    def read(self, text: str, source: int) -> None:
        """A tool gave a text (a refusal, say): its words may be used, but are not what is spoken of."""
        text = text[:LONGEST]
        if text and len(self.told) < TEXTS and all(told.text != text for told in self.told):
            self.told.append(Told(text, source, by_user=False))
            self._sayings = None
            self.version += 1

    def see(self, result: Any, source: int) -> bool:
        """Take in a result; returns whether anything in it was new."""
        before = self.version
        self._see(result, "", source, Around())
        return self.version != before

    def _see(self, value: Any, name: str, source: int, around: Around) -> None:
        if isinstance(value, dict):
            self._see_object(value, name, source, around)
        elif isinstance(value, list):
            self._see_list(value, name, source, around)
        elif isinstance(value, (str, int, float)):
            self._keep(Fact(value, name, source, around.weight, around.place, around.at))
            if isinstance(value, str) and len(value) > PROSE:
                self.read(value, source)

    def _see_list(self, items: list[Any], name: str, source: int, around: Around) -> None:
        if all(isinstance(item, (str, int, float)) for item in items):
            self._keep_list(name, items, source, around.weight)
        elif all(isinstance(item, dict) for item in items):
            for key in items[0]:
                column = [item.get(key) for item in items]
                if all(isinstance(value, (str, int)) for value in column):
                    self._keep_list(key, column, source, around.weight)
        for number, item in enumerate(items):
            self._see(item, name, source, replace(around, place=number))

    def _see_object(self, row: dict[str, Any], name: str, source: int, around: Around) -> None:
        spoken = [value for value in row.values() if self.mentioned(value)]
        weight = around.weight / 2 + sum(self._telling(value) for value in spoken)
        weight += 0.7 if name and words(name) & self._words else 0.0
        at = min([around.at, *(self.position(value) for value in spoken)])
        self._keep_object(row, source, weight)
        inside = Around(weight, at, around.place)
        own = next((key for key in row if "id" in words(key)), "")
        for key, value in row.items():
            if isinstance(value, dict) and re.search(r"\d", key):
                # Objects keyed by an id (`{"card_12": {…}}`) say the id in the key alone.
                keyed = replace(inside, weight=weight + self.mentioned(key))
                self._keep(Fact(key, "", source, keyed.weight, keyed.place, at))
            is_other = key != own and "id" in words(key)
            self._see(
                value, key, source, replace(inside, weight=weight / 2) if is_other else inside
            )

    def _telling(self, value: Scalar) -> float:
        """How much it tells of a row that it holds a value which the user spoke of: little, when many do."""
        self._rows[value] += 1
        return self.mentioned(value) * min(1.0, COMMON / self._rows[value])

    def _keep(self, fact: Fact) -> None:
        known = self.facts.setdefault(fact.name, {})
        key = (type(fact.value), fact.value)
        old = known.get(key)
        if old is None and len(known) >= PER_NAME:
            return
        if old is None or old.weight < fact.weight:
            known[key] = fact
            self._ranked.pop(fact.name, None)
            self.version += 1

    def _keep_list(self, name: str, items: list[Any], source: int, weight: float) -> None:
        known = self.lists.setdefault(name, {})
        if items and len(items) <= 20 and repr(items) not in known and len(known) < PER_NAME:
            known[repr(items)] = (items, source, weight)

    def _keep_object(self, row: dict[str, Any], source: int, weight: float) -> None:
        key = repr(row)
        if len(self.objects) < PER_NAME and len(key) < LONGEST and key not in self.objects:
            self.objects[key] = (row, source, weight)
            texts = [value for value in row.values() if isinstance(value, str)]
            for day in (text for text in texts if fits("day", text)):
                for clock in (text for text in texts if fits("clock", text)):
                    self.timed.append((day, clock, source, weight))

    # Looking up

    def mentioned(self, value: Any) -> float:
        """How clearly the user spoke of a value: 0 not at all, 1 in so many words."""
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            return 0.0
        known = self._mentioned.get(value)
        if known is None:
            known = self._mentioned[value] = self._clearly(value)
        return known

    def _clearly(self, value: str | float) -> float:
        if not isinstance(value, str):
            return 0.3 if float(value) in self._numbers else 0.0
        text = value.casefold().strip()
        if len(text) < 2 or text not in self._spoken:
            return 0.0
        if not re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self._spoken):
            return 0.0
        if re.search(r"[^\W\d].*[\d@_ ]|\d.*[^\W\d]", text[:PROSE]):
            return 1.0
        return 0.8 if value != value.lower() else 0.4

    def position(self, value: Scalar) -> int:
        """Where the user first spoke of it; a large number when never."""
        at = self._spoken.find(str(value).casefold())
        return at if at >= 0 else NEVER

    @property
    def spoken_words(self) -> frozenset[str]:
        """The words that the user used."""
        return self._words

    def ranked(self) -> Iterator[tuple[str, list[Fact]]]:
        """Names, each with the values seen under it that are least in doubt."""
        for name, facts in self.facts.items():
            known = self._ranked.get(name)
            if known is None:
                known = sorted(facts.values(), key=lambda fact: fact.doubt)[:RANKED]
                self._ranked[name] = known
            yield name, known

    def sayings(self) -> list[Saying]:
        """What stands in texts, words of the user before words of tools."""
        if self._sayings is None:
            found = [saying for told in self.told for saying in _sayings(told)]
            self._sayings = sorted(found, key=lambda saying: saying.cost)[:SAYINGS]
        return self._sayings

    def topics(self) -> list[str]:
        """Names and words that the user could be asked about, those of results last."""
        said = [phrase.text for told in self.told if told.by_user for phrase in phrases(told.text)]
        return [*dict.fromkeys(word for word in said if " " not in word), *self.facts]
