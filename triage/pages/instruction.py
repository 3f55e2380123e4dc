"""An instruction as an agent reads it: its slots filled from the pinned rows, and marked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worlds.canonical import canonical

SLOT = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


@dataclass(frozen=True)
class Piece:
    """Text; `slot` is the path that it was filled from, `is_filled` whether there was anything."""

    text: str
    slot: str = ""
    is_filled: bool = True


def pieces(template: str, names: Mapping[str, Any]) -> list[Piece]:
    """The pieces of a template with `names` in it; what cannot be filled stands as it was written."""
    template = template.strip()
    found: list[Piece] = []
    done = 0
    for match in SLOT.finditer(template):
        found += [Piece(template[done : match.start()]), _piece(match, names)]
        done = match.end()
    return [piece for piece in [*found, Piece(template[done:])] if piece.text]


def _piece(match: re.Match[str], names: Mapping[str, Any]) -> Piece:
    path = match[1]
    if path is None:
        return Piece(match[0][0])
    try:
        value = _at(names, path)
    except LookupError:
        return Piece(match[0], path, is_filled=False)
    return Piece(value if isinstance(value, str) else canonical(value), path)


def _at(names: Mapping[str, Any], path: str) -> Any:
    value: Any = names
    steps = re.findall(r"[^.\[\]]+", path)
    if not steps:
        raise LookupError(path)
    for step in steps:
        if isinstance(value, list) and step.isdecimal():
            value = value[int(step)]
        elif isinstance(value, Mapping):
            value = value[step]
        else:
            raise LookupError(path)
    return value
