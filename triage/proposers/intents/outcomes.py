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
WORDS: dict[Outcome, str] = {
    "handed_off": r"hands?(?:ed)? (?:it )?(?:off|over)|transfer|pass(?:es|ed)? it on|human|is for .* to decide",
    "refused": r"refus|den(?:y|ied)|declin|must not|may not|never|not allowed|cannot be|only",
    "impossible": r"impossible|cannot|say so|no such|nothing fits",
}
"""By which sentences of rules may be known that speak of an end."""


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
    words = WORDS.get(outcome)
    for rule in case.seen[0].bundle.rules if words else ():
        for sentence in re.split(r"(?<=[.!?])\s+", rule.text[:20_000]):
            if re.search(rf"\b(?:{words})", sentence, re.IGNORECASE):
                return f"The rules: {quoted(sentence)}"
    return ""
