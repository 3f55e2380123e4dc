"""Plans whose arguments have names that their tools do not know: renamed to the closest that is free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from worlds.intent import Intent, PlanStep

CLOSE = 0.5
"""Share of letters that two names have in common, from which on one may be meant for the other."""

Schemas = Mapping[str, Mapping[str, Any]]
"""Tool → schema of its arguments."""


def with_known_arguments(
    intent: Intent, plan: str, schemas: Schemas
) -> tuple[Intent, list[str]] | None:
    """The intent with arguments of a plan renamed, and what was: `book[0].rom → room`. None where nothing is to be
    renamed, or nothing is close enough. Values stay: they are knowledge, names are spelling."""
    steps, said = [], list[str]()
    for number, step in enumerate(intent.plans.get(plan, ())):
        names = dict(_names(step, schemas.get(step.call or "")))
        said += [f"{step.call}[{number}].{old} → {new}" for old, new in names.items()]
        args = {names.get(name, name): value for name, value in step.args.items()}
        steps.append(step.model_copy(update={"args": args}))
    if not said:
        return None
    return intent.model_copy(update={"plans": {**intent.plans, plan: steps}}), said


def _names(step: PlanStep, schema: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Unknown argument → the required one, not given, that it is closest to."""
    if schema is None:
        return
    free = [name for name in schema.get("required", ()) if name not in step.args]
    for name in step.args:
        if name in schema.get("properties", {}) or not free:
            continue
        closest = max(free, key=lambda other: (_likeness(name, other), other))
        if _likeness(name, closest) >= CLOSE:
            free.remove(closest)
            yield name, closest


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower(), autojunk=False).ratio()
