"""Texts that stand together in the records: whoever uses them copies them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from worlds.records import Base, Row

KEPT = 4
"""Records sets whose texts are remembered."""
_KNOWN: OrderedDict[str, Texts] = OrderedDict()


def stands(texts: set[str], base: Base) -> bool:
    """Whether some object of the records has all these texts, as they are, in fields of its own."""
    known = _KNOWN.pop(base.digest, None) or Texts(base)
    _KNOWN[base.digest] = known
    if len(_KNOWN) > KEPT:
        _KNOWN.popitem(last=False)
    return known.stand_together(texts)


class Texts:
    """Which rows have which texts."""

    def __init__(self, base: Base) -> None:
        self._rows: list[Row] = [row for table in base.tables.values() for row in table.values()]
        self._having: dict[str, list[int]] = {}
        for number, row in enumerate(self._rows):
            for text in set().union(*_objects(row)):
                self._having.setdefault(text, []).append(number)

    def stand_together(self, texts: set[str]) -> bool:
        """Whether one object of one row has them all."""
        if not texts:
            return bool(self._rows)
        having = sorted((self._having.get(text, []) for text in texts), key=len)
        common = set(having[0]).intersection(*having[1:])
        return any(texts <= own for number in common for own in _objects(self._rows[number]))


def _objects(value: Any) -> Iterator[set[str]]:
    """The texts of each object and list inside `value`."""
    items = list(value.values()) if isinstance(value, Mapping) else value
    if isinstance(items, list):
        yield {item for item in items if isinstance(item, str)}
        for item in items:
            yield from _objects(item)
