"""What untrusted code or an agent hands over is text first, then plain JSON of a bounded size and depth.

Only text crosses the sandbox's border: a value that shares its parts can be a few bytes inside and never end
outside. Inside, the limits of time and memory hold while the text is made.
"""

from __future__ import annotations

import json
import math
from typing import Any

DEEPEST = 100
LARGEST_INTEGER = 2**63 - 1


class NotJson(TypeError):
    """The value has no place in JSON as we store it; the message says what stands in the way."""


class TooLarge(ValueError):
    """The value is larger, or nested deeper, than what is accepted."""


def read(text: str, size: int) -> Any:
    """The JSON value that `text` says; raises NotJson, or TooLarge beyond `size` characters."""
    if len(text) > size:
        raise _too_large(size)
    try:
        value = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise NotJson(f"the text is not JSON: {error}") from error
    check(value)
    return value


def check_size(value: Any, size: int) -> None:
    """As `check`, and refuse a value whose JSON text is longer than `size`."""
    check(value)
    if len(json.dumps(value)) > size:
        raise _too_large(size)


def check(value: Any, depth: int = 0) -> None:
    """Refuse what JSON or the database cannot carry; raises NotJson or TooLarge."""
    if depth > DEEPEST:
        raise _too_deep()
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise NotJson(f"an object's keys are text, not {type(key).__name__}")
            _check_text(key)
            check(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            check(item, depth + 1)
    else:
        _check_number(value)


def _check_text(value: str) -> None:
    if "\0" in value:
        raise NotJson("text that holds a NUL character cannot be stored")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise NotJson("text that holds half a character (a lone surrogate) cannot be stored")


def _check_number(value: Any) -> None:
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        raise NotJson("an integer beyond 64 bits cannot be stored: write it as text")
    if isinstance(value, float) and not math.isfinite(value):
        raise NotJson(f"{value} is not a number that JSON can carry")
    if value is not None and not isinstance(value, (int, float)):
        raise NotJson(f"JSON has no values of type {type(value).__name__}")


def _too_large(size: int) -> TooLarge:
    return TooLarge(f"the value is larger than {size} bytes")


def _too_deep() -> TooLarge:
    return TooLarge(f"the value is nested deeper than {DEEPEST} levels")
