"""What one probed call shows: which clauses and invariants had a say in it, and which of them it broke."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from worlds.clauses import Asked, Clauses, CompiledClause, Moment, written
from worlds.conditions import Allowance, View, row_shape
from worlds.diff import Change
from worlds.play import Play
from worlds.recordcheck import Problem, RowCheck
from worlds.records import Row
from worlds.step import Call, Step
from worlds.writtenrows import broken_by


@dataclass(frozen=True)
class Ruling:
    """What a clause or an invariant says of a call that was carried out."""

    name: str
    """`rule/clause`, the invariant's id, or `table.field` of the schema or of a reference."""
    code: str
    """Of the finding where it is broken: `rule-unenforced`, `row-invalid` or `reference-dangling`."""
    is_broken: bool
    row: Mapping[str, Any]
    """The row that it speaks of: `{table, key, before, after}`, what did not change left out; empty for a call."""
    detail: str = ""
    failure: str = ""
    """Why a clause could not be asked: then it says nothing."""


def rulings(clauses: Clauses, before: Play, after: Play, call: Call) -> Iterator[Ruling]:
    """What there is to say of a call that led from one state to the other; it must have been carried out."""
    step = after.steps[-1]
    yield from _on_call(clauses, before, call)
    moment = _moment(before, after)
    for change in step.changes:
        asked = Asked(moment, written(moment, change))
        row = differing(asked["table"], asked["key"], asked["before"], asked["after"])
        for compiled in clauses.on("write"):
            yield from _ruling(compiled, asked, row)
    yield from _on_rows(before, after, step)


def _moment(before: Play, state: Play) -> Moment:
    """What clauses look at: what was said and done before the call, and the rows of a state."""
    view = View(state.records, before.now, Allowance())
    return Moment(view, state.actor, before.history, before.said, before.heard)


def _on_call(clauses: Clauses, before: Play, call: Call) -> Iterator[Ruling]:
    moment = _moment(before, before)
    asked = Asked(moment, {"call": {"tool": call.tool, "args": call.args}})
    for compiled in clauses.on("call"):
        yield from _ruling(compiled, asked, {})


def _ruling(compiled: CompiledClause, asked: Asked, row: Mapping[str, Any]) -> Iterator[Ruling]:
    failure = compiled.failure(asked)
    if failure is not None:
        text = f"its {failure.part} failed: {failure.why}"
        yield Ruling(compiled.name, "rule-unenforced", False, row, failure=text)
        return
    stands = compiled.stands(asked)
    if stands is not None:
        yield Ruling(compiled.name, "rule-unenforced", not stands, row)


def _on_rows(before: Play, after: Play, step: Step) -> Iterator[Ruling]:
    was = RowCheck(before.records, before.now, Allowance())
    now = RowCheck(after.records, before.now, Allowance())
    for change in step.changes:
        table, key = change["table"], change["key"]
        broken = list(broken_by(change, was, now))
        row = differing(table, key, *_sides(before, after, change))
        for problem in (each for each in broken if not each.failed):
            yield Ruling(_name(before, problem), problem.code, True, row, problem.message)
        told = {problem.invariant for problem in broken}  # or could not be told
        for invariant in before.world.bundle.domain.invariants:
            if invariant.table == table and invariant.id not in told:
                yield Ruling(invariant.id, "row-invalid", False, {})


def _name(play: Play, problem: Problem) -> str:
    """An invariant's id, or `table.field` as every row has it: `orders.items[].price`, `users.methods.*.balance`."""
    if problem.invariant:
        return problem.invariant
    shape: Any = row_shape(play.world.bundle.domain, problem.table)
    name = problem.table
    for step in filter(None, problem.field.split(".")):
        members = shape.get("properties", {}) if isinstance(shape, Mapping) else {}
        if step.isdigit():
            name, shape = f"{name}[]", shape.get("items") if isinstance(shape, Mapping) else None
        elif step in members or step.endswith("[]"):
            name, shape = f"{name}.{step}", members.get(step)
        else:
            name, shape = f"{name}.*", shape.get("additionalProperties") if shape else None
    return name


def _sides(before: Play, after: Play, change: Change) -> tuple[Row | None, Row | None]:
    table, key = change["table"], change["key"]
    return before.records.get(table, key), after.records.get(table, key)


def differing(table: str, key: str, before: Row | None, after: Row | None) -> dict[str, Any]:
    """A row on both sides, down to the members that differ."""
    if before is not None and after is not None:
        before, after = _less(before, after), _less(after, before)
    return {"table": table, "key": key, "before": before, "after": after}


def _less(value: Any, other: Any) -> Any:
    if not isinstance(value, dict) or not isinstance(other, dict):
        return value
    return {
        name: _less(item, other[name]) if name in other else item
        for name, item in value.items()
        if name not in other or item != other[name]
    }
