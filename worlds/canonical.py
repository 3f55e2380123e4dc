"""Canonical JSON: one text for one value, so that equal things have equal digests.

Close to RFC 8785: sorted keys, no white space, Unicode NFC, no NaN or infinity, and an integral float
is written as the integer that it equals (25.0 and 25 are the same number).
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any

FORMAT = 1
"""The number of this project's body and manifest formats; part of every digest."""

EXACT_FLOAT = 2.0**53

WIDEST_INTEGER = 1023
"""Bits of an integer: beyond, it has no float beside it, and soon no text either."""


class NotCanonical(ValueError):
    """The value has no canonical form; the message says what stands in the way."""


def _text(value: str) -> str:
    return value if value.isascii() else unicodedata.normalize("NFC", value)


def _number(value: float) -> int | float:
    if value != value or value in (float("inf"), float("-inf")):
        raise NotCanonical(f"{value} is not a number that JSON can carry")
    return int(value) if value.is_integer() and abs(value) <= EXACT_FLOAT else value


def _integer(value: int) -> int:
    if value.bit_length() > WIDEST_INTEGER:
        raise NotCanonical(
            f"an integer of {value.bit_length()} bits is too long: "
            f"at most {WIDEST_INTEGER} can be carried; write it as text"
        )
    return value


def _object(value: dict[Any, Any]) -> dict[str, Any]:
    normal: dict[str, Any] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise NotCanonical(f"an object's key must be text, not {key!r}")
        name = _text(key)
        if name in normal:
            raise NotCanonical(f"two keys of one object are both {name!r} after normalisation")
        normal[name] = normalised(item)
    return normal


def normalised(value: Any) -> Any:
    """`value` with text in NFC and integral floats as integers; raises NotCanonical."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return [normalised(item) for item in value]
    if isinstance(value, dict):
        return _object(value)
    raise NotCanonical(
        f"JSON holds null, booleans, numbers, text, lists and objects, not {value!r}"
    )


def canonical(value: Any) -> str:
    """The canonical JSON text of `value`; raises NotCanonical."""
    return json.dumps(
        normalised(value),
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    )


def digest(value: Any) -> str:
    """The sha256 of the canonical JSON of `value`, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()
