"""Small changes of a call that leave it one which its tool could take.

A change is made where the records or other calls say what else could stand there: another row of the same table,
another key of the same object or member of the same list, a value that other calls gave, one that the schema allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from worlds.diff import same
from worlds.domain import Domain
from worlds.play import Play
from worlds.probing.near import Near
from worlds.probing.paths import Path, leaves, lists, name_of, put, schema_at
from worlds.probing.rows import Spread
from worlds.relations.othervalue import other_values
from worlds.relations.subject import replaced, texts
from worlds.step import Call
from worlds.toolserver import Tool

BESIDE = 4
"""Texts beside one that are tried at once."""
SEEN = 3
"""Values of other calls that are tried at once."""


class Seen:
    """What calls gave, by the name of the argument or of the member."""

    def __init__(self) -> None:
        self.values: dict[str, list[Any]] = {}
        self.whole: dict[tuple[str, str], list[Any]] = {}

    def learn_contract(self, domain: Domain) -> None:
        """Take in the values that fields of tables may have, where they are few: an argument often has the name of
        the field that it ends in."""
        for spec in domain.tables.values():
            for name, schema in _members(spec.schema_):
                for value in schema.get("enum", ()):
                    _add(self.values.setdefault(name, []), value)

    def learn(self, call: Call) -> None:
        """Take in a call's arguments."""
        for path, value in leaves(call.args):
            _add(self.values.setdefault(name_of(path), []), value)
        for name, value in call.args.items():
            if isinstance(value, (list, dict)):
                _add(self.whole.setdefault((call.tool, name), []), value)


