"""Faults of intents in what is asked: the instruction, the user's answers, the slots, and the plans."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Document, Original, Site, edited, fault, without
from benchmarks.operators.development.cel_text import TEXT, comparisons

TEMPLATE = re.compile(r"\{(\w+)\.(\w+)\}")
DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _site(original: Original, slug: str, place: Sequence[str | int], value: Any, name: str) -> Site:
    return Site(slug, name, partial(edited, original.intents[slug], place, value), slug)


def plans(original: Original) -> Iterator[tuple[str, str, int, Mapping[str, Any]]]:
    """Intent, plan, number and step of every call of a tool."""
    for slug, intent in original.intents.items():
        for name, steps in intent.get("plans", {}).items():
            for index, step in enumerate(steps):
                if step.get("call", "ask_user") != "ask_user":
                    yield slug, name, index, step


@fault("plan-wrong-tool", "intent", "A plan calls another tool than the step needs.")
def plan_wrong_tool(original: Original) -> Iterator[Site]:
    known: dict[str, dict[str, set[str]]] = {}
    for _, name, _, step in plans(original):
        known.setdefault(name, {}).setdefault(step["call"], set()).update(step.get("args", {}))
    for slug, name, index, step in plans(original):
        args = set(step.get("args", {}))
        shared = {tool: len(args & taken) for tool, taken in sorted(known[name].items())}
        del shared[step["call"]]
        other = max(shared, key=shared.__getitem__)
        place = ("plans", name, index, "call")
        yield _site(original, slug, place, other, f"plans.{name}[{index}].call")


@fault("plan-step-missing", "intent", "A step that writes, or that others need, is not in a plan.")
def plan_step_missing(original: Original) -> Iterator[Site]:
    for slug, name, index, step in plans(original):
        rest = json.dumps(original.intents[slug]["plans"][name][index + 1 :])
        if "as" not in step or re.search(rf"\{{{step['as']}\b", rest):
            changed = partial(without, original.intents[slug], ("plans", name, index))
            yield Site(slug, f"plans.{name}[{index}]", changed, slug)


@fault("slot-unbindable", "intent", "No row is what a slot asks for.")
def slot_unbindable(original: Original) -> Iterator[Site]:
    for slug, slot, wanted in _slots(original):
        for field, value in wanted.get("match", {}).items():
            if isinstance(value, str) and "{" not in value:
                place = ("slots", slot, "match", field)
                name = f"slots.{slot}.match.{field}"
                yield _site(original, slug, place, value.capitalize(), name)
        where = wanted.get("where", "")
        for each in comparisons(where) if where else []:
            if each.right.isdigit() and each.sign in ("==", ">", ">="):
                text = each.within(where, f"{each.left} {each.sign} {int(each.right) + 50}")
                name = f"slots.{slot}.where@{each.start}"
                yield _site(original, slug, ("slots", slot, "where"), text, name)
            elif TEXT.fullmatch(each.right) and each.sign == "==" and each.left.startswith("row."):
                text = each.within(where, f"{each.left} == {each.right.upper()}")
                name = f"slots.{slot}.where@{each.start}"
                yield _site(original, slug, ("slots", slot, "where"), text, name)


def _slots(original: Original) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for slug, intent in original.intents.items():
        for slot, wanted in intent.get("slots", {}).items():
            yield slug, slot, wanted


@fault("script-answers-wrongly", "intent", "The user answers with another value than is meant.")
def script_answers_wrongly(original: Original) -> Iterator[Site]:
    for slug, intent in original.intents.items():
        user = intent.get("user", {})
        knows = user.get("knows", {})
        for topic, value in knows.items():
            alike = [each for each in knows if knows[each] == value]
            if topic == alike[0]:
                wrong = {**knows, **dict.fromkeys(alike, otherwise(intent, str(value)) or UNSURE)}
                yield _site(original, slug, ("user", "knows"), wrong, f"user.knows.{topic}")
        for index, line in enumerate(user.get("script", [])):
            said = otherwise(intent, line["says"])
            if said is not None:
                place = ("user", "script", index, "says")
                yield _site(original, slug, place, said, f"user.script[{index}].says")


UNSURE = "I would have to look that up"
PRIORITIES = {"high": "low", "urgent": "normal", "low": "high", "normal": "urgent"}


def otherwise(intent: Document, text: str) -> str | None:
    """A text that says something else than is meant: another row's value, another day, another priority."""
    template = TEMPLATE.search(text)
    if template is not None:
        slot, field = template.groups()
        other = sibling(intent, slot)
        new = f"{{{other}.{field}}}" if other else f"{{{slot}.{field}}}0"
        return text[: template.start()] + new + text[template.end() :]
    day = DAY.search(text)
    if day is not None:
        moved = date.fromisoformat(day.group()) + timedelta(days=7)
        return text[: day.start()] + moved.isoformat() + text[day.end() :]
    word = re.search(rf"\b({'|'.join(PRIORITIES)})\b", text)
    if word is not None:
        return text[: word.start()] + PRIORITIES[word.group()] + text[word.end() :]
    return None


def sibling(intent: Document, slot: str) -> str | None:
    """Another slot of the same table."""
    slots = intent["slots"]
    table = slots[slot]["table"] if slot in slots else None
    others = [name for name in slots if name != slot and slots[name]["table"] == table]
    return others[0] if others else None


def _told(original: Original, slug: str, old: str, new: str) -> Site:
    """The request with other words, in the first line of a dialogue too."""
    name = f"instruction {old} > {new}"
    return Site(slug, name, partial(_reworded, original, slug, old, new), slug)


def _reworded(original: Original, slug: str, old: str, new: str) -> Document:
    intent = original.intents[slug]
    changed = edited(intent, ("instruction",), intent["instruction"].replace(old, new))
    opens = intent.get("user", {}).get("opens", "")
    return edited(changed, ("user", "opens"), opens.replace(old, new)) if opens else changed
