"""What the user knows and says: lines never said, and answers that are not what is meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.intents.celtext import literal
from triage.proposers.intents.intentedit import (
    IntentEdit,
    Place,
    Said,
    alike,
    closest,
    edited,
    quoted,
)
from triage.proposers.intents.sample import replayed
from worlds.intent import Intent
from worlds.template import texts

NAME = "users"
CODES = {
    "argument-ungrounded", "name-unknown", "condition-invalid", "plan-misses-goal", "plan-refused",
    "arguments-invalid", "plan-breaks-rule", "text-unmatched", "goal-narrow", "goal-unreachable", "tool-crash",
}  # fmt: skip
MOST_TRIED = 12
"""Answers with which the plan is played."""
MOST_WORDS = 3
TEMPLATE = re.compile(r"\{[^{}]+\}")
DAY = re.compile(r"\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?\b")
TIME = re.compile(r"\b\d\d:\d\d\b")
NUMBER = re.compile(r"(?<![\w:.-])\d+(?:\.\d+)?(?![\w:-]|\.\d)")
QUOTED = re.compile(r"['\"“]([^'\"“”{}]{2,80})['\"”]")
KINDS = (TEMPLATE, DAY, TIME, NUMBER)
COMMON = frozenset(
    re.findall(
        r"\w+",
        """about after again also answer before called come does else from give have here like make more need only other
        please shall should show tell than that them then there these they this those told want what when which whom
        will with would your""",
    )
)
"""Words that anybody says of anything."""


def users(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Lines that wait for what is never said, then answers and lines that say something else than is meant."""
    edit = IntentEdit.of(NAME, case, spot)
    if edit is None or edit.intent.user is None or not case.codes & CODES:
        return
    yield from _heard(case, edit)
    yield from _meant(case, edit)


def _places(case: Case, edit: IntentEdit) -> dict[str, str]:
    """Where findings about the intent point, each with its message."""
    return {
        each.place: each.message
        for seen in case.users(edit.name)
        for each in seen.findings
        if each.kind == "intent" and each.component == edit.name[1]
    }


def _heard(case: Case, edit: IntentEdit) -> Iterator[Candidate]:
    """Lines that wait for what the plans do."""
    user = edit.intent.user
    places = _places(case, edit)
    for number, line in enumerate(user.script if user else ()):
        message = places.get(f"user.script[{number}].when")
        if message is None:
            continue
        place: Place = ("user", "script", number, "when")
        for likelihood, when in _conditions(case, edit.intent, line.when):
            said = Said(
                f"Let the user say {quoted(line.says, 60)} when `{when}`",
                likelihood,
                _cited(edit.intent),
                message,
            )
            yield from edit.candidates({place: when}, said)
            known = _corrected(edit.intent, line.says)
            if known:
                both = replace(
                    said, says=f"{said.says}, and when asked", likelihood=likelihood + 0.05
                )
                yield from edit.candidates({place: when, **known}, both)
        yield from _asked(edit, line.says, message)


def _corrected(intent: Intent, says: str) -> dict[Place, Any]:
    """What the user knows by the mistaken day, by the day with which a line corrects it."""
    days = DAY.findall(says)
    opens = (intent.user.opens or "") if intent.user else ""
    knows = intent.user.knows if intent.user else {}
    return {
        ("user", "knows", topic): days[0]
        for topic, value in knows.items()
        if len(set(days)) == 1 and value in DAY.findall(opens) and value != days[0]
    }


def _cited(intent: Intent) -> str:
    brief = intent.user.brief if intent.user else None
    return f"The user's brief: {quoted(brief)}" if brief else ""


def _conditions(case: Case, intent: Intent, when: str) -> Iterator[tuple[float, str]]:
    """Other names of tools; other words, such as agents say: what the plans say and the user spoke of."""
    for name, other in _tools(case, intent, when):
        yield 0.85, when.replace(f"'{name}'", f"'{other}'")
    words = _words(intent)
    likes = [f"said_like({literal(word)})" for word in words]
    if likes:
        spoken = any(DAY.fullmatch(word) for word in words[:1])
        yield 0.8 if spoken else 0.6, likes[0]
        if len(likes) > 1:
            yield 0.7, " || ".join(likes)
        yield 0.5, f"({when}) || {' || '.join(likes)}"


def _tools(case: Case, intent: Intent, when: str) -> Iterator[tuple[str, str]]:
    """Names in a condition that are no tools, with those that are like them."""
    there = {tool for seen in case.seen for tool in seen.world.tools}
    there |= {step.call for steps in intent.plans.values() for step in steps if step.call}
    for name in re.findall(r"(?:called|refused)\('([^']+)'\)", when):
        if name not in there:
            for other in closest(name, sorted(there))[:3]:
                yield name, other


def _words(intent: Intent) -> list[str]:
    """Days and words that every plan says and of which the user speaks, the most telling first."""
    said = [
        " ".join(step.say for step in steps if step.say).lower() for steps in intent.plans.values()
    ]
    said = [text for text in said if text]
    user = intent.user
    spoken = " ".join([intent.instruction, *((user.opens or "", user.brief or "") if user else ())])
    days = [day for day in DAY.findall(spoken) if said and all(day in text for text in said)]
    plain = re.findall(r"[a-z][a-z-]{3,}", TEMPLATE.sub(" ", spoken).lower())
    words = [
        word
        for word in sorted(dict.fromkeys(plain), key=lambda word: (-len(word), word))
        if word not in COMMON and said and all(re.search(rf"\b{word}\b", t) for t in said)
    ]
    return [*dict.fromkeys(days), *words][:MOST_WORDS]


