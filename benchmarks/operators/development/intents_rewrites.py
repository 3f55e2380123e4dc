"""Intents that say the same: politeness, other names, other order, conditions and messages written another way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Document, Original, Site, edited, rewrite
from benchmarks.operators.development.wording import CLOSINGS

Place = tuple[str | int, ...]


def _site(original: Original, slug: str, place: Place, value: Any, name: str) -> Site:
    return Site(slug, name, partial(edited, original.intents[slug], place, value), slug)


def _conditions(original: Original) -> Iterator[tuple[str, Place, str, str]]:
    """Intent, place, name for people and text of each condition by which rows are chosen or the end is judged."""
    for slug, intent in original.intents.items():
        for slot, wanted in intent.get("slots", {}).items():
            if "where" in wanted:
                yield slug, ("slots", slot, "where"), f"slots.{slot}.where", wanted["where"]
        for index, text in enumerate(intent["goal"].get("require", [])):
            yield slug, ("goal", "require", index), f"goal.require[{index}]", text


@rewrite("politeness-added", "intent", "The request ends with thanks.")
def politeness_added(original: Original) -> Iterator[Site]:
    for slug, intent in original.intents.items():
        for closing in CLOSINGS:
            yield Site(slug, f"instruction, {closing}", partial(_polite, intent, closing), slug)


def _polite(intent: Document, closing: str) -> Document:
    polite = edited(intent, ("instruction",), f"{intent['instruction'].rstrip()} {closing}")
    opens = intent.get("user", {}).get("opens")
    return edited(polite, ("user", "opens"), f"{opens.rstrip()} {closing}") if opens else polite


@rewrite(
    "requirements-reordered", "intent", "What must hold, or may change, stands in another order."
)
def requirements_reordered(original: Original) -> Iterator[Site]:
    for slug, intent in original.intents.items():
        for part in ("require", "changes"):
            rows = intent["goal"].get(part) or []
            if len(rows) > 1:
                place = ("goal", part)
                yield _site(original, slug, place, list(reversed(rows)), f"goal.{part}")


@rewrite("results-renamed", "intent", "A plan keeps a result under another name.")
def results_renamed(original: Original) -> Iterator[Site]:
    for slug, intent in original.intents.items():
        for name, steps in intent.get("plans", {}).items():
            kept = [step["as"] for step in steps if "as" in step]
            for each in dict.fromkeys(kept):
                if each not in intent.get("slots", {}):
                    changed = partial(_renamed, original, slug, name, each)
                    yield Site(slug, f"plans.{name} {each}", changed, slug)


def _renamed(original: Original, slug: str, plan: str, old: str) -> Document:
    steps = json.dumps(original.intents[slug]["plans"][plan])
    new = f"{old}_told"
    steps = re.sub(rf"\{{{old}(?=[\}}.\[])", f"{{{new}", steps).replace(
        f'"as": "{old}"', f'"as": "{new}"'
    )
    return edited(original.intents[slug], ("plans", plan), json.loads(steps))


@rewrite("condition-named", "intent", "A condition has a name, under which the intent uses it.")
def condition_named(original: Original) -> Iterator[Site]:
    for slug, place, name, text in _conditions(original):
        yield Site(slug, name, partial(_named, original, slug, place, text), slug)


def _named(original: Original, slug: str, place: Place, text: str) -> Document:
    intent = edited(original.intents[slug], place, "meant_here")
    return {**intent, "define": {**intent.get("define", {}), "meant_here": text}}