def _members(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every member that a schema names, at any depth."""
    if isinstance(schema, list):
        for each in schema:
            yield from _members(each)
    elif isinstance(schema, dict):
        for name, inner in schema.items():
            if name == "properties" and isinstance(inner, dict):
                yield from (each for each in inner.items() if isinstance(each[1], dict))
            yield from _members(inner)


def _add(known: list[Any], value: Any) -> None:
    if len(known) < 200 and not any(same(value, one) for one in known):
        known.append(value)


@dataclass
class Variants:
    """Makes changed calls; all chance is in `draw`."""

    draw: Random
    spread: Spread
    seen: Seen
    turn: int = 0
    """Kinds of change are made in turn."""

    def of(self, tool: Tool, call: Call, play: Play) -> Iterator[Call]:
        """One kind of change of a call, as it could be made at this moment; it may yield nothing."""
        kinds: list[Callable[[Tool, Call, Near], Iterator[dict[str, Any]]]] = [
            self._other_row,
            self._other_row,
            self._beside,
            self._beside,
            self._of_another,
            self._other_value,
            self._alike,
            self._number,
            self._list,
            self._parallel,
            self._whole,
            self._optional,
        ]
        near = Near(play.records.fork(), self.draw)
        self.turn += 1
        for args in kinds[self.turn % len(kinds)](tool, call, near):
            if not same(args, call.args) and tool.refuse(args) is None:
                yield Call(tool=call.tool, args=args)

    def _leaf(self, call: Call, kind: type | tuple[type, ...]) -> tuple[Path, Any] | None:
        found = [
            each
            for each in leaves(call.args)
            if isinstance(each[1], kind) and not isinstance(each[1], bool)
        ]
        return self.draw.choice(found) if found else None

    def _other_row(self, tool: Tool, call: Call, near: Near) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        """Another row of the table, with what belongs to it; and bare."""
        named = near.rows_named(call.args)
        if not named:
            return
        table, key = self.draw.choice(named)
        known = {*texts(call.args)} - {key}
        other = self.spread.next(table, known)
        if other is not None and other != key:
            yield near.aimed(call.args, table, key, other)
            if self.draw.random() < 0.25:
                yield replaced(call.args, {key: other})

    def _beside(self, tool: Tool, call: Call, near: Near) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        """Another key of the object, or member of the list, in which a text stands near a row that is named."""
        places = [
            (table, key, path, spot)
            for table, key in near.rows_named(call.args)
            for path, text, spot in _located(near, table, key, call.args)
        ]
        if not places:
            return
        table, key, path, spot = self.draw.choice(places)
        for other in near.beside(table, key, spot)[:BESIDE]:
            yield put(call.args, path, other)

    def _of_another(self, tool: Tool, call: Call, near: Near) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        """What stands in the same place near another row."""
        named = near.rows_named(call.args)
        if not named:
            return
        table, key = self.draw.choice(named)
        other = self.spread.next(table, set())
        if other is None or other == key:
            return
        aimed = near.aimed(call.args, table, key, other)
        back = replaced(aimed, {other: key})
        if not same(back, call.args):
            yield back

    def _other_value(self, tool: Tool, call: Call, near: Near) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        """A value that the schema allows, or that another call gave under that name."""
        found = list(leaves(call.args))
        if not found:
            return
        path, value = self.draw.choice(found)
        schema = schema_at(tool.schema, path)
        if "enum" in schema or isinstance(value, bool):
            others = list(other_values(schema, value))
        else:
            known = [
                each for each in self.seen.values.get(name_of(path), ()) if not same(each, value)
            ]
            others = self.draw.sample(known, min(SEEN, len(known)))
        for other in others:
            yield put(call.args, path, other)

    def _alike(self, tool: Tool, call: Call, near: Near) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        """One text in the place of another: a thing replaced by itself, a way that leads back to its start."""
        found = [(path, value) for path, value in leaves(call.args) if isinstance(value, str)]
        if len(found) > 1:
            for _ in range(SEEN):
                (_, one), (path, _) = self.draw.sample(found, 2)
                yield put(call.args, path, one)

    def _number(self, tool: Tool, call: Call, near: Near) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        leaf = self._leaf(call, (int, float))
        if leaf is not None:
            path, value = leaf
            for other in (0, value + 1, value - 1, value * 2, -value):
                yield put(call.args, path, other)

    def _list(self, tool: Tool, call: Call, near: Near) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        """One element fewer, one twice, one in another's place, none, another order, one shared out between two."""
        found = [(path, items) for path, items in lists(call.args) if items]
        if not found:
            return
        path, items = self.draw.choice(found)
        at = self.draw.randrange(len(items))
        for other in (
            items[:at] + items[at + 1 :],
            [*items, items[at]],
            [*items[:at], items[at - 1], *items[at + 1 :]],
            [],
            items[::-1],
            [*items[:at], *_halves(items[at]), *items[at + 1 :]],
        ):
            yield put(call.args, path, other)
        known = [each for each in self.seen.whole.get((call.tool, name_of(path)), ()) if each]
        if known:
            yield put(call.args, path, [*items, self.draw.choice(self.draw.choice(known))])

    def _parallel(self, tool: Tool, call: Call, near: Near) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        """The same element of all lists of one length, left out or twice."""
        found = [(path, items) for path, items in lists(call.args) if items and len(path) == 1]
        if len(found) < 2:
            return
        length = len(self.draw.choice(found)[1])
        at = self.draw.randrange(length)
        fewer = more = dict(call.args)
        for path, items in found:
            if len(items) == length:
                fewer = put(fewer, path, items[:at] + items[at + 1 :])
                more = put(more, path, [*items, items[at]])
        yield fewer
        yield more

    def _whole(self, tool: Tool, call: Call, near: Near) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        """A list or an object as another call of the tool gave it."""
        found = [name for name, value in call.args.items() if isinstance(value, (list, dict))]
        if not found:
            return
        name = self.draw.choice(found)
        known = self.seen.whole.get((tool.name, name), [])
        for other in self.draw.sample(known, min(SEEN, len(known))):
            yield {**call.args, name: other}

    def _optional(self, tool: Tool, call: Call, near: Near) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        required = tool.schema.get("required", ())
        for name in [each for each in call.args if each not in required]:
            yield {key: value for key, value in call.args.items() if key != name}


def _located(
    near: Near, table: str, key: str, args: Mapping[str, Any]
) -> Iterator[tuple[Path, str, Any]]:
    spots = near.spots(table, key)
    for path, text in leaves(args):
        if isinstance(text, str) and text != key:
            for spot in spots.get(text, ())[:2]:
                yield path, text, spot


def _halves(item: Any) -> list[Any]:
    """An element as two that share its numbers."""
    one = other = item
    for path, value in leaves(item):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            half = value // 2 if isinstance(value, int) else round(value / 2, 2)
            one, other = put(one, path, half), put(other, path, value - half)
    return [one, other]
