"""What comes out of the sandbox becomes plain JSON, or is refused: it was made by code that nobody trusts.

A value may share its parts, so that a few bytes inside stand for terabytes outside. The walk therefore
counts what it writes, and stops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from pydantic_monty import MontyClassProxy

DEEPEST = 100
LARGEST_INTEGER = 2**63 - 1


class NotJson(TypeError):
    """The value has no place in JSON; the message says which part, and what to return instead."""


class TooLarge(ValueError):
    """The value is larger, or nested deeper, than what is accepted."""


class _Walk:
    def __init__(self, size: int) -> None:
        self.size = size
        self.left = size

    def copy(self, value: Any, depth: int = 0) -> Any:
        if depth > DEEPEST:
            raise TooLarge(f"the value is nested deeper than {DEEPEST} levels")
        self._spend(4)
        for kinds, convert in _CONVERSIONS:
            if isinstance(value, kinds):
                return convert(self, value, depth)
        raise NotJson(
            f"{_kind(value)} is not JSON: use null, booleans, numbers, text, lists and dicts"
        )

    def _spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise TooLarge(f"the value is larger than {self.size} bytes")

    def text(self, value: str, _depth: int) -> str:
        self._spend(len(value))
        if "\0" in value:
            raise NotJson("text that holds a NUL character cannot be stored")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NotJson("text that holds half a surrogate pair is not Unicode") from None
        return str(value)

    def sequence(self, value: list[Any] | tuple[Any, ...], depth: int) -> list[Any]:
        return [self.copy(item, depth + 1) for item in value]

    def mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        plain = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise NotJson(f"a dict's key must be text, not {_kind(key)}: write str(key)")
            plain[self.text(key, depth)] = self.copy(item, depth + 1)
        return plain

    def instance(self, value: MontyClassProxy, depth: int) -> dict[str, Any]:
        if not value.is_dataclass:
            raise NotJson(f"an object of class {value.name} is not JSON: make it a dataclass")
        return self.mapping(value.attributes, depth)


def _integer(_walk: _Walk, value: int, _depth: int) -> int:
    if abs(value) > LARGEST_INTEGER:
        raise NotJson("an integer beyond 64 bits cannot be stored: write it as text")
    return value


def _number(_walk: _Walk, value: float | Decimal, _depth: int) -> float:
    # A signalling NaN, which only Decimal has, cannot even be asked whether it is finite.
    number = math.nan if isinstance(value, Decimal) and value.is_nan() else float(value)
    if not math.isfinite(number):
        raise NotJson(f"{value} is not a number that JSON can carry")
    return number


def _as_it_is(_walk: _Walk, value: Any, _depth: int) -> Any:
    return value


def _iso(_walk: _Walk, value: datetime | date | time, _depth: int) -> str:
    return value.isoformat()


def _kind(value: Any) -> str:
    name = getattr(value, "name", None)
    return f"a value of type {type(value).__name__}" if not isinstance(name, str) else name


_CONVERSIONS: tuple[tuple[Any, Callable[[_Walk, Any, int], Any]], ...] = (
    (str, _Walk.text),
    ((bool, type(None)), _as_it_is),
    (int, _integer),
    ((float, Decimal), _number),
    (Mapping, _Walk.mapping),
    ((list, tuple), _Walk.sequence),
    ((datetime, date, time), _iso),
    (MontyClassProxy, _Walk.instance),
)


def plain(value: Any, size: int) -> Any:
    """A fresh copy of `value` as JSON of about `size` bytes at most; raises NotJson or TooLarge.

    Tuples become lists, dataclasses objects, dates and times ISO 8601 text, decimals numbers.
    """
    return _Walk(size).copy(value)
