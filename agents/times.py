"""Days and times that an agent may use: those that it was told or saw, put together and moved by whole days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any

from agents.knowledge import TOLD, Fact, Knowledge
from agents.moments import Form, at_zone, clocks, days, forms, instants, moment, zone
from agents.options import Option, best

OFFSETS = {1: 0.8, -1: 0.9, 7: 1.1, 14: 1.2, 30: 1.3, 60: 1.5, 90: 1.5, -7: 1.6}
FEW = 8
"""Days, times and zones that are put together."""


class Times:
    """What times one state of knowledge gives."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self._known: dict[Form, list[Option]] = {}

    def options(self, form: Form) -> list[Option]:
        """Times of one form, best first."""
        if form not in self._known:
            self._known[form] = best([*self._made(form), *self._seen(form)], 40)
        return self._known[form]

    def _made(self, form: Form) -> Iterator[Option]:
        made = {
            "day": self._days,
            "clock": self._clocks,
            "wall": self._walls,
            "instant": self._instants,
        }
        return made[form]()

    def spans(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Minutes between two times of day that were said one after the other."""
        for told in self.knowledge.told:
            said = clocks(told.text) if told.by_user else ()
            for one, other in pairwise(said):
                minutes = _minute(other.value) - _minute(one.value)
                if minutes > 0:
                    yield minutes, (told.source,)

    def _seen(self, form: Form) -> Iterator[Option]:
        for fact in self._timely[form]:
            cost = 0.3 + 1.2 / (1 + 2 * fact.weight) + min(0.03 * fact.place, 0.5)
            yield Option(fact.value, cost, (fact.source,), fact.name)

    @cached_property
    def _timely(self) -> dict[Form, list[Fact]]:
        found: dict[Form, list[Fact]] = {"day": [], "wall": [], "instant": [], "clock": []}
        for _, facts in self.knowledge.ranked():
            for fact in facts:
                if isinstance(fact.value, str) and 5 <= len(fact.value) <= 32:
                    for form in forms(fact.value):
                        found[form].append(fact)
        return found

    def _said_days(self) -> Iterator[tuple[Option, int, str]]:
        """Days of texts, with their place and text."""
        for told in self.knowledge.told:
            for number, said in enumerate(days(told.text, self.knowledge.now)):
                in_instant = told.text[said.at + 10 : said.at + 11] == "T"
                cost = 0.1 + 0.1 * number + (0.5 if in_instant else 0.0)
                cost += 0.0 if told.by_user else 0.9
                yield Option(said.value, cost, (told.source,), "(said)"), said.at, told.text

    def _days(self) -> Iterator[Option]:
        today = self.knowledge.now[:10]
        said = [option for option, _, _ in self._said_days()]
        yield from said
        yield Option(today, 0.8, (TOLD,), "(now)")
        for fact in self._timely["instant"]:
            cost = 0.9 + 1.2 / (1 + 2 * fact.weight)
            yield Option(str(fact.value)[:10], cost, (fact.source,), fact.name)
        for option in [*best(said, FEW), Option(today, 0.3, (TOLD,), "(now)")]:
            for offset, cost in OFFSETS.items():
                moved = _moved(option.value, offset)
                if moved:
                    yield Option(moved, option.cost + cost, option.sources, "(moved)")

    def _said_clocks(self) -> Iterator[tuple[Option, int, str]]:
        for told in self.knowledge.told:
            for number, said in enumerate(clocks(told.text)):
                cost = 0.1 + 0.1 * number + (0.0 if told.by_user else 0.9)
                yield Option(said.value, cost, (told.source,), "(said)"), said.at, told.text

    def _clocks(self) -> Iterator[Option]:
        yield from (option for option, _, _ in self._said_clocks())

    @cached_property
    def _pairs(self) -> list[tuple[Option, Option, float]]:
        """Days and times that may go together, with what it costs to think so."""
        return sorted(self._paired(), key=lambda each: each[2])[: FEW * FEW]

    def _paired(self) -> Iterator[tuple[Option, Option, float]]:
        all_days = sorted(self._said_days(), key=lambda each: each[0].cost)[:FEW]
        all_clocks = sorted(self._said_clocks(), key=lambda each: each[0].cost)[:FEW]
        for day, day_at, day_text in all_days:
            for clock, clock_at, clock_text in all_clocks:
                far = abs(day_at - clock_at) / 200 if day_text is clock_text else 0.3
                yield day, clock, day.cost + clock.cost / 2 + min(0.5, far)
        for day_value, clock_value, source, weight in self.knowledge.timed:
            cost = 0.3 + 1.2 / (1 + 2 * weight)
            one = Option(day_value, cost, (source,), "(row)")
            yield one, Option(clock_value, cost, (source,), "(row)"), cost

    def _walls(self) -> Iterator[Option]:
        for day, clock, cost in self._pairs:
            sources = (*day.sources, *clock.sources)
            yield Option(f"{day.value}T{clock.value}", cost, sources, "(joined)")
        for told in self.knowledge.told:
            for said in instants(told.text):
                cost = 0.8 if told.by_user else 1.6
                yield Option(said.value[:16].replace(" ", "T"), cost, (told.source,), "(said)")

    def _instants(self) -> Iterator[Option]:
        for told in self.knowledge.told:
            for said in instants(told.text):
                yield Option(said.value, 0.1 if told.by_user else 1.2, (told.source,), "(said)")
        pairs = self._pairs[:FEW]
        for name, source, cost in self.zones()[:FEW]:
            for day, clock, more in pairs:
                value = at_zone(day.value, clock.value, name)
                if value:
                    sources = (*day.sources, *clock.sources, source)
                    yield Option(value, cost + more, sources, "(joined)")

    def zones(self) -> list[tuple[str, int, float]]:
        """Time zones seen, with source and cost, best first."""
        found: dict[str, tuple[str, int, float]] = {}
        for _, facts in self.knowledge.ranked():
            for fact in facts:
                if isinstance(fact.value, str) and zone(fact.value):
                    cost = 0.2 + 0.6 / (1 + 2 * fact.weight)
                    if fact.value not in found or cost < found[fact.value][2]:
                        found[fact.value] = (fact.value, fact.source, cost)
        return sorted(found.values(), key=lambda each: each[2])


def _minute(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:5])


def _moved(day: Any, offset: int) -> str | None:
    try:
        return (date.fromisoformat(day) + timedelta(days=offset)).isoformat()
    except (ValueError, OverflowError):
        return None


def minutes_between(one: Any, other: Any) -> float | None:
    """Minutes from one moment to another; None where either is none, or only one has an offset."""
    first, last = moment(one), moment(other)
    if first is None or last is None or (first.tzinfo is None) != (last.tzinfo is None):
        return None
    return (last - first).total_seconds() / 60
