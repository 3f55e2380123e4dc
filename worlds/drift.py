"""Drift: whether an environment still asks for the same, of the same rows, with the same effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from worlds.canonical import canonical
from worlds.diff import Diff, masked, without_volatile
from worlds.step import Episode
from worlds.template import TemplateInvalid, TemplateUnfilled, as_text
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
    said = [_told(world, rendered=True) for world in (before, after)]
    if None in said:  # what cannot be filled in was never read: then the templates are compared
        said = [_told(world, rendered=False) for world in (before, after)]
    if said[0] != said[1]:
        yield Drift("instruction", str(said[0]), str(said[1]))


def _told(world: World, *, rendered: bool) -> str | None:
    """All that the user wants, knows and says, whenever that is said; None where it cannot be filled in."""
    intent = world.bundle.intent
    said: list[tuple[str, Any]] = [("", intent.instruction)]
    if intent.user is not None:
        user = intent.user
        said += [("Opens: ", user.opens), ("Brief: ", user.brief)]
        said += [(f"Knows {topic}: ", value) for topic, value in sorted(user.knows.items())]
        said += [("Says: ", line.says) for line in user.script]
    try:
        return "\n".join(
            name + as_text(world.rendered(text) if rendered else text)
            for name, text in said
            if text
        )
    except (TemplateInvalid, TemplateUnfilled):
        return None


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
