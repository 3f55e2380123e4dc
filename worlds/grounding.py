"""Whether an agent could know what a plan uses: all else would be a guess."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worlds.cel_tree import literal_text, parse, walk
from worlds.citation import cited
from worlds.conditions import ConditionInvalid
from worlds.findings import Finding, finding
from worlds.known import NUMBER, Known, is_worded
from worlds.moments import ISO, as_moment
from worlds.playedplan import PlayedStep, played_plan
from worlds.reading import WORD, Reading
from worlds.step import Episode, Step
from worlds.told import told
from worlds.toolsession import ToolSession
from worlds.world import ASK_USER, World

FREE = re.compile(
    r"\b(?:in your own words|free[- ]text|a message|a summary|a note|explanation)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Use:
    """A value that a step of the plan uses."""

    played: PlayedStep
    place: str
    """Below the step: `args.reason`, `finish.answer.total`."""
    symbol: str
    value: Any


def grounding_findings(world: World, episode: Episode, session: ToolSession) -> Iterator[Finding]:
    """Arguments, answers and facts in messages of the plan that nobody says and that no read leads to."""
    grounds = _Grounds(world, episode)
    grounds.walk()
    grounds.read_on(session)
    for played in grounds.pending:
        for use in grounds.strange(played):
            strange = list(grounds.known.strange(use.value)) or [use.value]
            yield _finding(world, episode, use, strange)
        grounds.learn(
            played
        )  # guessed once, it is known: what follows from it is no finding of its own


class _Grounds:
    """What can be known, step by step."""

    def __init__(self, world: World, episode: Episode) -> None:
        self.world, self.episode = world, episode
        self.known = Known(world.base.clock.now)
        self.said = list(told(world))
        for text in self.said:
            self.known.hear(text)
        for rule in world.bundle.rules:
            self.known.learn(rule.text)
        for topic, names in world.bundle.domain.glossary.items():
            self.known.learn({topic: dict(names)})
        for _, _, tool in world.tools.values():
            self.known.learn([tool.description, _constants(tool.schema)])
        self.demanded = _demanded(world)
        self.results: list[Step] = []
        self.pending: list[PlayedStep] = []
        """Steps that use something strange; what their calls returned is not taken in."""

    def walk(self) -> None:
        """Take in what the plan heard and read, as far as it could be asked for."""
        heard = iter(self.episode.steps)
        for played in played_plan(self.world, self.episode):
            for step in heard:
                if step.kind == "hear":
                    self.known.hear(step.text)
                if step.index >= played.step.index:
                    break
            if played.lacks or played.step.status != "ok":
                continue  # findings of their own
            if any(self.strange(played)):
                self.pending.append(played)
            else:
                self.learn(played)
        self._settle()

    def learn(self, played: PlayedStep) -> None:
        """Take in what a call returned."""
        if played.step.kind == "call":
            self.known.learn(played.step.result)
            self.results.append(played.step)

    def _settle(self) -> None:
        """What was read since may have made steps known; what those returned, others."""
        while True:
            known = [played for played in self.pending if not any(self.strange(played))]
            if not known:
                return
            self.pending = [played for played in self.pending if played not in known]
            for played in known:
                self.learn(played)

    def strange(self, played: PlayedStep) -> Iterator[Use]:
        """The uses of a step that are not known so far. Of a range that a read looks at, one end is enough: the
        other may be chosen."""
        uses = list(_uses(self.world, played, self.demanded))
        strange = [use for use in uses if self._is_strange(use.value)]
        tool = self.world.tools.get(played.step.tool)
        begins = any(_is_moment(use.value) for use in uses if use not in strange)
        is_chosen = begins and tool is not None and not tool[2].writes
        yield from (use for use in strange if not (is_chosen and _is_moment(use.value)))

    def _is_strange(self, value: Any) -> bool:
        """Whether something in a value is not known; words that the goal demands to the letter are to be said."""
        if isinstance(value, str) and value in self.demanded:
            return not self.known.says(value)
        return any(self.known.strange(value))

    def read_on(self, session: ToolSession) -> None:
        """Read until nothing is strange any more, or enough was tried."""
        if not self.pending:
            return
        reading = Reading(self.world, session, self.episode)
        for text in self.said:
            reading.hear(text)
        reading.learn([dict(names) for names in self.world.bundle.domain.glossary.values()])
        for day in sorted(self.known.moments.said):
            reading.learn(day.isoformat(), "date")
        for step in self.results:
            reading.learn(step.result)
        try:
            for result in reading.results():
                self.known.learn(result)
                self._settle()
                if not self.pending:
                    return
        finally:
            session.end_attempt()


def _constants(schema: Any) -> list[Any]:
    """What a schema says of values: those allowed, defaults, and words about them."""
    if isinstance(schema, list):
        return [each for item in schema for each in _constants(item)]
    if not isinstance(schema, Mapping):
        return []
    words = ("enum", "const", "default", "examples", "description")
    return [
        *(schema[word] for word in words if word in schema and not isinstance(schema[word], dict)),
        *(each for item in schema.values() for each in _constants(item)),
    ]


def _uses(world: World, played: PlayedStep, demanded: Collection[str]) -> Iterator[Use]:
    step = played.step
    if step.kind == "call" and step.tool in world.tools:
        yield from _arguments(world, played, demanded)
    elif step.kind == "finish":
        for name, value in step.args.items():
            yield Use(played, f"finish.answer.{name}", f"plan finish.{name}", value)
    if step.kind in ("say", "finish") and step.text:
        place = "say" if step.kind == "say" else "finish.message"
        yield Use(played, place, f"plan {place}", _facts(step.text))


def _arguments(world: World, played: PlayedStep, demanded: Collection[str]) -> Iterator[Use]:
    step = played.step
    properties = world.tools[step.tool][2].schema.get("properties", {})
    for name, value in step.args.items():
        is_open = f"{step.tool}.{name}" in world.bundle.intent.open
        is_free = _is_worded(world, name, properties) and value not in demanded
        if step.tool != ASK_USER and not is_open and not is_free:
            yield Use(played, f"args.{name}", f"plan {step.tool}.{name}", value)


def _demanded(world: World) -> list[str]:
    """Texts of several words that stand to the letter in what the goal requires."""
    conditions = world.goal.conditions
    return [text for condition in conditions for text in _literals(condition.written_out)]


@lru_cache(maxsize=4_096)
def _literals(condition: str) -> tuple[str, ...]:
    try:
        texts = [literal_text(node) for node in walk(parse(condition))]
    except ConditionInvalid:
        return ()  # a finding of its own
    return tuple(text for text in texts if text and " " in text.strip())


def _is_worded(world: World, name: str, properties: Mapping[str, Any]) -> bool:
    """Whether an argument is text that an agent words itself."""
    schema = properties.get(name, {})
    tables = world.bundle.domain.tables.values()
    fields = [table.schema_.get("properties", {}).get(name) for table in tables]
    if any(isinstance(each, Mapping) and each.get("x-text") for each in [schema, *fields]):
        return True
    if "enum" in schema:
        return False
    return bool(is_worded(name) or FREE.search(str(schema.get("description", ""))))


def _is_moment(value: Any) -> bool:
    return isinstance(value, str) and as_moment(value) is not None


def _facts(text: str) -> list[Any]:
    """What a message states that can be wrong: days, times, numbers, and names with digits in them."""
    moments = [match.group() for match in ISO.finditer(text)]
    rest = ISO.sub(" ", text)
    words = (word.rstrip(".,:") for word in WORD.findall(rest))
    numbers = set(NUMBER.findall(rest))
    return [
        *moments,
        *(word for word in words if any(mark.isdigit() for mark in word) and word not in numbers),
        *sorted(float(number.replace(",", "")) for number in numbers),
    ]


def _finding(world: World, episode: Episode, use: Use, values: list[Any]) -> Finding:
    number = use.played.number
    shown = ", ".join(repr(value) for value in values[:3])
    return finding(
        "argument-ungrounded",
        "intent",
        world.bundle.manifest.intent.slug,
        place=f"plans.{world.plan_key}[{number}].{use.place}",
        symbol=use.symbol,
        message=f"Step {number} of the plan uses {shown} ({use.place}): the user does not say it, and no read"
        " leads to it.",
        evidence=cited(
            episode, use.played.step.index, tool=use.played.step.tool, values=values[:10]
        ),
    )
