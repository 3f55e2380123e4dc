"""A rule, an intent or a contract with one or two values of it changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from worlds.body import Body

Place = tuple[str | int, ...]
"""Keys and numbers down to a value of a body's content."""
REMOVED = object()
"""In the place of a value: without it."""


@dataclass(frozen=True)
class BodyEdit:
    """What stands otherwise, by place."""

    part: str
    """The clause or invariant (its id) or the condition (its place) that it is about; empty where it is about none."""
    values: Mapping[Place, Any]
    says: str
    likelihood: float
    authority: str = ""
    reason: str = ""


def changed(body: Body, values: Mapping[Place, Any]) -> Body | None:
    """A body with other values at some places; None where none would be."""
    content: Any = body.content()
    try:
        for place, value in values.items():
            content = _with(content, place, value)
        made = type(body).parse(content)
    except (ValidationError, LookupError, TypeError):
        return None
    return made if made.digest != body.digest else None


def _with(content: Any, place: Place, value: Any) -> Any:
    head, *rest = place
    if isinstance(content, list):
        assert isinstance(head, int)  # noqa: S101  # places are of this body
        below = _with(content[head], tuple(rest), value) if rest else value
        return [*content[:head], *([] if below is REMOVED else [below]), *content[head + 1 :]]
    if not rest and value is REMOVED:
        return {key: item for key, item in content.items() if key != head}
    below = _with(content.get(head, {}), tuple(rest), value) if rest else value
    return {**content, head: below}
