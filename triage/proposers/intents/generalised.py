"""What plans changed, said in terms of the intent: rows by their slots, values by where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from triage.proposers.intents.celtext import literal
from triage.proposers.intents.sample import FAILED, Sample
from triage.proposers.intents.terms import Term, Terms
from worlds.diff import Change, same
from worlds.domain import Domain
from worlds.intent import Intent
from worlds.template import texts


@dataclass
class Touched:
    """Rows of one kind that plans change, in the environments in which they do."""

    table: str
    key: str
    """A template; `*` where no slot names them, empty for new rows."""
    fields: dict[str, None] = field(default_factory=dict)
    """In the order of the schema; none where a row is deleted."""
    deleted: bool = False
    new: int = 0
    """The most in one environment."""

    @property
    def entry(self) -> str:
        """As `goal.changes` has it."""
        if self.new:
            return f"{self.table}/+{self.new}"
        fields = "" if self.deleted else f"#{','.join(self.fields)}"
        return f"{self.table}/{self.key}{fields}"


def touched(found: Sequence[Sample]) -> list[Touched]:
    """What the plans of an intent change, all environments together."""
    rows: dict[tuple[str, str], Touched] = {}
    for sample in found:
        new: dict[str, int] = {}
        for change in sample.diff:
            if change["op"] == "insert":
                new[change["table"]] = new.get(change["table"], 0) + 1
            else:
                _take_in(rows, sample, change)
        for table, count in new.items():
            known = rows.setdefault((table, ""), Touched(table, ""))
            known.new = max(known.new, count)
    return list(rows.values())


def _take_in(rows: dict[tuple[str, str], Touched], sample: Sample, change: Change) -> None:
    table = change["table"]
    key = key_template(sample, table, change["key"]) or "*"
    known = rows.setdefault((table, key), Touched(table, key))
    if change["op"] == "delete":
        known.deleted = True
        return
    order = list(_schema(sample.world.bundle.domain, table))
    names = {*known.fields, *change["fields"]}
    place = {name: number for number, name in enumerate(order)}
    known.fields = dict.fromkeys(sorted(names, key=lambda name: (place.get(name, 999), name)))


def _schema(domain: Domain, table: str) -> Mapping[str, Any]:
    found = domain.tables[table].schema_.get("properties") if table in domain.tables else None
    return found if isinstance(found, Mapping) else {}


def key_template(sample: Sample, table: str, key: str) -> str | None:
    """A row's key by the slot that is bound to it, else by a slot's field that holds it."""
    intent, domain = sample.intent, sample.world.bundle.domain
    for slot, spec in intent.slots.items():
        if spec.table == table and sample.world.binding.get(slot) == key:
            return f"{{{slot}.{domain.tables[table].key}}}"
    for slot, row in sample.rows.items():
        for name, value in row.items():
            if value == key and name.isidentifier():
                return f"{{{slot}.{name}}}"
    return None


def expression(key: str) -> str:
    """A key's template as a condition writes it."""
    return key[1:-1] if key.startswith("{") and key.endswith("}") else f"'{key}'"


class Origins:
    """Where values come from that plans write: what is the same in every environment, or a slot's."""

    def __init__(self, found: Sequence[Sample]) -> None:
        self.found = found
        self.domain: Domain = found[0].world.bundle.domain
        self.told = set(_told(found[0].intent))
        self._made: list[Term] | None = None

    def of(self, table: str, name: str, values: Sequence[Any]) -> str | None:
        """An expression that says a field's value in every environment; None where nobody knows one."""
        if all(
            value == sample.world.base.clock.now.isoformat() for value, sample in self._with(values)
        ):
            return "now()"
        is_constant = all(same(values[0], other) for other in values)
        said = self._constant(table, name, values[0]) if is_constant else None
        if said is not None and _is_plain(values[:1]):
            return said
        return self._key(table, name, values) or self._near(values) or said

    def _key(self, table: str, name: str, values: Sequence[Any]) -> str | None:
        """The slot of the row that a field refers to."""
        spec = self.domain.tables.get(table)
        target = (
            next((each.to for each in spec.references if each.from_ == name), "") if spec else ""
        )
        for slot, bound in self.found[0].intent.slots.items():
            if bound.table == target and all(
                sample.world.binding.get(slot) == value for value, sample in self._with(values)
            ):
                return f"{slot}.{self.domain.tables[target].key}"
        return None

    def _near(self, values: Sequence[Any]) -> str | None:
        """A field of a slot, or of a row that it refers to."""
        if all(value is None or isinstance(value, bool) for value in values):
            return None
        for term in self._terms():
            if all(
                other is not FAILED and same(value, other)
                for value, other in zip(values, term.values, strict=True)
            ):
                return term.text
        return None

    def _with(self, values: Sequence[Any]) -> Iterator[tuple[Any, Sample]]:
        return zip(values, self.found, strict=True)

    def _terms(self) -> list[Term]:
        if self._made is None:
            terms = Terms(self.found)
            made = [*terms.fields(), *terms.hops()]
            self._made = sorted(made, key=lambda term: term.cost)
        return self._made

    def moved(self, key: str, name: str, values: Sequence[Any]) -> str | None:
        """A number of a slot's row that is more or less by the same everywhere: `ticket.level + 1`."""
        slot = key.strip("{}").partition(".")[0]
        before = [sample.rows.get(slot, {}).get(name) for sample in self.found]
        if not all(map(_is_number, [*before, *values])):
            return None
        steps = {round(value - old, 6) for value, old in zip(values, before, strict=True)}
        step = steps.pop()
        if steps or not step:
            return None
        shape = _schema(self.domain, self.found[0].intent.slots[slot].table).get(name) or {}
        size = f"{abs(step)}" if shape.get("type") == "number" else f"{abs(int(step))}"
        return f"{slot}.{name} {'+' if step > 0 else '-'} {size}"

    def _constant(self, table: str, name: str, value: Any) -> str | None:
        """What the schema lists, what is true or false, and texts and numbers that the plan or the user gives."""
        shape = _schema(self.domain, table).get(name)
        shape = shape if isinstance(shape, Mapping) else {}
        if isinstance(value, bool) or value is None or "enum" in shape:
            return literal(value)
        if isinstance(value, (int, float)):
            is_number = shape.get("type") == "number"
            said = f"{float(value)}" if is_number else literal(value)
            return said if self._is_told(value) else None
        return literal(value) if self._is_told(value) else None

    def _is_told(self, value: Any) -> bool:
        return str(value) in self.told or any(str(value) in text for text in self.told)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_plain(values: Sequence[Any]) -> bool:
    """Whether values are the same few words everywhere that any row may have: then they are no slot's."""
    return all(isinstance(value, (bool, int, float)) or value is None for value in values)


def _told(intent: Intent) -> Iterator[str]:
    """Texts of the plans and of the user that hold no template."""
    yield intent.instruction
    for steps in intent.plans.values():
        for step in steps:
            yield from (text for text in texts(step.args) if "{" not in text)
            yield from (str(value) for value in step.args.values())
    if intent.user is not None:
        yield from texts(dict(intent.user.knows))
        yield from (line.says for line in intent.user.script)
