"""Paths into what a plan knows: slots' rows and earlier results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from triage.proposers.intents.intentedit import alike

MOST = 400
MOST_PATHS = 4
TEMPLATE = re.compile(r"\{([^{}]+)\}")


def walked(names: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every path to a plain value, with the value; the first rows of long lists."""
    return islice(_walked("", names, 0), MOST)


def _walked(path: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if depth > 5:
        return
    if isinstance(value, Mapping):
        for name, item in value.items():
            if re.fullmatch(r"\w+", str(name)):
                yield from _walked(f"{path}.{name}" if path else str(name), item, depth + 1)
    elif isinstance(value, list):
        for number, item in enumerate(value[:2]):
            yield from _walked(f"{path}[{number}]", item, depth + 1)
    else:
        yield path, value


def paths_to(names: Mapping[str, Any], wanted: str) -> list[str]:
    """Paths that end like a name, the most alike first, the latest before earlier ones."""
    rated = [
        (-alike(path.rpartition(".")[2], wanted), -number, path)
        for number, (path, _) in enumerate(walked(names))
    ]
    return [path for rate, _, path in sorted(rated) if -rate >= 0.6]


def templated(text: str, names: Mapping[str, Any]) -> Iterator[tuple[float, str]]:
    """A text with a path of it exchanged for another, the likelier where the path leads nowhere."""
    there = [path for path, _ in walked(names)]
    for match in TEMPLATE.finditer(text):
        path = match[1]
        leads = path in there
        rated = sorted((-_likeness(path, other), other) for other in there if other != path)
        for rate, other in rated[:MOST_PATHS]:
            if -rate >= 0.5:
                changed = f"{text[: match.start()]}{{{other}}}{text[match.end() :]}"
                yield (0.35 if leads else 0.85) * -rate, changed


def _likeness(one: str, other: str) -> float:
    """Of two paths: the last names count most."""
    last = alike(one.rpartition(".")[2], other.rpartition(".")[2])
    return 0.6 * last + 0.4 * alike(one, other)
