"""A plan beside the episode that the reference made of it: which step lacked what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from worlds.conditions import Shape
from worlds.intent import Finish, PlanStep
from worlds.slots import shapes
from worlds.static import has_field
from worlds.step import Episode, Step
from worlds.template import TemplateInvalid, TemplateUnfilled, placeholders, render
from worlds.world import World


@dataclass(frozen=True)
class PlayedStep:
    """A step of the plan and what became of it."""

    number: int
    """In the plan as the intent has it."""
    planned: PlanStep
    step: Step
    lacks: tuple[str, ...] = ()
    """What its templates name and did not get, a sentence each: it was played with braces in it."""
    is_cause: bool = False
    """Whether something that it lacks should have come from a step that went well, or from a slot's row."""


def played_plan(world: World, episode: Episode) -> list[PlayedStep]:
    """The steps of the world's plan that an episode of the reference got to."""
    key = world.plan_key
    plan = world.bundle.intent.plans[key] if key else []
    acted = [step for step in episode.steps if step.kind != "hear"]
    return list(_walked(world, list(zip(_in_order(plan), acted, strict=False))))


def _in_order(plan: Sequence[PlanStep]) -> Iterator[tuple[int, PlanStep]]:
    """As the reference plays it: the finish, where there is one, comes last."""
    numbered = list(enumerate(plan))
    yield from ((number, step) for number, step in numbered if step.finish is None)
    finish = next(((n, step) for n, step in numbered if step.finish is not None), None)
    yield finish or (len(numbered), PlanStep(finish=Finish()))


def _walked(
    world: World, pairs: Sequence[tuple[tuple[int, PlanStep], Step]]
) -> Iterator[PlayedStep]:
    names: dict[str, Any] = dict(world.rows)
    rows = shapes(world.bundle.intent, world.bundle.domain)
    lost: set[str] = set()
    for (number, planned), step in pairs:
        lacking = list(_lacking(planned, names))
        causes = [
            path
            for path, _ in lacking
            if _head(path) in names.keys() - lost and _is_allowed(rows.get(_head(path)), path)
        ]
        lacks = tuple(why for _, why in lacking)
        yield PlayedStep(number, planned, step, lacks, bool(causes))
        if planned.as_:
            if step.status == "ok":
                names[planned.as_] = step.result
            if step.status != "ok" or lacks:
                lost.add(planned.as_)
            else:
                lost.discard(planned.as_)


def _lacking(planned: PlanStep, names: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Paths that lead nowhere, each with why."""
    finish = planned.finish
    said = [planned.args, planned.say] + ([finish.answer, finish.message] if finish else [])
    try:
        paths = placeholders(said)
    except TemplateInvalid:
        return  # `worlds.static` tells
    for path in paths:
        try:
            render(f"{{{path}}}", names)
        except TemplateUnfilled as why:
            yield path, str(why)


def _is_allowed(row: Shape, path: str) -> bool:
    """Whether the schema of a slot's row has the field: else `worlds.static` tells."""
    return has_field(row, path.partition(".")[2])


def _head(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]
