"""Faults of intents in how they are judged: goals that ask for less, for more, or for something else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Document, Original, Site, edited, fault, without
from benchmarks.operators.development.intents import plans

Place = tuple[str | int, ...]


def _site(original: Original, slug: str, place: Place, value: Any, name: str) -> Site:
    return Site(slug, name, partial(edited, original.intents[slug], place, value), slug)


def _goals(original: Original) -> Iterator[tuple[str, Mapping[str, Any]]]:
    return ((slug, intent["goal"]) for slug, intent in original.intents.items())


@fault("goal-vacuous", "intent", "A goal asks for nothing that has to be done, or to be found out.")
def goal_vacuous(original: Original) -> Iterator[Site]:
    for slug, goal in _goals(original):
        for part in ("require", "answer"):
            if goal.get(part):
                changed = partial(without, original.intents[slug], ("goal", part))
                yield Site(slug, f"goal.{part}", changed, slug)


@fault("goal-too-narrow", "intent", "A goal asks for the very words of one way to reach it.")
def goal_too_narrow(original: Original) -> Iterator[Site]:
    for slug, intent in original.intents.items():
        for words in sorted(_last_words(intent)):
            mentions = [*intent["goal"].get("mentions", []), words]
            yield _site(
                original, slug, ("goal", "mentions"), mentions, f"goal.mentions + {words[:40]}"
            )
    for slug, plan, index, step in plans(original):
        for name, value in step.get("args", {}).items():
            extra = _as_written(original.intents[slug], name, value)
            if extra is not None:
                require = [*original.intents[slug]["goal"].get("require", []), extra]
                where = f"goal.require + plans.{plan}[{index}] {name}"
                yield _site(original, slug, ("goal", "require"), require, where)


def _last_words(intent: Document) -> set[str]:
    steps = [step for plan in intent.get("plans", {}).values() for step in plan]
    said = {step["finish"].get("message", "") for step in steps if "finish" in step}
    said |= {step.get("say", "") for step in steps}
    return {text for text in said if text and "{" not in text}


COMMENTS = ("body", "comments", "work_notes", "close_notes", "description")
REASONS = ("reason",)


def _as_written(intent: Document, name: str, value: Any) -> str | None:
    """A requirement that a free text is the plan's, to the letter; None where the text is not free."""
    given = json.dumps([intent["instruction"], intent.get("user", {}), intent["goal"]])
    if not isinstance(value, str) or "{" in value or value.strip(".") in given or "'" in value:
        return None
    if name in COMMENTS and "ticket" in intent["slots"]:
        found = "find('comments', {'ticket_id': ticket.ticket_id})"
        return f"{found}.exists(c, c.body == '{value}')"
    if name in REASONS and "meeting" in intent["slots"]:
        return f"get('meetings', meeting.meeting_id).cancel_reason == '{value}'"
    return None
