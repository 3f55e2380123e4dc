"""What a plan writes and only a line of the user's script says, which is never said to it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

from worlds.citation import cited
from worlds.findings import Finding, finding
from worlds.known import COMPOSED, Known
from worlds.moments import as_moment, days
from worlds.relations.subject import texts
from worlds.step import Episode, Step
from worlds.template import TemplateInvalid, TemplateUnfilled, as_text
from worlds.world import World


def unheard_findings(world: World, reference: Episode) -> Iterator[Finding]:
    """One for each such line, of an episode that met the goal: whoever waits for the line cannot do it."""
    user = world.bundle.intent.user
    said = [step.text for step in reference.steps if step.kind == "hear"]
    writes = [step for step in reference.steps if step.status == "ok" and step.changes]
    for number, line in enumerate(user.script if user else ()):
        try:
            says = as_text(world.rendered(line.says))
        except (TemplateInvalid, TemplateUnfilled):
            continue  # a finding of its own
        if says in said:
            continue
        used = next(_used(world, reference, says, writes), None)
        if used is not None:
            yield _finding(world, reference, number, *used)


def _used(
    world: World, reference: Episode, says: str, writes: list[Step]
) -> Iterator[tuple[Step, str]]:
    """The writes with a text that the line says and nothing else does."""
    line, told, shown = (Known(world.base.clock.now) for _ in range(3))
    line.hear(says)
    for text in _told(world, reference):
        told.hear(text)
    for step in (step for step in reference.steps if step.kind == "call"):
        for text in texts(step.args) if step in writes else ():
            day = _day(text)
            if day is not None:
                if day in days(says, line.moments.years) and day not in told.moments.days:
                    yield step, text
            elif (
                _is_telling(text) and line.says(text) and not (told.says(text) or shown.says(text))
            ):
                yield step, text
        shown.learn(step.result)  # what it wrote itself comes too late


def _told(world: World, reference: Episode) -> Iterator[str]:
    """What the user said, and what they answer when they are asked."""
    user = world.bundle.intent.user
    yield world.opening
    yield from (step.text for step in reference.steps if step.kind == "hear")
    for template in user.knows.values() if user else ():
        yield as_text(world.rendered(template))


def _day(text: str) -> date | None:
    """The day that a text is, and nothing more: that a read shows one is no reason to choose it."""
    moment = as_moment(text)
    return None if isinstance(moment, datetime) else moment


def _is_telling(text: str) -> bool:
    """Whether a text is no word that anybody may use."""
    return len(text.split()) >= COMPOSED or any(map(str.isdigit, text))


def _finding(world: World, reference: Episode, number: int, step: Step, text: str) -> Finding:
    place = f"user.script[{number}].when"
    return finding(
        "argument-ungrounded",
        "intent",
        world.bundle.manifest.intent.slug,
        place=place,
        symbol=place,
        message=f"The plan uses {text!r} (step {step.index}, {step.tool}), which only this line says, and the plan"
        " never gets to hear the line: its condition does not come about.",
        evidence=cited(reference, step.index, tool=step.tool, values=[text]),
    )
