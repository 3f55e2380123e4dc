"""What the ids and e-mail addresses of a records set look like, as its rows show it and nothing else.

A family is what stands at one place of the rows (a field, the keys of a map, the items of a list), is different
almost everywhere, and has one of few shapes: `card_9074831` → `a_9`. Codes whose shapes vary make none.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worlds.records import Base, Row

TOKEN = re.compile(r"""[^\s,;:!?()\[\]{}<>"'“”„‘’«»|*`–—\0]+""")
EMAIL = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
ID = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
"""Of folded text. What begins with a digit is more often a measure, a date or a number than an id."""
RUNS = re.compile(r"([a-z]+)|([0-9]+)")
AN_EMAIL = "@"
"""The shape of every e-mail address."""

MANY = 10
"""Different ids of one shape at one place, fewer of which show no habit."""
MANY_EMAILS = 2
"""An address is known by its form."""
SHAPES = 4
"""More at one place are codes that look like anything."""
MOST = 0.9
"""Of what stands at a place: ids, and different ones."""
WORDS = 0.1
"""Different words, no more than this share of the values, are part of the form: `card`, `order`."""
BARE = 5
"""Characters of an id in which nothing joins letters and digits: `M25` and `A4` stand in any prose."""
NEAR = 0.9
"""Of the characters of an address with another host: as many it shares with a known one that it is meant for."""
KEPT = 16


