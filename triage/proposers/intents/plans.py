"""Plans: tools, arguments and paths that there are not, steps that are too many, and ways that the search found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from triage.planedits import with_known_arguments
from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Seen, Spot
from triage.proposers.intents.intentedit import GONE, IntentEdit, Place, Said, closest, edited
from triage.proposers.intents.planpaths import paths_to, templated, walked
from triage.proposers.intents.sample import replayed
from worlds.intent import PlanStep
from worlds.step import Episode, Step
from worlds.world import ASK_USER, World

NAME = "plans"
CODES = {
    "arguments-invalid", "name-unknown", "plan-refused", "plan-misses-goal", "plan-breaks-rule", "idle-step",
    "argument-ungrounded", "goal-unreachable",
}  # fmt: skip
MOST_TRIED = 40
"""Plans that are played."""
Edit = tuple[dict[Place, Any], Said]


def plans(case: Case, spot: Spot) -> Iterator[Candidate]:
    """What brings the plan to the goal first."""
    edit = IntentEdit.of(NAME, case, spot)
    if edit is None or not case.codes & CODES:
        return
    seen = next(iter(case.users(spot.name)), None)
    if seen is None or seen.world.unbound is not None or seen.world.plan_key is None:
        return
    for edits, said in islice(_edits(seen, edit), MOST_TRIED):
        changed = edited(edit.intent, edits)
        episode = replayed(seen, {edit.name: changed}) if changed is not None else None
        if _is_met(episode):
            yield from edit.candidates(edits, said)


def _is_met(episode: Episode | None) -> bool:
    """Whether it gets to the goal and no call on the way is refused."""
    if episode is None or episode.verdict is None or episode.verdict.reward != 1:
        return False
    return all(step.status == "ok" for step in episode.steps if step.kind == "call")


def _edits(seen: Seen, edit: IntentEdit) -> Iterator[Edit]:
    world = seen.world
    plan = world.plan_key or "default"
    steps = edit.intent.plans[plan]
    schemas = {name: tool.schema for name, (_, _, tool) in world.tools.items()}
    renamed = with_known_arguments(edit.intent, plan, schemas)
    if renamed is not None:
        document = renamed[0].content()["plans"][plan]
        says = f"Call by the arguments that there are: {'; '.join(renamed[1])}"
        yield {("plans", plan): document}, Said(says, 0.9, "The tools’ schemas")
    yield from _named(world, plan, steps)
    yield from _filled(seen, plan, steps)
    yield from _shorter(plan, steps, seen.reference)
    yield from _swapped(plan, steps)
    if seen.proof is not None:
        yield from _proven(world, plan, seen.proof)


def _named(world: World, plan: str, steps: Sequence[PlanStep]) -> Iterator[Edit]:
    """Tools that are not there, and values that the schema does not list."""
    for number, step in enumerate(steps):
        if step.call is None or step.call == ASK_USER:
            continue
        there = sorted(world.tools)
        others = closest(step.call, there, 0.4)[:4]
        for other in others:
            rate = 0.85 if step.call not in world.tools else 0.3
            says = f"Call {other} in step {number}, not {step.call}"
            yield {("plans", plan, number, "call"): other}, Said(says, rate)
        if step.call in world.tools:
            yield from _listed(world, plan, number, step)


def _listed(world: World, plan: str, number: int, step: PlanStep) -> Iterator[Edit]:
    schema = world.tools[step.call or ""][2].schema
    for name, value in step.args.items():
        shape = schema.get("properties", {}).get(name)
        place: Place = ("plans", plan, number, "args", name)
        if shape is None:
            yield (
                {place: GONE},
                Said(f"Call {step.call} without `{name}`", 0.6, f"The schema of {step.call}"),
            )
            continue
        allowed = shape.get("enum") if isinstance(shape, Mapping) else None
        if allowed and isinstance(value, str) and "{" not in value and value not in allowed:
            near = closest(value, [str(each) for each in allowed], 0.0)[:4]
            for other in near:
                says = f"Give {step.call} {name} {other!r}, not {value!r}"
                yield {place: other}, Said(says, 0.85, f"The schema of {step.call}.{name}")
        yield from _typed(place, step, name, value, shape)


def _typed(place: Place, step: PlanStep, name: str, value: Any, shape: Any) -> Iterator[Edit]:
    """The value in the type that is asked for."""
    kind = shape.get("type") if isinstance(shape, Mapping) else None
    said = Said(f"Give {step.call} {name} as {kind}", 0.85, f"The schema of {step.call}.{name}")
    if kind == "array" and not isinstance(value, list) and "{" not in str(value):
        yield {place: [value]}, said
    elif kind == "string" and isinstance(value, (int, float)) and not isinstance(value, bool):
        yield {place: str(value)}, said
    elif (
        kind in ("integer", "number")
        and isinstance(value, str)
        and re.fullmatch(r"-?\d+(\.\d+)?", value)
    ):
        yield {place: float(value) if "." in value else int(value)}, said
    elif kind == "boolean" and str(value).lower() in ("true", "false", "yes", "no"):
        yield {place: str(value).lower() in ("true", "yes")}, said


def _filled(seen: Seen, plan: str, steps: Sequence[PlanStep]) -> Iterator[Edit]:
    """Templates that lead nowhere, or elsewhere, by the paths most like them; required arguments that are lacking."""
    world = seen.world
    names: dict[str, Any] = dict(world.rows)
    results = _results(steps, seen.reference)
    for number, step in enumerate(steps):
        if step.call in world.tools:
            schema = world.tools[step.call][2].schema
            for name in schema.get("required", ()):
                if name not in step.args:
                    for path in paths_to(names, name)[:4]:
                        says = f"Give {step.call} {name} {{{path}}}"
                        place: Place = ("plans", plan, number, "args", name)
                        yield {place: f"{{{path}}}"}, Said(says, 0.7, f"The schema of {step.call}")
        for at, text in _templates(plan, number, step):
            for likelihood, other in templated(text, names):
                says = f"Use {other} in step {number}, not {text}"
                yield {at: other}, Said(says, likelihood)
        if step.as_ and number in results:
            names[step.as_] = results[number]


def _results(steps: Sequence[PlanStep], episode: Episode | None) -> dict[int, Any]:
    """Number of a step of the plan → what its call returned."""
    return {n: s.result for n, s in _acted(steps, episode).items() if s.status == "ok"}


def _acted(steps: Sequence[PlanStep], episode: Episode | None) -> dict[int, Step]:
    """Number of a step of the plan → what came of it."""
    acted = [each for each in (episode.steps if episode else ()) if each.kind in ("call", "say")]
    numbers = [number for number, step in enumerate(steps) if step.finish is None]
    return dict(zip(numbers, acted, strict=False))


def _templates(plan: str, number: int, step: PlanStep) -> Iterator[tuple[Place, str]]:
    """Texts with a template in a step, with their places."""
    for name, value in step.args.items():
        if isinstance(value, str) and "{" in value:
            yield ("plans", plan, number, "args", name), value
    for name, value in step.finish.answer.items() if step.finish else ():
        if isinstance(value, str) and "{" in value:
            yield ("plans", plan, number, "finish", "answer", name), value


def _shorter(plan: str, steps: Sequence[PlanStep], episode: Episode | None) -> Iterator[Edit]:
    """Without a step that nothing after it needs."""
    acted = _acted(steps, episode)
    for number, step in enumerate(steps):
        rest = str([each.model_dump() for each in steps[number + 1 :]])
        if step.call and not (step.as_ and f"{{{step.as_}" in rest):
            says = f"Leave out step {number} of the plan, {step.call}"
            yield {("plans", plan, number): GONE}, Said(says, 0.5, _needless(acted.get(number)))


def _needless(step: Step | None) -> str:
    """What says that a step is no use: the tool that refused it, or changed nothing."""
    if step is None or step.kind != "call":
        return ""
    if step.status != "ok":
        return f"{step.tool} refuses it: “{str(step.result)[:200]}”"
    return "" if step.changes else f"{step.tool} answers it, and changes no row"


def _swapped(plan: str, steps: Sequence[PlanStep]) -> Iterator[Edit]:
    """Two steps after one another in the other order."""
    documents = [
        step.model_dump(mode="json", by_alias=True, exclude_defaults=True) for step in steps
    ]
    for number in range(len(steps) - 2):
        order = [*documents]
        order[number], order[number + 1] = order[number + 1], order[number]
        says = f"Take step {number + 1} of the plan before step {number}"
        yield {("plans", plan): order}, Said(says, 0.3)


def _proven(world: World, plan: str, proof: Episode) -> Iterator[Edit]:
    """The way that the search found, its values by where they come from."""
    names: dict[str, Any] = dict(world.rows)
    made: list[dict[str, Any]] = []
    for step in proof.steps:
        if step.kind == "hear":
            continue
        made.append(_planned(step, names, len(made)))
        if step.kind == "call" and step.status == "ok":
            names[f"found{len(made) - 1}"] = step.result
    said = Said(
        "Go the way that the search found",
        0.6,
        reason="It was found without the plan, and met the goal",
    )
    yield {("plans", plan): made}, said


def _planned(step: Step, names: Mapping[str, Any], number: int) -> dict[str, Any]:
    if step.kind == "say":
        return {"say": step.text}
    known = {name: _sourced(value, names) for name, value in step.args.items()}
    if step.kind == "finish":
        return {"finish": {"outcome": step.outcome, "answer": known, "message": step.text}}
    return {"call": step.tool, "args": known, "as": f"found{number}"}


def _sourced(value: Any, names: Mapping[str, Any]) -> Any:
    """A template that gives the value, else itself."""
    if isinstance(value, str) and len(value) > 1:
        found = next((path for path, other in walked(names) if other == value), None)
        if found is not None:
            return f"{{{found}}}"
    return value.replace("{", "{{").replace("}", "}}") if isinstance(value, str) else value
