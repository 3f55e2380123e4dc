"""What a slot asks of its row, in parts that each hold or do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from triage.proposers.records.paths import MISSING
from worlds.cel_tree import parse
from worlds.conditions import (
    Allowance,
    Condition,
    ConditionFailed,
    ConditionInvalid,
    View,
    compile_condition,
)
from worlds.records import Records, Row, matches
from worlds.slots import shapes
from worlds.template import TemplateInvalid, TemplateUnfilled, render
from worlds.world import World

MOST = 20


@dataclass(frozen=True, eq=False)
class Part:
    """One entry of `match`, or one of the conditions that `where` joins by `&&`."""

    world: World
    text: str
    path: str = ""
    """Of an entry of `match`."""
    value: Any = None
    condition: Condition | None = None

    def wanted(self, names: Mapping[str, Row]) -> Any:
        """What an entry of `match` asks for; MISSING where another slot that it speaks of is not filled."""
        try:
            return render(self.value, names)
        except (TemplateInvalid, TemplateUnfilled):
            return MISSING

    def holds(self, records: Records, row: Row, names: Mapping[str, Row]) -> bool:
        """Whether it is so of a row; not where it cannot be told."""
        if self.condition is None:
            wanted = self.wanted(names)
            return wanted is not MISSING and matches(row, {self.path: wanted})
        view = View(records, self.world.base.clock.now, Allowance())
        try:
            return self.condition.holds(view, {**names, "row": row})
        except (ConditionFailed, LookupError):
            return False


def parts_of(world: World, slot: str) -> list[Part]:
    """Those of `match` first; where the condition cannot be taken apart it is one part."""
    return _known(world.bundle.digest, slot, _Held(world))


class _Held:
    """A world that counts as equal to any, since the digest beside it tells which it is."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=64)
def _known(_digest: str, slot: str, held: _Held) -> list[Part]:
    return list(_parts(held.world, slot))


def _parts(world: World, slot: str) -> Iterator[Part]:
    intent, domain = world.bundle.intent, world.bundle.domain
    asked = intent.slots[slot]
    for path, value in asked.match.items():
        yield Part(world, f"{path}: {value!r}", path, value)
    if asked.where is None:
        return
    definitions = intent.definitions(domain)
    known = shapes(intent, domain)
    names = {**known, "row": known[slot]}
    try:
        for text in conjuncts(definitions.written_out(asked.where)):
            yield Part(world, text, condition=compile_condition(text, domain, names))
    except ConditionInvalid:
        return


def conjuncts(text: str) -> list[str]:
    """The texts that `&&` joins outside all brackets; the whole text where anything else joins them."""
    pieces, depth, start, at = [], 0, 0, 0
    while at < len(text):
        if text[at] in "\"'":
            at = _closed(text, at)
        elif text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        elif not depth and (text[at] == "?" or text.startswith("||", at)):
            return [text]
        elif not depth and text.startswith("&&", at):
            pieces.append(text[start:at].strip())
            start = at + 2
        at += 1
    pieces = [*pieces, text[start:].strip()]
    return pieces if len(pieces) <= MOST and all(map(_is_whole, pieces)) else [text]


def _closed(text: str, at: int) -> int:
    """Where the literal ends that begins here."""
    quote, at = text[at], at + 1
    while at < len(text) and text[at] != quote:
        at += 2 if text[at] == "\\" else 1
    return at


def _is_whole(text: str) -> bool:
    try:
        parse(text)
    except ConditionInvalid:
        return False
    return bool(text)
