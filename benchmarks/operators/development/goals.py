"""Faults of intents in how they are judged: goals that ask for less, for more, or for something else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchmarks.mutation import Document, Original, Site, edited, fault, without
from benchmarks.operators.development.cel_text import OPPOSITE, comparisons
from benchmarks.operators.development.intents import plans, sibling

Place = tuple[str | int, ...]


def _site(original: Original, slug: str, place: Place, value: Any, name: str) -> Site:
    return Site(slug, name, partial(edited, original.intents[slug], place, value), slug)


def _goals(original: Original) -> Iterator[tuple[str, Mapping[str, Any]]]:
    return ((slug, intent["goal"]) for slug, intent in original.intents.items())


def _required(original: Original) -> Iterator[tuple[str, Place, str, str]]:
    """Intent, place, name and text of each requirement."""
    for slug, goal in _goals(original):
        for index, text in enumerate(goal.get("require", [])):
            yield slug, ("goal", "require", index), f"goal.require[{index}]", text


@fault("goal-vacuous", "intent", "A goal asks for nothing that has to be done, or to be found out.")
def goal_vacuous(original: Original) -> Iterator[Site]:
    for slug, goal in _goals(original):
        for part in ("require", "answer"):
            if goal.get(part):
                changed = partial(without, original.intents[slug], ("goal", part))
                yield Site(slug, f"goal.{part}", changed, slug)


@fault("goal-half", "intent", "One of several things that must hold in the end is not asked for.")
def goal_half(original: Original) -> Iterator[Site]:
    for slug, place, name, _ in _required(original):
        if len(original.intents[slug]["goal"]["require"]) > 1:
            yield Site(slug, name, partial(without, original.intents[slug], place), slug)


@fault("goal-negated", "intent", "A goal asks for the opposite.")
def goal_negated(original: Original) -> Iterator[Site]:
    for slug, place, name, text in _required(original):
        yield _site(original, slug, place, f"!({text})", name)


@fault("goal-comparison-flipped", "intent", "A comparison of a goal is the wrong way round.")
def goal_comparison_flipped(original: Original) -> Iterator[Site]:
    for slug, place, name, text in _required(original):
        for each in comparisons(text):
            said = each.signed(text, OPPOSITE[each.sign])
            yield _site(original, slug, place, said, f"{name}@{each.start}")


@fault("goal-about-another-row", "intent", "A goal asks of one row what is meant of another.")
def goal_about_another_row(original: Original) -> Iterator[Site]:
    for slug, place, name, text in _required(original):
        for slot in original.intents[slug]["slots"]:
            other = sibling(original.intents[slug], slot)
            said = re.sub(rf"\b{slot}\.", f"{other}.", text)
            if other is not None and said != text:
                yield _site(original, slug, place, said, f"{name} {slot}")


WRONG_OUTCOMES = {
    "done": ("refused", "handed_off"),
    "refused": ("done", "impossible"),
    "handed_off": ("refused", "done"),
    "impossible": ("refused", "done"),
}


@fault("goal-outcome-wrong", "intent", "A goal takes the wrong end for the right one.")
def goal_outcome_wrong(original: Original) -> Iterator[Site]:
    for slug, goal in _goals(original):
        for other in WRONG_OUTCOMES.get(goal.get("outcome", ""), ()):
            yield _site(original, slug, ("goal", "outcome"), other, f"goal.outcome {other}")


@fault("changes-too-narrow", "intent", "A goal forbids a change that the request brings about.")
def changes_too_narrow(original: Original) -> Iterator[Site]:
    for slug, goal in _goals(original):
        for index, entry in enumerate(goal.get("changes") or []):
            row, _, fields = entry.partition("#")
            names = fields.split(",") if fields else []
            for name in names if len(names) > 1 else []:
                rest = ",".join(each for each in names if each != name)
                place = ("goal", "changes", index)
                yield _site(original, slug, place, f"{row}#{rest}", f"goal.changes[{index}] {name}")
            if len(goal["changes"]) > 1:
                changed = partial(without, original.intents[slug], ("goal", "changes", index))
                yield Site(slug, f"goal.changes[{index}]", changed, slug)


@fault("changes-too-wide", "intent", "A goal does not mind what else is changed.")
def changes_too_wide(original: Original) -> Iterator[Site]:
    for slug, goal in _goals(original):
        if "changes" in goal:
            changed = partial(without, original.intents[slug], ("goal", "changes"))
            yield Site(slug, "goal.changes", changed, slug)
        for index, entry in enumerate(goal.get("changes") or []):
            row, _, fields = entry.partition("#")
            if fields:
                table = row.split("/")[0]
                place = ("goal", "changes", index)
                yield _site(original, slug, place, f"{table}/*", f"goal.changes[{index}]")


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


FIELDS = {
    "email": "name", "name": "email", "start": "end", "end": "start", "resolve_due": "respond_due",
    "respond_due": "resolve_due", "resolve_minutes": "respond_minutes", "start_date": "end_date",
    "first_day": "last_day", "last_day": "first_day", "date": "name", "requester_id": "assignee_id",
    "max": "min", "min": "max", "city": "name", "status": "kind", "lead_id": "queue_id",
}  # fmt: skip
"""What is taken for one another when an answer is worked out."""


@fault("answer-wrong", "intent", "The answer that is expected is worked out wrongly.")
def answer_wrong(original: Original) -> Iterator[Site]:
    for slug, goal in _goals(original):
        for name, answer in goal.get("answer", {}).items():
            place, text = ("goal", "answer", name, "equals"), answer["equals"]
            for each in comparisons(text):
                said = each.signed(text, OPPOSITE[each.sign])
                yield _site(original, slug, place, said, f"goal.answer.{name}@{each.start}")
            for found in re.finditer(
                rf"(?<=\.)({'|'.join(FIELDS)})\b(?!\()|\b(min|max)(?=\()", text
            ):
                said = text[: found.start()] + FIELDS[found.group()] + text[found.end() :]
                yield _site(original, slug, place, said, f"goal.answer.{name} {found.start()}")
            if answer["type"] == "integer":
                yield _site(original, slug, place, f"({text}) + 1", f"goal.answer.{name} + 1")


@fault("answer-as-text", "intent", "A date or a number is expected letter by letter.")
def answer_as_text(original: Original) -> Iterator[Site]:
    for slug, goal in _goals(original):
        for name, answer in goal.get("answer", {}).items():
            if answer["type"] in ("date", "datetime"):
                yield _site(
                    original,
                    slug,
                    ("goal", "answer", name, "type"),
                    "string",
                    f"goal.answer.{name}.type",
                )
            elif answer["type"] in ("integer", "number"):
                as_text = {**answer, "type": "string", "equals": f"string({answer['equals']})"}
                yield _site(
                    original, slug, ("goal", "answer", name), as_text, f"goal.answer.{name}"
                )
