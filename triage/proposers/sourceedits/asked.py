"""What plans ask of tools: the arguments that they give, and what they read of the results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from worlds.intent import PlanStep

TEMPLATE = re.compile(r"\{([A-Za-z_]\w*)((?:\.\w+|\[\d+\])+)")
MOST_STEPS = 5000


def asked_of(
    plans: Iterable[Sequence[PlanStep]],
) -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    """`SourceCode.given` and `SourceCode.read`, from plans."""
    given: dict[str, set[str]] = {}
    read: dict[str, set[str]] = {}
    for plan in plans:
        kept = {step.as_: step.call for step in plan if step.as_ and step.call}
        for step in plan[:MOST_STEPS]:
            if step.call:
                given.setdefault(step.call, set()).update(step.args)
            for name, path in _read(step):
                if name in kept:
                    read.setdefault(str(kept[name]), set()).add(path)
    return _frozen(given), _frozen(read)


def _read(step: PlanStep) -> Iterator[tuple[str, str]]:
    values: list[Any] = [step.args, step.say]
    if step.finish is not None:
        values += [step.finish.answer, step.finish.message]
    for text in _texts(values):
        for name, path in TEMPLATE.findall(text):
            yield name, path.lstrip(".")


def _texts(values: list[Any]) -> Iterator[str]:
    left = list(values)
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            left += value.values()
        elif isinstance(value, (list, tuple)):
            left += value


def _frozen(found: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(each) for name, each in found.items()}
