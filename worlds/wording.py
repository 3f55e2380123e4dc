"""Facts to be stated that are no facts but one wording, which nobody can guess."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from worlds.citation import cited
from worlds.findings import Finding, finding
from worlds.known import COMPOSED, Known
from worlds.relations.subject import texts
from worlds.step import Episode
from worlds.template import TemplateInvalid, placeholders
from worlds.told import told
from worlds.world import World

WHEN = re.compile(
    r"\S*\d\S*|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|[ap]\.?m\.?|"
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*|on|at|of|the|and|from|to|until",
    re.IGNORECASE,
)
"""Words of which numbers, days and times are made."""


def wording_findings(world: World, reference: Episode) -> Iterator[Finding]:
    """One for each mention of an episode that met the goal which asks for words that stand nowhere else."""
    known: Known | None = None
    for number, template in enumerate(world.bundle.intent.goal.mentions):
        text = str(world.rendered(template))
        if _is_fact(template, text):
            continue
        known = known or _known(world, reference)
        if known.is_full or known.says(text):
            continue
        if not _is_dictated(world, text) and not _is_recorded(world, text):
            yield _finding(world, reference, f"goal.mentions[{number}]", text)


def _is_fact(template: Any, text: str) -> bool:
    """Whether it is short, or says numbers, moments or a row's value and nothing else."""
    words = text.split()
    if len(words) < COMPOSED or all(WHEN.fullmatch(word.strip(".,;()")) for word in words):
        return True
    try:
        paths = placeholders(template)
    except TemplateInvalid:
        return True  # a finding of its own
    return len(paths) == 1 and str(template).strip() == f"{{{paths[0]}}}"


def _known(world: World, reference: Episode) -> Known:
    """What the agent was told, and what it was shown."""
    known = Known(world.base.clock.now)
    for text in told(world):
        known.hear(text)
    known.learn({topic: dict(names) for topic, names in world.bundle.domain.glossary.items()})
    for step in reference.steps:
        known.learn(
            step.result if step.kind == "call" else step.text if step.kind == "hear" else ""
        )
    return known


def _is_dictated(world: World, text: str) -> bool:
    """Whether the rules, or what a tool says of itself, give these words as words to be said: behind a colon or a
    quotation mark. A sentence that is policy itself is known to all, and nobody says it to the letter."""
    given = [rule.text for rule in world.bundle.rules]
    given += [tool.description for _, _, tool in world.tools.values()]
    words = r"\s+".join(map(re.escape, text.split()))
    dictated = re.compile(rf"[:'\"“‘„«*`]\s*{words}", re.IGNORECASE)
    return any(dictated.search(each) for each in given)


def _is_recorded(world: World, text: str) -> bool:
    """Whether a row has it: another read may show it."""
    wanted = " ".join(text.split()).casefold()
    rows = (row for table in world.base.tables.values() for row in table.values())
    return any(wanted in " ".join(each.split()).casefold() for row in rows for each in texts(row))


def _finding(world: World, reference: Episode, place: str, text: str) -> Finding:
    last = reference.steps[-1].index
    return finding(
        "goal-narrow",
        "intent",
        world.bundle.manifest.intent.slug,
        place=place,
        symbol="goal wording",
        message=f"The goal is missed when the same is said in other words than {text!r}: the agent is not told these,"
        " and nothing that it reads has them.",
        evidence=cited(reference, last, wanted=text),
    )
