"""How it is to end: the goal says one thing, the plans another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.intents.intentedit import IntentEdit, Place, Said, quoted
from worlds.intent import Intent, Outcome

NAME = "outcomes"
WORDS: dict[Outcome, re.Pattern[str]] = {
    "handed_off": re.compile(r"[^.\n]*\b(?:hand(?:s|ed)?\s+(?:it\s+)?(?:off|over)|transfer|pass(?:es|ed)? (?:it )?on|escalat|forward|human)[^.\n]*", re.I),
    "refused": re.compile(r"[^.\n]*\b(?:refus|den(?:y|ied)|declin|must not|may not|never|not allowed|cannot be|only)\b[^.\n]*", re.I),
    "impossible": re.compile(r"[^.\n]*\b(?:impossible|cannot|say so|no such|nothing (?:fits|free))\b[^.\n]*", re.I),
}  # fmt: skip


def outcomes(case: Case, spot: Spot) -> Iterator[Candidate]:
    """For goals that the plans end otherwise than, and for goals that say nothing of the end."""
    edit = IntentEdit.of(NAME, case, spot)
    if edit is None or not case.codes & {
        "plan-misses-goal", "goal-trivial", "goal-vacuous", "goal-blind", "goal-unreachable",
    }:  # fmt: skip
        return
    asked, planned = edit.intent.goal.outcome, _planned(edit.intent)
    for outcome in dict.fromkeys(planned.values()):
        if outcome == asked:
            continue
        share = list(planned.values()).count(outcome) / len(planned)
        said = Said(
            f"Ask that it ends as {outcome}",
            (0.45 + 0.5 * share) if asked is not None else 0.6,
            _clause(case, outcome),
            f"So end {list(planned.values()).count(outcome)} of {len(planned)} plans",
        )
        yield from edit.candidates({("goal", "outcome"): outcome}, said)
    if asked is not None and any(outcome != asked for outcome in planned.values()):
        yield from _followed(case, edit, asked)


def _planned(intent: Intent) -> dict[str, Outcome]:
    """Plan → how it ends."""
    return {
        name: next((step.finish.outcome for step in steps if step.finish), "done")
        for name, steps in intent.plans.items()
    }


def _followed(case: Case, edit: IntentEdit, asked: Outcome) -> Iterator[Candidate]:
    """The plans with the end that the goal asks for."""
    edits: dict[Place, Any] = {
        ("plans", plan, number, "finish", "outcome"): asked
        for plan, steps in edit.intent.plans.items()
        for number, step in enumerate(steps)
        if step.finish is not None and step.finish.outcome != asked
    }
    wrong = sum(outcome != asked for outcome in _planned(edit.intent).values())
    alone = wrong < len(edit.intent.plans)
    said = Said(f"End the plan as {asked}", 0.7 if alone else 0.25, _clause(case, asked))
    yield from edit.candidates(edits, said)


def _clause(case: Case, outcome: Outcome) -> str:
    """A sentence of the rules that speaks of such an end."""
    pattern = WORDS.get(outcome)
    for rule in case.seen[0].bundle.rules if pattern else ():
        found = pattern.search(rule.text[:20_000]) if pattern else None
        if found:
            return f"The rules: {quoted(found.group().strip())}"
    return ""
