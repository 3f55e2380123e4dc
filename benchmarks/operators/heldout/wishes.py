"""What operators ask of intents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Document, Original, Place, Site, at, edited, without

MARK = re.compile(r"\{([^{}]+)\}")
READS = re.compile(r"(find|get|list|search|open|read|query|check|quote)(_|$)")


def changed(intent: str, document: Document, what: str, place: Place, value: Any) -> Site:
    """An intent with another value at a place."""
    named = ".".join(map(str, place))
    return Site(intent, f"{named}: {what}", partial(edited, document, place, value), touches=intent)


def gone(intent: str, document: Document, place: Place) -> Site:
    """An intent without what stands at a place."""
    named = ".".join(map(str, place))
    return Site(intent, f"{named}: gone", partial(without, document, place), touches=intent)


def plans(document: Document) -> Iterator[tuple[str, list[Document]]]:
    """The plans of an intent by name."""
    yield from document.get("plans", {}).items()


def requirements(original: Original) -> Iterator[tuple[str, Document, int, str]]:
    """Every requirement of every goal: intent, document, its number, its text."""
    for intent, document in original.intents.items():
        for index, text in enumerate(document["goal"].get("require", [])):
            yield intent, document, index, text


def conditions(original: Original) -> Iterator[tuple[str, Document, Place, str]]:
    """Every condition of every intent, with the expressions of answers."""
    for intent, document in original.intents.items():
        for name, slot in document.get("slots", {}).items():
            if "where" in slot:
                yield intent, document, ("slots", name, "where"), slot["where"]
        for index, text in enumerate(document["goal"].get("require", [])):
            yield intent, document, ("goal", "require", index), text
        for name, answer in document["goal"].get("answer", {}).items():
            if "equals" in answer:
                yield intent, document, ("goal", "answer", name, "equals"), answer["equals"]


def templates(value: Any) -> list[str]:
    """The paths in the templates of a value, at any depth."""
    if isinstance(value, str):
        return MARK.findall(value)
    if isinstance(value, dict):
        return [path for each in value.values() for path in templates(each)]
    return [path for each in value for path in templates(each)] if isinstance(value, list) else []


def with_entry(document: Document, place: Place, entry: Any, index: int | None = None) -> Document:
    """A document with one more entry in a list, at the end or before a place in it."""
    row = at(document, place)
    where = len(row) if index is None else index
    return edited(document, place, [*row[:where], entry, *row[where:]])