@dataclass(frozen=True)
class Family:
    """Values of one shape at one place of the rows."""

    table: str
    field: str
    """`payment_methods` for the keys of a map too; `orders[]` for the items of a list."""
    values: tuple[str, ...]
    words: tuple[frozenset[str] | None, ...]
    """For each run of letters all that stand there; None where it may be any."""
    digits: tuple[int, int]
    """How many an id has, at least and at most."""
    is_key: bool
    """Whether it is what the rows of the table are known by."""
    hosts: frozenset[str] = frozenset()
    """Of addresses."""

    def has(self, text: str) -> bool:
        """Whether a folded text of the family's shape is meant for one of it."""
        if self.hosts:
            alike = _alike(folded(self.nearest(text)), text)
            return text.partition("@")[2] in self.hosts or alike >= NEAR * len(text)
        words, count = _words(text), _digits(text)
        joined = "_" in text or "-" in text
        if not self.digits[0] - 1 <= count <= self.digits[1] + 1:
            return False
        if not joined and len(text) < BARE:
            return False
        if None in self.words and ("_" not in text or len(words) < 2):
            return False
        return all(
            there is None or word in there for word, there in zip(words, self.words, strict=True)
        )

    def nearest(self, text: str) -> str:
        """The value that has most of a folded text at its beginning and end: one slip leaves all the rest."""
        return max(self.values, key=lambda value: _alike(folded(value), text))


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin and end with alike."""
    start = _start(one, other)
    return start + _start(one[start:][::-1], other[start:][::-1])


def _start(one: str, other: str) -> int:
    differs = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differs, min(len(one), len(other)))


def folded(text: str) -> str:
    """An id or address as it is compared: without capitals and the `#` before it."""
    return text.lower().removeprefix("#")


def shape(text: str) -> str:
    """`a_9` of `card_123`, `@` of an address, empty of what is neither; `text` is folded."""
    if "@" in text:
        return AN_EMAIL if EMAIL.fullmatch(text) else ""
    if not ID.fullmatch(text) or not _digits(text):
        return ""
    return RUNS.sub(lambda run: "a" if run.group(1) else "9", text)


def tokens(text: str) -> Iterator[re.Match[str]]:
    """What of a text may be an id or an address, with what ends a sentence still at its end."""
    return TOKEN.finditer(text)


def bare(token: str) -> str:
    """A token without what ends a sentence."""
    return token.strip(".-_/")


def _words(text: str) -> list[str]:
    return [run for run, _ in RUNS.findall(text) if run]


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


class Identifiers:
    """All ids and addresses of a records set."""

    def __init__(self, base: Base) -> None:
        self._known: set[str] = set()
        self._families: dict[str, list[Family]] = defaultdict(list)
        for table, rows in base.tables.items():
            key = base.domain.tables[table].key
            for field, texts in _by_field(rows.values()).items():
                self._known.update(part for text in texts for part in _parts(text))
                for name, family in _families(table, field, texts, field == key):
                    self._families[name].append(family)

    @classmethod
    def of(cls, base: Base) -> Identifiers:
        """Those of a base, found once."""
        known = _FOUND.pop(base.digest, None) or cls(base)
        _FOUND[base.digest] = known
        if len(_FOUND) > KEPT:
            _FOUND.popitem(last=False)
        return known

    def has(self, text: str) -> bool:
        """Whether a text has the shape of an id or address, and stands in some row."""
        text = folded(text)
        return bool(shape(text)) and text in self._known

    def unmatched(self, text: str) -> Family | None:
        """The family of which an id or address would be, where no row has it anywhere."""
        text = folded(text)
        name = shape(text)
        if not name or text in self._known:
            return None
        fitting = [each for each in self._families.get(name, ()) if each.has(text)]
        return min(fitting, key=_rank, default=None)


_FOUND: OrderedDict[str, Identifiers] = OrderedDict()


def _rank(family: Family) -> tuple[int, bool, int]:
    """The family that says most of its words first, keys before what refers to them."""
    return family.words.count(None), not family.is_key, -len(family.values)


def _families(
    table: str, field: str, texts: Counter[str], is_key: bool
) -> Iterator[tuple[str, Family]]:
    """By shape, those of the texts at one place; each text comes with how often it stands there."""
    by_shape: dict[str, dict[str, str]] = defaultdict(dict)
    shaped = 0
    for text, times in texts.items():
        name = shape(folded(text))
        if name:
            shaped += times
            by_shape[name][folded(text)] = text
    different = sum(map(len, by_shape.values()))
    if len(by_shape) > SHAPES or shaped < MOST * texts.total() or different < MOST * shaped:
        return
    for name, values in by_shape.items():
        if len(values) >= (MANY_EMAILS if name == AN_EMAIL else MANY):
            yield name, _family(table, field, name, values, is_key)


def _family(table: str, field: str, name: str, values: Mapping[str, str], is_key: bool) -> Family:
    given = tuple(values.values())
    if name == AN_EMAIL:
        hosts = frozenset(value.partition("@")[2] for value in values)
        return Family(table, field, given, (), (0, 0), is_key, hosts)
    columns = [frozenset(column) for column in zip(*map(_words, values), strict=True)]
    words = tuple(None if len(each) > WORDS * len(values) else each for each in columns)
    counts = [_digits(value) for value in values]
    return Family(table, field, given, words, (min(counts), max(counts)), is_key)


def _parts(text: str) -> Iterator[str]:
    if "@" in text or any(map(str.isdigit, text)):
        yield folded(text)
        for token in tokens(text):
            yield folded(bare(token.group()))


def _by_field(rows: Iterable[Row]) -> dict[str, Counter[str]]:
    """Place in a row → every text there, with how often it stands there."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for name, value in row.items():
            _gather(found, _inner("", name), value)
    return found


def _gather(found: dict[str, Counter[str]], field: str, value: Any) -> None:
    """A map's keys stand at the place of the map."""
    if isinstance(value, str):
        found[field][value] += 1
    elif isinstance(value, Mapping):
        found[field].update(value.keys())
        for key, item in value.items():
            _gather(found, _inner(field, key), item)
    elif isinstance(value, list):
        for item in value:
            _gather(found, f"{field}[]", item)


@lru_cache(maxsize=4_096)
def _inner(field: str, key: str) -> str:
    """Keys with digits are data, others names."""
    name = "*" if any(map(str.isdigit, key)) else key
    return f"{field}.{name}" if field else name
