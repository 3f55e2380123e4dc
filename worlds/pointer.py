"""JSON Pointer (RFC 6901): a path into a JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator


class PointsNowhere(LookupError):
    """There is nothing at a pointer in the document."""


def _checked(text: str) -> str:
    if text and not text.startswith("/"):
        raise ValueError(f"a JSON Pointer begins with a slash: /{text}")
    return text


Pointer = Annotated[str, AfterValidator(_checked)]
"""A pointer as text; empty = the whole document."""


def at(document: Any, pointer: str) -> Any:
    """What stands at the pointer; raises PointsNowhere."""
    value = document
    for step in _steps(pointer):
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, Mapping) and step in value:
            value = value[step]
        else:
            raise PointsNowhere(f"there is nothing at {pointer}")
    return value


def nested(pointer: str, value: Any) -> Any:
    """The smallest document, of objects alone, that has `value` at the pointer."""
    for step in reversed(_steps(pointer)):
        value = {step: value}
    return value


def _steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
