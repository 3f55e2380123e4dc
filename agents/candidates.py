"""Values for an argument, from nothing but what the agent has seen, best first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, islice, product
from typing import Any

from agents.habits import Habits
from agents.knowledge import NEVER, Fact, Knowledge
from agents.moments import form_of
from agents.options import ABSENT, Option, best
from agents.product import cheapest
from agents.texts import KINDS, alike, numbers, phrases, words
from agents.times import Times

MOST = 40
"""Options of one argument."""
ELEMENTS = 6
"""Elements that lists are made of."""
OPTIONAL = 0.4
"""What it costs to give what may be left out."""
NEAR = 28
"""Letters between a value and the word that it goes with."""

Schema = dict[str, Any]


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
    return 1.1 if "id" in theirs and "id" in mine else None


def kind_of(schema: Schema) -> str:
    """The JSON type that an argument has, `null` left aside; empty when it does not say."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return next((kind for kind in kinds if kind != "null"), "")
    return str(kinds or "")


def plain(schema: Schema) -> Schema:
    """The first alternative that is not null, with the description of the whole."""
    for word in ("anyOf", "oneOf"):
        for choice in schema.get(word, ()):
            if choice.get("type") != "null":
                return {**{k: v for k, v in schema.items() if k != word}, **choice}
    return schema


class Candidates:
    """The options of arguments, from one state of knowledge."""

    def __init__(self, knowledge: Knowledge, habits: Habits) -> None:
        self.knowledge = knowledge
        self.habits = habits
        self.times = Times(knowledge)
        self._known: dict[str, list[Option]] = {}

    def options(self, name: str, schema: Schema, required: bool) -> list[Option]:
        """The options of an argument; to leave it out is the first, where that is possible."""
        given = self.given(name, schema)
        if required:
            return given
        optional = [
            replace(option, cost=option.cost + OPTIONAL)
            for option in given
            if "default" not in schema or option.value != schema["default"]
        ]
        return [Option(ABSENT, 0.0), *optional]

    def given(self, name: str, schema: Schema) -> list[Option]:
        """The options of an argument that is given."""
        key = json.dumps([name, schema], sort_keys=True)
        if key not in self._known:
            found = (
                replace(option, cost=option.cost + self.habits.value(name, option.key))
                for option in best(self._given(name, plain(schema)), 3 * MOST)
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
            yield Option(value, cost + 0.05 * number, origin="(allowed)")

    def _booleans(self, name: str) -> Iterator[Option]:
        said = bool(words(name) & self.knowledge.spoken_words)
        yield Option(True, 0.2 if said else 0.9, origin="(allowed)")
        yield Option(False, 0.5 if said else 0.6, origin="(allowed)")

    # From results

    def _facts(self, name: str, schema: Schema) -> Iterator[tuple[Fact, float]]:
        described = str(schema.get("description", ""))
        for other, facts in self.knowledge.named():
            distance = affinity(name, described, other)
            learnt = self.habits.kind(name, other)
            if learnt == 0.0:
                distance = min(0.1, distance or 0.1)
            if distance is not None:
                for fact in facts:
                    yield fact, distance + (learnt or 0.0) + doubt(fact)

    # Numbers

    def _numbers(self, name: str, schema: Schema) -> Iterator[Option]:
        whole = kind_of(schema) == "integer"
        told = words(name) | words(str(schema.get("description", "")))
        for option in self._said_numbers(name, told):
            if not whole or float(option.value).is_integer():
                yield replace(option, value=int(option.value) if whole else option.value)
        for fact, cost in self._facts(name, schema):
            if isinstance(fact.value, (int, float)) and not isinstance(fact.value, bool):
                if not whole or float(fact.value).is_integer():
                    value = int(fact.value) if whole else fact.value
                    yield Option(value, cost, (fact.source,), fact.name)

    def _said_numbers(self, name: str, told: frozenset[str]) -> Iterator[Option]:
        for text in self.knowledge.told:
            if text.by_user:
                for number, at in numbers(text.text):
                    cost = 0.1 if self._near(text.text, at, words(name)) else 0.7
                    yield Option(number, cost, (text.source,), "(said)")
        for minutes, sources in self.times.spans():
            yield Option(float(minutes), 0.15 if "minute" in told else 0.9, sources, "(span)")
            if minutes % 60 == 0:
                yield Option(minutes / 60, 0.15 if "hour" in told else 1.5, sources, "(span)")

    def _near(self, text: str, at: int, wanted: frozenset[str]) -> bool:
        return bool(wanted & words(text[max(0, at - NEAR) : at + NEAR]))

    # Texts

    def _texts(self, name: str, schema: Schema) -> Iterator[Option]:
        form = form_of(name, schema)
        if form is not None:
            yield from self.times.options(form)
        for fact, cost in self._facts(name, schema):
            if isinstance(fact.value, str):
                extra = 1.0 if form is not None else 0.0
                yield Option(fact.value, cost + extra, (fact.source,), fact.name)
        if form is None:
            yield from self._phrases(name)
            for phrase in phrases(str(schema.get("description", ""))):
                if phrase.kind == "quoted":
                    yield Option(phrase.text, 0.5, (), "(described)")

    def _phrases(self, name: str) -> Iterator[Option]:
        is_id = "id" in words(name)
        for told in self.knowledge.told:
            for phrase in phrases(told.text):
                if not told.by_user and phrase.kind in ("word", "clause", "sentence"):
                    continue
                cost = KINDS[phrase.kind] + (0.0 if told.by_user else 1.2)
                cost += 0.15 * phrase.at / max(1, len(told.text))
                cost -= 0.3 if self._near(told.text, phrase.at, words(name) - {"id"}) else 0.0
                if is_id:
                    cost += 0.4 if any(letter.isdigit() for letter in phrase.text) else 1.5
                    cost += 2.0 if " " in phrase.text or "@" in phrase.text else 0.0
                learnt = self.habits.kind(name, f"({phrase.kind})") or 0.0
                sources = (told.source,)
                yield Option(phrase.text, max(0.0, cost) + learnt, sources, f"({phrase.kind})")

    # Lists and objects

    def _lists(self, name: str, schema: Schema) -> Iterator[Option]:
        element = schema.get("items", {})
        singles = self.given(name, {"description": schema.get("description", ""), **element})
        if schema.get("minItems", 0) < 1:
            yield Option([], 0.5, origin="(empty)")
        for size in (1, 2, 3):
            for chosen in combinations(singles[: ELEMENTS if size > 1 else MOST], size):
                yield self._listed(chosen)
                if size == 2:
                    yield replace(self._listed(chosen[::-1]), cost=self._listed(chosen).cost + 0.2)
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


def doubt(fact: Fact) -> float:
    """What speaks against a value seen in a result: that nothing beside it was spoken of, that it
    came late in its list, that the user spoke of it late."""
    late = 0.15 if fact.at == NEVER else min(0.15, fact.at / 2000)
    return 1.2 / (1 + 2 * fact.weight) + min(0.03 * fact.place, 0.5) + late
