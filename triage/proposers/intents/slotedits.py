"""Slots that no row fits: `match` and `where` with one thing of them otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from triage.proposers.intents.celtext import conjuncts, literal, tree
from triage.proposers.intents.intentedit import GONE, Place, closest
from worlds.cel_tree import Node, literal_text, walk
from worlds.domain import Domain
from worlds.intent import Intent, Slot

NUMBER = re.compile(r"\d+(?:\.\d+)?")
ALONE = re.compile(r"(?<![\w:.-])\d+(?:\.\d+)?(?![\w:-]|\.\d)")
"""No part of a day, a time or a name."""
MOST_VALUES = 5
OPERATORS: Mapping[str, tuple[str, ...]] = {
    "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "==": ("!=",), "!=": ("==",),
}  # fmt: skip


@dataclass(frozen=True)
class SlotEdit:
    """One thing of a slot, otherwise."""

    place: Place
    value: Any
    says: str
    likelihood: float
    authority: str = ""
    within: str = ""
    """What is asked that it changes: `slot.field` of a match, or a conjunct of `where`."""
    leaves_out: str = ""
    """That, where it is asked no longer."""


class SlotEdits:
    """What a slot may have meant."""

    def __init__(self, intent: Intent, domain: Domain, rows: Mapping[str, Any]) -> None:
        """`rows` are the records' tables, for the values that there are."""
        self.intent, self.domain, self.rows = intent, domain, rows

    def of(self, name: str) -> list[SlotEdit]:
        """The likeliest first."""
        slot = self.intent.slots[name]
        found = [*self._match(name, slot), *self._where(name, slot), *self._table(name, slot)]
        return sorted(found, key=lambda edit: -edit.likelihood)

    def _fields(self, table: str) -> Mapping[str, Any]:
        spec = self.domain.tables.get(table)
        found = spec.schema_.get("properties") if spec else None
        return found if isinstance(found, Mapping) else {}

    def _match(self, name: str, slot: Slot) -> Iterator[SlotEdit]:
        for path, value in slot.match.items():
            place: Place = ("slots", name, "match", path)
            if isinstance(value, str) and "{" in value:
                yield from self._references(place, name, slot, path, value)
            else:
                for rate, other, why in self._values(slot.table, path, value):
                    yield SlotEdit(
                        place,
                        other,
                        f"Match {path} {other!r}, not {value!r}",
                        rate,
                        why,
                        within=f"{name}.{path}",
                    )
            yield from self._renamed(name, slot, path, value)
            asked = f"{name}.{path}"
            says = f"Do not match {path} in the slot {name}"
            yield SlotEdit(place, GONE, says, 0.12, within=asked, leaves_out=asked)

    def _renamed(self, name: str, slot: Slot, path: str, value: Any) -> Iterator[SlotEdit]:
        """The same value of another field."""
        fields = list(self._fields(slot.table))
        head = re.split(r"[.\[]", path)[0]
        others = closest(head, fields)[:2] if head not in fields else []
        if isinstance(value, str) and "{" in value:
            others += [each for each in self._referring(slot.table, value) if each != path]
        for other in dict.fromkeys(others):
            match = {other if key == path else key: each for key, each in slot.match.items()}
            rate = 0.85 if head not in fields else 0.45
            says = f"Match {other}, not {path}"
            within = f"{name}.{path}"
            yield SlotEdit(("slots", name, "match"), match, says, rate, within=within)

    def _referring(self, table: str, template: str) -> list[str]:
        """The fields of a table that refer to the table of the slot in a template."""
        head = re.match(r"\{(\w+)", template)
        other = self.intent.slots.get(head[1]) if head else None
        spec = self.domain.tables.get(table)
        if other is None or spec is None:
            return []
        return [each.from_ for each in spec.references if each.to == other.table] + [spec.key]

    def _references(
        self, place: Place, name: str, slot: Slot, path: str, value: str
    ) -> Iterator[SlotEdit]:
        """Other fields of slots that hold keys of the same rows."""
        wanted = self._target(slot.table, path)
        for other, spec in self.intent.slots.items():
            if other == name or spec.table not in self.domain.tables:
                continue
            table = self.domain.tables[spec.table]
            keys = [table.key] if spec.table == wanted else []
            keys += [each.from_ for each in table.references if each.to == wanted]
            if path in self._fields(spec.table):
                keys.append(path)
            for key in dict.fromkeys(keys):
                template = f"{{{other}.{key}}}"
                if key.isidentifier() and template != value:
                    near = 0.6 if value.startswith(f"{{{other}.") else 0.4
                    says = f"Match {path} {template}, not {value}"
                    yield SlotEdit(place, template, says, near, within=f"{name}.{path}")

    def _target(self, table: str, path: str) -> str:
        spec = self.domain.tables.get(table)
        if spec is None or path == spec.key:
            return table
        return next((each.to for each in spec.references if each.from_ == path), "")

    def _values(self, table: str, path: str, value: Any) -> Iterator[tuple[float, Any, str]]:
        """Values that the field can have, those most like this one first."""
        head = re.split(r"[.\[]", path)[0]
        shape = self._fields(table).get(head)
        allowed = shape.get("enum") if isinstance(shape, Mapping) else None
        there = self._column(table, head)
        listed = [each for each in allowed or () if each is not None]
        cited = f"The schema of {table}.{head}: {', '.join(map(str, listed))}" if listed else ""
        if isinstance(value, bool):
            yield 0.6, not value, ""
        elif isinstance(value, str):
            yield from self._spelt(value, [*map(str, listed), *there], cited)
        elif listed:
            yield from ((0.25, each, cited) for each in listed[:MOST_VALUES] if each != value)

    def _spelt(
        self, value: str, known: Sequence[str], cited: str
    ) -> Iterator[tuple[float, str, str]]:
        known = list(dict.fromkeys(known))
        same = [each for each in known if each.lower() == value.lower() and each != value]
        yield from ((0.95, each, cited) for each in same)
        near = [each for each in closest(value, known) if each not in same][:MOST_VALUES]
        yield from ((0.6, each, cited) for each in near)
        rest = [each for each in known if each not in (*near, *same, value)]
        yield from ((0.2, each, cited) for each in rest[:MOST_VALUES])

    def _column(self, table: str, name: str) -> list[str]:
        """The texts that rows have in a field, where they are few."""
        rows = self.rows.get(table) or {}
        values = {
            row.get(name) for row in islice(rows.values(), 500) if isinstance(row.get(name), str)
        }
        return sorted(values) if len(values) <= 30 else []

    def _table(self, name: str, slot: Slot) -> Iterator[SlotEdit]:
        """Another table, where this one lacks what is matched."""
        if slot.table in self.domain.tables and all(
            re.split(r"[.\[]", path)[0] in self._fields(slot.table) for path in slot.match
        ):
            return
        near = closest(slot.table, list(self.domain.tables))
        for table in self.domain.tables:
            has = all(re.split(r"[.\[]", path)[0] in self._fields(table) for path in slot.match)
            if table != slot.table and (has or table in near):
                rate = 0.8 if table in near else 0.4
                says = f"Take the slot {name} from {table}, not {slot.table}"
                yield SlotEdit(("slots", name, "table"), table, says, rate)

    def _where(self, name: str, slot: Slot) -> Iterator[SlotEdit]:
        """One conjunct after another: something else asked, or nothing."""
        place: Place = ("slots", name, "where")
        parts = conjuncts(slot.where) if slot.where and tree(slot.where) is not None else []
        for number, part in enumerate(parts):
            around = (parts[:number], parts[number + 1 :])
            for rate, changed, says, why in self._otherwise(part):
                text = " && ".join([*around[0], changed, *around[1]])
                yield SlotEdit(place, text, says, rate, why, within=part)
            rest = " && ".join([*around[0], *around[1]])
            says = f"Do not ask for `{part}` in the slot {name}"
            yield SlotEdit(place, rest or GONE, says, 0.1, within=part, leaves_out=part)

    def _otherwise(self, part: str) -> Iterator[tuple[float, str, str, str]]:
        """A conjunct with one thing of it changed: how likely, its text, what it does, and what says so."""
        root = tree(part)
        for node in walk(root) if root is not None else ():
            if node.kind == "literal" and part.startswith(node.text, node.at):
                for rate, other, why in self._literals(node):
                    changed = part[: node.at] + other + part[node.at + len(node.text) :]
                    yield rate, changed, f"Ask for {other}, not {node.text}", why
        yield from self._operators(part)
        if part.startswith("!"):
            yield 0.3, part[1:].strip(), f"Ask for `{part[1:]}`", ""

    def _literals(self, node: Node) -> Iterator[tuple[float, str, str]]:
        words = literal_text(node)
        if words is not None:
            for rate, other, why in self._spelt(words, self._enums(words), ""):
                yield rate, literal(other) or node.text, why
        elif NUMBER.fullmatch(node.text):
            yield from self._numbers(node.text)

    def _enums(self, words: str) -> list[str]:
        """Values that schemas list, of fields that have one like it; else what is spelt like it in other letters."""
        found: list[str] = []
        for table in self.domain.tables:
            for name, shape in self._fields(table).items():
                values = shape.get("enum") if isinstance(shape, Mapping) else None
                known = [
                    each for each in values or self._column(table, name) if isinstance(each, str)
                ]
                if any(each.lower() == words.lower() for each in known) or (
                    values and closest(words, known, 0.7)
                ):
                    found += known
        return found

    def _numbers(self, text: str) -> Iterator[tuple[float, str, str]]:
        """Numbers of which the instruction, the goal or the plans speak, then smaller ones, then larger ones."""
        told = ALONE.findall(self.intent.instruction)
        goal = [each for r in self.intent.goal.require for each in ALONE.findall(r)]
        seen = {text}
        for number in dict.fromkeys(told):
            if "." not in text or "." in number:
                seen.add(number)
                if number != text:
                    yield 0.7, number, f"The instruction says {number}"
        for number in dict.fromkeys(goal):
            if number not in seen:
                seen.add(number)
                yield 0.45, number, ""
        yield from ((rate, n, "") for rate, n in _near(text) if n not in seen)

    def _operators(self, part: str) -> Iterator[tuple[float, str, str, str]]:
        for match in re.finditer(r"<=|>=|==|!=|<|>", part):
            for number, other in enumerate(OPERATORS[match.group()]):
                changed = part[: match.start()] + other + part[match.end() :]
                if tree(changed) is not None:
                    near = part[max(0, match.start() - 30) : match.end() + 30].strip()
                    says = f"Compare with {other}, not {match.group()}, in “{near}”"
                    yield 0.35 - 0.1 * number, changed, says, ""


def _near(text: str) -> Iterator[tuple[float, str]]:
    """Other numbers: the ones that conditions mostly have, then what is near, half and double."""
    if "." in text:
        number = float(text)
        yield from (
            (0.3, f"{each}")
            for each in (number - 50, number / 10, number / 2, number * 2)
            if each > 0
        )
        return
    whole = int(text)
    small = (1, 0, 2, 3, 4, 5)
    near = (
        whole - 1,
        whole + 1,
        whole // 10,
        whole // 2,
        whole - 10,
        whole - 50,
        whole - 100,
        whole * 2,
    )
    for rate, numbers in ((0.4, small[:3]), (0.35, near), (0.3, small[3:])):
        yield from ((rate, str(each)) for each in numbers if each >= 0)
