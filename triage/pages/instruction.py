"""An instruction as an agent reads it: its slots filled from the pinned rows, and marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worlds import template
from worlds.template import TemplateInvalid, TemplateUnfilled, as_text, render


@dataclass(frozen=True)
class Piece:
    """Text; `slot` is the path that it was filled from, `is_filled` whether there was anything."""

    text: str
    slot: str = ""
    is_filled: bool = True


def pieces(text: str, names: Mapping[str, Any]) -> list[Piece]:
    """The pieces of a template with `names` in it; what cannot be filled stands as it was written."""
    try:
        parts = template.pieces(text.strip())
    except TemplateInvalid:
        return [Piece(text.strip(), is_filled=False)]
    return [_filled(said, names) if is_path else Piece(said) for is_path, said in parts]


def _filled(path: str, names: Mapping[str, Any]) -> Piece:
    slot = f"{{{path}}}"
    try:
        return Piece(as_text(render(slot, names)), path)
    except TemplateUnfilled:
        return Piece(slot, path, is_filled=False)