def _asked(edit: IntentEdit, says: str, message: str) -> Iterator[Candidate]:
    """What the line says, known when it is asked for as well."""
    user = edit.intent.user
    if user is not None and not user.knows:
        said = Said("Let the user tell it when asked", 0.15, _cited(edit.intent), message)
        yield from edit.candidates({("user", "knows"): {"details": says}}, said)


def _meant(case: Case, edit: IntentEdit) -> Iterator[Candidate]:
    """Answers and lines otherwise, where the plan then gets to the goal."""
    failing = [seen for seen in case.users(edit.name) if not _is_met(seen.reference)][:1]
    tried = 0
    for place, value in _said_places(edit.intent):
        for likelihood, other, why in _alternatives(edit.intent, value):
            edits = _alike_too(edit.intent, place, value, other)
            changed = edited(edit.intent, edits)
            if changed is None or tried == MOST_TRIED:
                continue
            tried += 1
            if failing and _is_met(replayed(failing[0], {edit.name: changed})):
                said = Said(
                    f"Let the user say {quoted(other, 60)}, not {quoted(str(value), 60)}",
                    0.93 * likelihood,
                    why,
                    "Then the plan gets to the goal",
                )
                yield from edit.candidates(edits, said)


def _is_met(episode: Any) -> bool:
    return bool(episode is not None and episode.verdict and episode.verdict.reward == 1)


def _said_places(intent: Intent) -> Iterator[tuple[Place, str]]:
    user = intent.user
    if user is None:
        return
    seen: set[str] = set()
    for topic, value in user.knows.items():
        if isinstance(value, str) and value not in seen:
            seen.add(value)
            yield ("user", "knows", topic), value
    for number, line in enumerate(user.script):
        yield ("user", "script", number, "says"), line.says


def _alike_too(intent: Intent, place: Place, value: str, other: str) -> dict[Place, Any]:
    """All topics that are answered so are answered otherwise."""
    if place[1] != "knows" or intent.user is None:
        return {place: other}
    return {
        ("user", "knows", topic): other
        for topic, known in intent.user.knows.items()
        if known == value
    }


def _alternatives(intent: Intent, value: str) -> Iterator[tuple[float, str, str]]:
    """What may be meant: another day, number or row that the intent names, or the words that the goal looks for."""
    sources = dict(_sources(intent))
    whole = dict(_of_kind(sources, TEMPLATE, intent.slots))
    for kind in KINDS:
        match = kind.search(value)
        if match is None:
            continue
        others = [
            (other, why)
            for other, why in _of_kind(sources, kind, intent.slots)
            if other != match.group()
        ]
        for other, why in sorted(others, key=lambda pair: -alike(pair[0], match.group())):
            yield 0.9, value[: match.start()] + other + value[match.end() :], why
        rest = value[match.end() :]
        if kind is TEMPLATE and rest and not rest.strip("0x_"):
            yield 1.0, match.group(), "a slot’s own value, without what stands behind it"
        break
    else:
        for other, why in [*_worded(intent), *_priorities(intent, value), *whole.items()]:
            if other != value:
                yield 0.8, other, why


def _sources(intent: Intent) -> Iterator[tuple[str, str]]:
    """Texts that say what is meant, each with where it stands."""
    yield intent.instruction, f"The instruction: {quoted(intent.instruction)}"
    if intent.user is not None and intent.user.brief:
        yield intent.user.brief, f"The user's brief: {quoted(intent.user.brief)}"
    for text in (*intent.goal.require, *(each.equals for each in intent.goal.answer.values())):
        yield text, f"The goal: {quoted(text)}"
    for steps in intent.plans.values():
        for step in steps:
            yield from ((text, "") for text in texts(step.args))
    for name, slot in intent.slots.items():
        for field in dict.fromkeys(_named_fields(intent, name)):
            yield f"{{{name}.{field}}}", ""
        yield from ((text, "") for text in texts(slot.match))


def _named_fields(intent: Intent, slot: str) -> list[str]:
    text = " ".join([intent.instruction, *intent.goal.require])
    own = re.findall(rf"\b{re.escape(slot)}\.(\w+)", text)
    others = [
        field
        for name, spec in intent.slots.items()
        if spec.table == intent.slots[slot].table
        for field in re.findall(rf"\b{re.escape(name)}\.(\w+)", text)
    ]
    return [*own, *others]


def _of_kind(
    sources: dict[str, str], kind: re.Pattern[str], slots: Collection[str]
) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for text, why in sources.items():
        for other in kind.findall(text):
            is_slot = kind is not TEMPLATE or re.split(r"[.\[]", other[1:-1])[0] in slots
            if other not in seen and is_slot:
                seen.add(other)
                yield other, why


def _worded(intent: Intent) -> Iterator[tuple[str, str]]:
    """What the brief says behind a colon, and what the texts put in quotes."""
    brief = intent.user.brief if intent.user else None
    if brief and ":" in brief:
        words = brief.partition(":")[2].strip()
        yield words[:1].upper() + words[1:].rstrip("."), f"The user's brief: {quoted(brief)}"
    for text, why in _sources(intent):
        for words in QUOTED.findall(text):
            yield words, why


def _priorities(intent: Intent, value: str) -> Iterator[tuple[str, str]]:
    """A line with a word of it exchanged for one that the goal asks for."""
    asked = [words for text in intent.goal.require for words in QUOTED.findall(text)]
    for word in dict.fromkeys(re.findall(r"[A-Za-z]{3,}", value)):
        for other in dict.fromkeys(asked):
            if " " not in other and other.isalpha() and other not in value and word[0].islower():
                yield re.sub(rf"\b{word}\b", other, value, count=1), f"The goal asks for {other!r}"
