"""Drift: whether an environment still asks for the same, of the same rows, with the same effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import jsonschema_rs

from worlds.canonical import canonical
from worlds.contract import row_validator
from worlds.diff import Diff, masked, without_volatile
from worlds.records import Row
from worlds.step import Episode
from worlds.template import TemplateInvalid, TemplateUnfilled, as_text, render
from worlds.world import World


class Drift(NamedTuple):
    """One thing that an environment no longer says as it did."""

    what: Literal["instruction", "binding", "effect"]
    before: str
    after: str
    """Words; of a binding and of an effect, JSON."""


def drift(
    before: World, after: World, plans: tuple[Episode | None, Episode | None] = (None, None)
) -> list[Drift]:
    """What differs between an environment and what would become of it. `plans` are the reference's episodes in
    both: where the goal asks for the plan's effect and none is pinned, they show it."""
    return [*_instruction(before, after), *_binding(before, after), *_effect(before, after, plans)]


def _instruction(before: World, after: World) -> Iterator[Drift]:
    one, other = _told(before, before.rows), _told(after, after.rows)
    if None in (
        one,
        other,
    ):  # what cannot be filled in was never read: then the templates are compared
        one, other = _told(before, None), _told(after, None)
    if one == other or (_told(before, after.rows) == other and _were_wrong(before, after)):
        return
    yield Drift("instruction", str(one), str(other))


def _told(world: World, rows: Mapping[str, Row] | None) -> str | None:
    """All that the user wants, knows and says, whenever that is said, filled in from rows where there are any; None
    where that cannot be done."""
    intent = world.bundle.intent
    said: list[tuple[str, Any]] = [("", intent.instruction)]
    if intent.user is not None:
        user = intent.user
        said += [("Opens: ", user.opens), ("Brief: ", user.brief)]
        said += [(f"Knows {topic}: ", value) for topic, value in sorted(user.knows.items())]
        said += [("Says: ", line.says) for line in user.script]
    try:
        return "\n".join(
            name + as_text(text if rows is None else render(text, rows))
            for name, text in said
            if text
        )
    except (TemplateInvalid, TemplateUnfilled):
        return None


def _were_wrong(before: World, after: World) -> bool:
    """Whether all rows that say something else now broke the contract: what such a row says is nothing to ask for."""
    domain, slots = before.bundle.domain, before.bundle.intent.slots
    changed = [name for name, row in before.rows.items() if row != after.rows.get(name)]
    tables = {name: domain.tables.get(slots[name].table) for name in changed}
    return all(
        table is not None and _is_wrong(table.schema_, before.rows[name])
        for name, table in tables.items()
    )


def _is_wrong(schema: dict[str, Any], row: Row) -> bool:
    try:
        return not row_validator(schema).is_valid(row)
    except jsonschema_rs.ValidationError:
        return False  # the schema is none: `worlds.recordcheck` tells


def _binding(before: World, after: World) -> Iterator[Drift]:
    if before.unbound or after.unbound:
        return  # a row is there now, or none any longer: the checks tell
    pin = after.bundle.manifest.pin
    if after.binding == before.binding or after.rows == before.rows:
        return  # the same rows, even where another field tells them apart
    if pin is not None and after.binding == pin.binding:
        return  # back at what was fixed when it was composed is no step away from it
    yield Drift("binding", canonical(before.binding), canonical(after.binding))


def _effect(
    before: World, after: World, plans: tuple[Episode | None, Episode | None]
) -> Iterator[Drift]:
    one, other = (_expected(w, e) for w, e in zip((before, after), plans, strict=True))
    if one != other and not (_is_unknown(before, one) or _is_unknown(after, other)):
        yield Drift("effect", canonical(one), canonical(other))


def _expected(world: World, plan: Episode | None) -> Diff | None:
    """What a goal that asks for the plan's effect expects; None where it does not ask, or nobody knows."""
    if not world.bundle.intent.goal.matches_plan:
        return None
    pin = world.bundle.manifest.pin
    if pin is not None and pin.effect is not None:
        return pin.effect
    domain = world.bundle.domain
    return None if plan is None else masked(without_volatile(plan.diff, domain.volatile), domain)


def _is_unknown(world: World, expected: Diff | None) -> bool:
    return world.bundle.intent.goal.matches_plan and expected is None
