"""Values for an argument, from nothing but what the agent has seen, best first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice
from typing import Any

from agents.habits import Habits
from agents.knowledge import Fact, Knowledge
from agents.moments import form_of
from agents.options import ABSENT, Option, best
from agents.product import cheapest
from agents.schemas import Schema, kind_of, plain
from agents.texts import alike, near, numbers, phrases, words
from agents.times import Times

MOST = 18
"""Options of one argument."""
UNSAID = 0.6
"""What speaks against a text of several words that the user did not say."""
NAMED = 0.4
"""What speaks against words of a text where results have values under the argument's very name."""
SET_APART = ("(called)", "(quoted)")
"""Words against which that does not speak."""
SURE = 0.3
"""Names that are no further away than this give all their values, others LESS."""
LESS = 8
ELEMENTS = 6
"""Elements that lists are made of."""
OPTIONAL = 0.4
"""What it costs to give what may be left out."""
SAID = "(said)"
"""The origin of values that the user spoke of."""
SPOKEN_OF = 0.1
"""What it costs to give one of those."""


@lru_cache(maxsize=65_536)
def affinity(name: str, described: str, other: str) -> float | None:
    """How far a value seen as `other` is from being meant by the argument `name`; None = unrelated."""
    if name == other:
        return 0.0
    mine, theirs, told = words(name), words(other), words(described)
    if not theirs:
        return 1.0 if "id" in mine else None
    if mine == theirs:
        return 0.05
    stem, wanted = theirs - {"id"}, mine - {"id"}
    if "id" in theirs and stem & wanted:
        return 0.3
    if "id" in theirs and stem & told:
        return 0.5
    if theirs <= mine or mine <= theirs or wanted & stem:
        return 0.6
    if theirs & told:
        return 0.8
    return 0.8 if "id" in theirs and "id" in mine else None


@lru_cache(maxsize=4096)
def unlike_an_id(text: str) -> float:
    """What speaks against a phrase being an id."""
    cost = 0.4 if any(letter.isdigit() for letter in text) else 1.5
    return cost + (2.0 if " " in text or "@" in text else 0.0)


