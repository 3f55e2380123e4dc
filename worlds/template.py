"""Templates: `{path}` in any text of a JSON value is filled from names.

A text that is exactly one `{path}` becomes the value itself, whatever its type; inside other text, text stands as
it is and everything else as canonical JSON. `{{` and `}}` are braces. A path is dotted names with optional indexes
into lists: `order.items[0].product_id`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from worlds.canonical import canonical

_PATH = re.compile(r"\w+(\[\d+\])*(\.\w+(\[\d+\])*)*")
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]", re.DOTALL)
_STEP = re.compile(r"\w+")
_INDEX = re.compile(r"[0-9]{1,9}")

LONGEST = 2_000_000
"""Characters that may be put into one value, all its texts together."""

Piece = tuple[bool, str]
"""Whether it is a path, and the path or the words."""


class TemplateInvalid(ValueError):
    """A lone brace, or braces around what is no path."""


class TemplateUnfilled(LookupError):
    """A path leads nowhere in the names that were given."""


class TemplateTooLong(TemplateUnfilled):
    """More would be put in than any text needs."""


def render(value: Any, names: Mapping[str, Any]) -> Any:
    """`value` with every placeholder filled; raises TemplateInvalid and TemplateUnfilled."""
    return _Filling(names).value(value)


class _Filling:
    """One value on its way; what is put in is counted, since a few bytes can name a large row very often."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names
        self.left = LONGEST

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {as_text(self._text(key)): self.value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value

    def _text(self, text: str) -> Any:
        if "{" not in text and "}" not in text:
            return text
        parts = pieces(text)
        if len(parts) == 1 and parts[0][0]:
            found = _value_at(parts[0][1], self.names)
            self._count(parts[0][1], found if isinstance(found, str) else json.dumps(found))
            return found
        return "".join(self._said(said) if is_path else said for is_path, said in parts)

    def _said(self, path: str) -> str:
        return self._count(path, as_text(_value_at(path, self.names)))

    def _count(self, path: str, text: str) -> str:
        self.left -= len(text)
        if self.left < 0:
            raise TemplateTooLong(
                f"{{{path}}} cannot be filled: more than {LONGEST} characters would be put in"
            )
        return text


def as_text(value: Any) -> str:
    """How a value stands in the midst of text."""
    return value if isinstance(value, str) else canonical(value)


def placeholders(value: Any) -> list[str]:
    """Every path in `value`, once, in order; raises TemplateInvalid."""
    return list(dict.fromkeys(path for text in texts(value) for path in _paths(text)))


def _paths(text: str) -> Iterator[str]:
    return (said for is_path, said in pieces(text) if is_path)


def texts(value: Any) -> Iterator[str]:
    """Every text in `value`, the keys of objects among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts(item)


@lru_cache(maxsize=8_192)
def pieces(text: str) -> tuple[Piece, ...]:
    """The text taken apart; raises TemplateInvalid."""
    return tuple(_piece(match, text) for match in _PIECE.finditer(text))


def _piece(match: re.Match[str], text: str) -> Piece:
    said, inner = match.group(), match.group(1)
    if said in ("{{", "}}"):
        return (False, said[0])
    if said in ("{", "}"):
        raise TemplateInvalid(
            f"a lone {said} at column {match.start() + 1} of {text!r}; write {said}{said} for a brace"
        )
    if inner is None:
        return (False, said)
    if not _PATH.fullmatch(inner):
        raise TemplateInvalid(
            f"{said} at column {match.start() + 1} of {text!r} is no path such as {{order.items[0].id}};"
            f" write {{{{ and }}}} for braces"
        )
    return (True, inner)


def _value_at(path: str, names: Mapping[str, Any]) -> Any:
    value: Any = names
    for step in _STEP.findall(path):
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, (list, tuple)) and _INDEX.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            raise TemplateUnfilled(
                f"{{{path}}} cannot be filled: there is no {step!r}{_there(value)}"
            )
    return value


def _there(value: Any) -> str:
    if isinstance(value, Mapping):
        return f" (there are {', '.join(sorted(map(str, value))[:20]) or 'none'})"
    if isinstance(value, (list, tuple)):
        return f" in a list of {len(value)}"
    return f" in {'null' if value is None else type(value).__name__}"
