"""Files as people write them: YAML 1.2 and JSON, read strictly, with the line of every value.

Only what JSON can say comes out. YAML is resolved by the 1.2 core schema: `on`, `yes`, `1:30` and dates
are text. Duplicate keys, anchors, aliases, tags and second documents are refused.
"""

from __future__ import annotations

import json
import math
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from worlds.canonical import WIDEST_INTEGER

DEEPEST = 60
"""How many containers may stand inside each other in YAML."""
DEEPEST_JSON = 150
"""In JSON, where pins hold rows that tools made."""

LONGEST_INTEGER = 1_100
"""Characters of an integer that are looked at: enough for the widest in any base."""

Location = tuple[str | int, ...]


@dataclass(frozen=True)
class FileProblem:
    """What is wrong with a file, where, and what to do."""

    path: str
    line: int | None
    message: str

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.message}"


@dataclass(frozen=True)
class OrphanPins(FileProblem):
    """Pins of environments that there are not, all that a file has; `slugs` are their names."""

    slugs: tuple[str, ...] = ()


class LibraryInvalid(ValueError):
    """Component files that cannot be used; its text is one line for each problem, in the order of the files."""

    def __init__(self, problems: Iterable[FileProblem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(map(str, self.problems)))


class LibraryMissing(LibraryInvalid):
    """The folder or domain that was asked for is not there: the call is wrong, no file is."""


@dataclass(frozen=True)
class Source:
    """What a file says, and the line of each value by its path (`goal.require[0]`)."""

    value: Any
    lines: dict[str, int] = field(default_factory=dict)

    def line(self, location: Location) -> int | None:
        """The line of the value at `location`, or of the nearest one around it."""
        return nearest_line(self.lines, location)


def place(location: Location) -> str:
    """A location as text: `("goal", "require", 0)` is `goal.require[0]`."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def nearest_line(lines: Mapping[str, int], location: Location) -> int | None:
    """The line known for `location` or for the nearest place around it."""
    for size in range(len(location), -1, -1):
        line = lines.get(place(location[:size]))
        if line is not None:
            return line
    return None


def read_text(path: Path, most_bytes: int, named: str) -> str:
    """The text of a UTF-8 file with plain newlines; raises LibraryInvalid (which says `named`)."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise _invalid(named, None, "this is no plain file: put one here")
        size = status.st_size
        if size > most_bytes:
            raise _invalid(named, None, f"{size} bytes are too many: a file may have {most_bytes}")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise _invalid(named, None, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise _invalid(named, line, "this is not UTF-8: save the file as UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _invalid(path: str, line: int | None, message: str) -> LibraryInvalid:
    return LibraryInvalid([FileProblem(path, line, message)])


def unstorable(text: str) -> bool:
    """Whether text holds what no UTF-8 file or database can: a NUL or half a surrogate pair."""
    return "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text)


UNSTORABLE = "text with a NUL or half a character (surrogate) cannot be stored: take it out"


def read_yaml(text: str, path: str, *, first_line: int = 1) -> Source:
    """The value of a YAML document; raises LibraryInvalid with every problem found."""
    composer = _Composer(path, first_line)
    try:
        value = composer.document(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + mark.line if mark else None
        what = ", ".join(part for part in (error.context, error.problem) if part)
        raise _invalid(path, line, f"not YAML: {what}") from error
    except yaml.YAMLError as error:
        raise _invalid(path, None, f"not YAML: {' '.join(str(error).split())}") from error
    if composer.problems:
        raise LibraryInvalid(composer.problems)
    return Source(value, composer.lines)


class _Composer:
    """Builds values from libyaml's events, so that nothing is expanded before it was looked at."""

    def __init__(self, path: str, first_line: int) -> None:
        self.path = path
        self.first_line = first_line
        self.lines: dict[str, int] = {}
        self.problems: list[FileProblem] = []

    def document(self, text: str) -> Any:
        self.events = iter(yaml.parse(text, Loader=yaml.CSafeLoader))
        next(self.events)
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return None
        event = next(self.events)
        self.lines[""] = self._line(event)
        value = self.node(event, ())
        next(self.events)
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            self._problem(after, "a second document begins here: a file holds one")
        return value

    def node(self, event: yaml.Event, location: Location) -> Any:
        if isinstance(event, yaml.AliasEvent):
            return self._problem(event, f"the alias *{event.anchor} is refused: write it out")
        if not isinstance(event, yaml.NodeEvent):
            raise AssertionError(f"libyaml gave {event} for a value")
        self._plain_node(event)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event)
        if len(location) >= DEEPEST:
            raise _invalid(self.path, self._line(event), f"nested deeper than {DEEPEST} levels")
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(location)
        return self.mapping(location)

    def _plain_node(self, event: yaml.NodeEvent) -> None:
        if event.anchor is not None:
            self._problem(event, f"the anchor &{event.anchor} is refused: write the value out")
        tag = getattr(event, "tag", None)
        if tag is not None:
            self._problem(event, f"the tag {tag} is refused: a file holds plain values only")

    def sequence(self, location: Location) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            inner = (*location, len(items))
            self.lines[place(inner)] = self._line(event)
            items.append(self.node(event, inner))
        return items

    def mapping(self, location: Location) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.node(event, location)
            if not isinstance(key, str):
                self._problem(event, f"a key must be text, not {key!r}: put it in quotes")
                key = str(key)
            elif key in items:
                self._problem(event, f"the key {key!r} stands here twice: keep one")
            inner = (*location, key)
            self.lines.setdefault(place(inner), self._line(event))
            items[key] = self.node(next(self.events), inner)
        return items

    def scalar(self, event: yaml.ScalarEvent) -> Any:
        try:
            value = resolved(event.value) if event.implicit[0] else event.value
        except ValueError as error:
            return self._problem(event, str(error))
        if isinstance(value, str) and unstorable(value):
            return self._problem(event, UNSTORABLE)
        return value

    def _line(self, event: yaml.Event) -> int:
        return self.first_line + (event.start_mark.line if event.start_mark else 0)

    def _problem(self, event: yaml.Event, message: str) -> None:
        self.problems.append(FileProblem(self.path, self._line(event), message))


WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER = re.compile(r"[-+]?[0-9]+")
BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def resolved(text: str) -> Any:
    """What a plain (unquoted) YAML scalar means by the 1.2 core schema; ValueError for what JSON cannot say."""
    if text in WORDS:
        return WORDS[text]
    if INTEGER.fullmatch(text):
        return _whole(text)
    if BASED.fullmatch(text):
        return _whole(text, 0)
    if FLOAT.fullmatch(text):
        return _finite(text)
    if NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is not a number that JSON can carry")
    return text


def _whole(text: str, base: int = 10) -> int:
    if len(text) > LONGEST_INTEGER or (number := int(text, base)).bit_length() > WIDEST_INTEGER:
        raise ValueError(
            f"{text[:20]}… is too long for a number that JSON can carry: put it in quotes"
        )
    return number


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number that JSON can carry")
    return number


def read_json(text: str, path: str, *, levels: int) -> Source:
    """The value of a JSON document, with lines for the outer `levels` of containers; raises LibraryInvalid."""
    reader = _Reader(text)
    try:
        return Source(reader.document(levels), reader.lines)
    except json.JSONDecodeError as error:
        raise _invalid(path, error.lineno, f"not JSON: {error.msg}") from error
    except RecursionError as error:
        raise _invalid(path, reader.line, "nested too deep") from error
    except ValueError as error:
        raise _invalid(path, reader.line, str(error)) from error


class _Reader:
    """Walks the outer containers to note lines; what is inside them goes through the fast decoder."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: dict[str, int] = {}
        self.line = 1
        self._seen = 0
        self._escapes = "\\u" in text
        self._decoder = json.JSONDecoder(
            object_pairs_hook=_object, parse_constant=_finite, parse_float=_finite, parse_int=_whole
        )

    def document(self, levels: int) -> Any:
        start = self._skip(0)
        self._mark((), start)
        value, end = self._value(start, (), levels)
        end = self._skip(end)
        if end != len(self.text):
            raise json.JSONDecodeError("something follows the end", self.text, end)
        if _is_deeper(value, DEEPEST_JSON):
            raise ValueError(f"nested deeper than {DEEPEST_JSON} levels")
        if self._escapes and any(map(unstorable, _texts(value))):
            raise ValueError(UNSTORABLE)
        return value

    def _mark(self, location: Location, at: int) -> None:
        self.line += self.text.count("\n", self._seen, at)
        self._seen = at
        self.lines[place(location)] = self.line

    def _skip(self, at: int) -> int:
        while self.text[at : at + 1] in (" ", "\t", "\n"):
            at += 1
        return at

    def _value(self, at: int, location: Location, levels: int) -> tuple[Any, int]:
        opening = self.text[at : at + 1]
        if levels and opening == "{":
            return self._members(at, location, levels - 1)
        if levels and opening == "[":
            return self._items(at, location, levels - 1)
        return self._decoder.raw_decode(self.text, at)

    def _items(self, at: int, location: Location, levels: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        at = self._skip(at + 1)
        while self.text[at : at + 1] != "]":
            at = self._comma(at) if items else at
            self._mark((*location, len(items)), at)
            item, end = self._value(at, (*location, len(items)), levels)
            items.append(item)
            at = self._skip(end)
        return items, at + 1

    def _members(self, at: int, location: Location, levels: int) -> tuple[dict[str, Any], int]:
        members: dict[str, Any] = {}
        at = self._skip(at + 1)
        while self.text[at : at + 1] != "}":
            at = self._comma(at) if members else at
            name, end = self._decoder.raw_decode(self.text, at)
            colon = self._skip(end)
            if not isinstance(name, str) or self.text[colon : colon + 1] != ":":
                raise json.JSONDecodeError('a member is "name": value', self.text, at)
            self._mark((*location, name), at)
            if name in members:
                raise ValueError(f"the key {name!r} stands here twice: keep one")
            members[name], end = self._value(self._skip(colon + 1), (*location, name), levels)
            at = self._skip(end)
        return members, at + 1

    def _comma(self, at: int) -> int:
        if self.text[at : at + 1] != ",":
            raise json.JSONDecodeError("a comma is missing", self.text, at)
        return self._skip(at + 1)


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether containers stand inside each other more than `levels` deep."""
    level = [value]
    for _ in range(levels + 1):
        level = [
            item
            for each in level
            if isinstance(each, (dict, list))
            for item in (each.values() if isinstance(each, dict) else each)
        ]
    return bool(level)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    items = dict(pairs)
    if len(items) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in items if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object: keep one")
    return items