class Candidates:
    """The options of arguments, from one state of knowledge."""

    def __init__(self, knowledge: Knowledge, habits: Habits) -> None:
        self.knowledge = knowledge
        self.habits = habits
        self.times = Times(knowledge)
        self._known: dict[tuple[str, int], list[Option]] = {}

    def options(self, name: str, schema: Schema, required: bool) -> list[Option]:
        """The options of an argument; to leave it out is the first, where that is possible."""
        given = self.given(name, schema)
        if required:
            return given
        is_topic = bool((words(name) - {"id"}) & self.knowledge.spoken_words)
        optional_cost = SPOKEN_OF if is_topic else OPTIONAL
        optional = [
            option.dearer(SPOKEN_OF if option.origin == SAID else optional_cost)
            for option in given
            if "default" not in schema or option.value != schema["default"]
        ]
        # Sorted, so that what was spoken of may come before leaving it out.
        said = any(option.origin == SAID for option in optional) and "enum" in plain(schema)
        return sorted(
            [Option(ABSENT, 0.2 if said else 0.0), *optional], key=lambda option: option.cost
        )

    def given(self, name: str, schema: Schema) -> list[Option]:
        """The options of an argument that is given."""
        key = (name, id(schema))
        if key not in self._known:
            found = (
                option.dearer(self.habits.value(name, option.key))
                for option in best(self._given(name, plain(schema)), 2 * MOST)
            )
            self._known[key] = best(found, MOST)
        return self._known[key]

    def _given(self, name: str, schema: Schema) -> Iterator[Option]:
        if "const" in schema:
            yield Option(schema["const"], 0.0, origin="(fixed)")
        elif "enum" in schema:
            yield from self._allowed(schema["enum"])
        elif kind_of(schema) == "boolean":
            yield from self._booleans(name)
        elif kind_of(schema) in ("integer", "number"):
            yield from self._numbers(name, schema)
        elif kind_of(schema) == "array":
            yield from self._lists(name, schema)
        elif kind_of(schema) == "object":
            yield from self._objects(schema)
        else:
            yield from self._texts(name, schema)

    def _allowed(self, values: list[Any]) -> Iterator[Option]:
        for number, value in enumerate(values):
            said = any(
                alike(one, other)
                for one in words(str(value))
                for other in self.knowledge.spoken_words
            )
            cost = 0.05 if said else 0.6
            origin = SAID if said else "(allowed)"
            yield Option(value, cost + 0.05 * number, origin=origin)

    def _booleans(self, name: str) -> Iterator[Option]:
        said = bool(words(name) & self.knowledge.spoken_words)
        yield Option(True, 0.2 if said else 0.9, origin="(allowed)")
        yield Option(False, 0.5 if said else 0.6, origin="(allowed)")

    # From results

    def _facts(self, name: str, schema: Schema) -> Iterator[tuple[Fact, float]]:
        described = f"{schema.get('description', '')} {self.habits.hints(name)}"
        for other, facts in self.knowledge.ranked():
            distance = affinity(name, described, other)
            learnt = self.habits.kind(name, other)
            if learnt == 0.0:
                distance = min(0.1, distance or 0.1)
            if distance is not None:
                for fact in facts if distance <= SURE else facts[:LESS]:
                    yield fact, distance + (learnt or 0.0) + fact.doubt

    # Numbers

    def _numbers(self, name: str, schema: Schema) -> Iterator[Option]:
        whole = kind_of(schema) == "integer"
        told = words(name) | words(str(schema.get("description", "")))
        for option in self._said_numbers(name, told):
            if not whole or float(option.value).is_integer():
                value = int(option.value) if whole else option.value
                yield Option(value, option.cost, option.sources, option.origin)
        for fact, cost in self._facts(name, schema):
            number = fact.value
            if isinstance(number, (str, bool)) or (whole and not float(number).is_integer()):
                continue
            yield Option(int(number) if whole else number, cost, (fact.source,), fact.name)

    def _said_numbers(self, name: str, told: frozenset[str]) -> Iterator[Option]:
        for text in self.knowledge.told:
            if text.by_user:
                for number, at in numbers(text.text):
                    cost = 0.1 if words(name) & near(text.text, at) else 0.7
                    yield Option(number, cost, (text.source,), SAID)
        for minutes, sources in self.times.spans():
            yield Option(float(minutes), 0.15 if "minute" in told else 0.9, sources, "(span)")
            if minutes % 60 == 0:
                yield Option(minutes / 60, 0.15 if "hour" in told else 1.5, sources, "(span)")

    # Texts

    def _texts(self, name: str, schema: Schema) -> Iterator[Option]:
        form = form_of(name, schema)
        if form is not None:
            yield from self.times.options(form)
        texts = [each for each in self._facts(name, schema) if isinstance(each[0].value, str)]
        is_named = any(words(fact.name) == words(name) for fact, _ in texts)
        for fact, cost in texts:
            extra = 1.0 if form is not None else 0.0
            extra += NAMED if is_named and words(fact.name) != words(name) else 0.0
            if " " in str(fact.value) and not self.knowledge.mentioned(fact.value):
                extra += UNSAID
            yield Option(fact.value, cost + extra, (fact.source,), fact.name)
        if form is None:
            for option in self._phrases(name):
                is_plain = is_named and option.origin not in SET_APART
                yield option.dearer(NAMED if is_plain else 0.0)
            for phrase in phrases(str(schema.get("description", ""))):
                if phrase.kind == "quoted":
                    yield Option(phrase.text, 0.5, (), "(described)")

    def _phrases(self, name: str) -> Iterator[Option]:
        wanted = words(name)
        topic = wanted - {"id"}
        learned: dict[str, float] = {}
        for saying in self.knowledge.sayings():
            phrase = saying.phrase
            cost = saying.cost - (0.3 if topic & phrase.near else 0.0)
            if "id" in wanted:
                cost += unlike_an_id(phrase.text)
            origin = f"({phrase.kind})"
            learnt = learned.get(origin)
            if learnt is None:
                learnt = learned[origin] = self.habits.kind(name, origin) or 0.0
            yield Option(phrase.text, max(0.0, cost) + learnt, (saying.source,), origin)

    # Lists and objects

    def _lists(self, name: str, schema: Schema) -> Iterator[Option]:
        element = schema.get("items", {})
        singles = best(
            self._given(name, {"description": schema.get("description", ""), **element}), MOST
        )
        if schema.get("minItems", 0) < 1:
            yield Option([], 0.5, origin="(empty)")
        for size in (1, 2, 3):
            for chosen in combinations(singles[: ELEMENTS if size > 1 else MOST], size):
                yield self._listed(chosen)
                if size == 2:
                    yield self._listed(chosen[::-1]).dearer(0.2)
        described = str(schema.get("description", ""))
        for other, lists in self.knowledge.lists.items():
            distance = affinity(name, described, other)
            for items, source, weight in lists.values() if distance is not None else ():
                cost = 0.2 + (distance or 0.0) + 1.2 / (1 + 2 * weight)
                yield Option(items, cost, (source,), other)

    def _listed(self, chosen: tuple[Option, ...]) -> Option:
        return Option(
            [option.value for option in chosen],
            sum(option.cost for option in chosen) + 0.15 * (len(chosen) - 1),
            tuple(source for option in chosen for source in option.sources),
            chosen[0].origin,
        )

    def _objects(self, schema: Schema) -> Iterator[Option]:
        properties, required = schema.get("properties", {}), schema.get("required", [])
        for row, source, weight in self.knowledge.objects.values():
            part = {key: value for key, value in row.items() if key in properties}
            if part and all(key in part for key in required):
                yield Option(part, 0.3 + 1.2 / (1 + 2 * weight), (source,), "(object)")
        choices = [self.options(key, properties[key], key in required) for key in properties]
        for cost, chosen in islice(cheapest(choices), MOST):
            value = {
                key: option.value
                for key, option in zip(properties, chosen, strict=True)
                if option.value is not ABSENT
            }
            sources = tuple(source for option in chosen for source in option.sources)
            yield Option(value, cost, sources, "(made)")
