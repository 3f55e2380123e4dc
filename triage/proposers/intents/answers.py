"""Typed answers: what the goal expects where the plan answers otherwise, or answers what the goal does not ask for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Any

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.intents.celtext import is_named, literal, sides
from triage.proposers.intents.intentedit import GONE, IntentEdit, Place, Said, alike, quoted
from triage.proposers.intents.sample import FAILED, Sample, samples
from triage.proposers.intents.terms import Terms
from worlds.answers import same_answer
from worlds.intent import AnswerType, Intent

NAME = "typed answers"
MOST = 8
"""Expressions proposed for one answer."""
MOST_BORROWED = 400
ASKED = re.compile(r"(?:[Tt]ell me|[Ll]et me know|want to know|[Gg]ive me|[Ss]ay)\b[^.?!]*")
TYPES: tuple[AnswerType, ...] = (
    "string", "number", "integer", "boolean", "date", "datetime", "list",
)  # fmt: skip


@dataclass(frozen=True)
class Found:
    """An expression that says what the plan answers, wherever it was looked at."""

    text: str
    likelihood: float
    authority: str = ""


def typed_answers(case: Case, spot: Spot) -> Iterator[Candidate]:
    """For answers that the plan gives and the goal does not ask for, or expects otherwise."""
    edit = IntentEdit.of(NAME, case, spot)
    if edit is None or not case.codes & {
        "arguments-invalid", "plan-misses-goal", "condition-invalid", "name-unknown", "goal-vacuous",
        "goal-trivial", "spelling-sensitive", "goal-unreachable", "goal-blind",
    }:  # fmt: skip
        return
    found = [sample for sample in samples(case, spot.name) if sample.answer]
    if not found:
        return
    asked = edit.intent.goal.answer
    missing = [name for name in found[0].answer if name not in asked]
    if missing:
        yield from _restored(case, edit, found, missing)
    for name in asked:
        if any(_is_wrong(sample, name) for sample in found):
            yield from _corrected(case, edit, found, name)


def _is_wrong(sample: Sample, name: str) -> bool:
    asked = sample.intent.goal.answer[name]
    wanted = sample.value(asked.equals)
    given = sample.answer.get(name, FAILED)
    return wanted is FAILED or not same_answer(asked.type, given, wanted)


def _restored(
    case: Case, edit: IntentEdit, found: Sequence[Sample], missing: Sequence[str]
) -> Iterator[Candidate]:
    """Ask for what the plan answers: one name after another, each with what fits best, then the next best."""
    choices = {}
    for name in missing:
        kind, fits = _fitting(case, edit.intent, found, name)
        if fits:
            choices[name] = (kind, fits)
    if choices:
        first = max(len(fits) for _, fits in choices.values())
        for number in range(first):
            picked = {n: (k, f[min(number, len(f) - 1)]) for n, (k, f) in choices.items()}
            yield from _asking(case, edit, picked)
    yield from _unanswered(edit, missing)


def _asking(
    case: Case, edit: IntentEdit, picked: Mapping[str, tuple[AnswerType, Found]]
) -> Iterator[Candidate]:
    edits: dict[Place, Any] = {}
    for name, (kind, fit) in picked.items():
        unit = _unit(case, name, fit.text)
        spec = {"type": kind, "equals": fit.text} | ({"unit": unit} if unit else {})
        edits["goal", "answer", name] = spec
    names = ", ".join(f"`{name}`" for name in picked)
    likelihood = min(fit.likelihood for _, fit in picked.values())
    authority = next((fit.authority for _, fit in picked.values() if fit.authority), "")
    question = _question(edit.intent.instruction)
    yield from edit.candidates(
        edits,
        Said(
            f"Ask for the answer {names} that the plan gives",
            likelihood,
            authority or (f"The instruction asks: {quoted(question)}" if question else ""),
            f"The plan answers {names}, and the goal does not ask for it: "
            + "; ".join(f"{n} is {fit.text}" for n, (_, fit) in picked.items()),
        ),
    )


def _question(text: str) -> str:
    """The last sentence that asks something."""
    asked = re.findall(r"(?:\{[^}]*\}|[.](?=\w)|[^.?!{])+\?", text)
    told = ASKED.findall(text)
    return str((asked or told or [""])[-1]).strip()


def _unanswered(edit: IntentEdit, missing: Sequence[str]) -> Iterator[Candidate]:
    """The plans without answers that nobody asks for: right only where the instruction asks nothing."""
    edits: dict[Place, Any] = {
        ("plans", plan, number, "finish", "answer", name): GONE
        for plan, steps in edit.intent.plans.items()
        for number, step in enumerate(steps)
        for name in (step.finish.answer if step.finish else ())
        if name in missing
    }
    asks = bool(_question(edit.intent.instruction))
    said = Said("Take out of the plans what nobody asks for", 0.05 if asks else 0.35)
    yield from edit.candidates(edits, said)


def _corrected(
    case: Case, edit: IntentEdit, found: Sequence[Sample], name: str
) -> Iterator[Candidate]:
    asked = edit.intent.goal.answer[name]
    kind, fits = _fitting(case, edit.intent, found, name)
    for fit in fits:
        likeness = alike(fit.text, asked.equals)
        edits: dict[Place, Any] = {("goal", "answer", name, "equals"): fit.text}
        if kind != asked.type and not _says(found, name, fit.text, asked.type):
            edits["goal", "answer", name, "type"] = kind
        said = Said(
            f"Expect `{fit.text}` as the answer `{name}`",
            fit.likelihood * (0.6 + 0.4 * likeness),
            fit.authority,
            f"That is what the plan answers in {len(found)} environments; “{asked.equals}” is not",
        )
        yield from edit.candidates(edits, said)
    for other in TYPES:
        if other != asked.type and _says(found, name, asked.equals, other):
            said = Said(f"Take the answer `{name}` as {other}", 0.8 if other == kind else 0.5)
            yield from edit.candidates({("goal", "answer", name, "type"): other}, said)


def _says(found: Sequence[Sample], name: str, text: str, kind: AnswerType) -> bool:
    return all(same_answer(kind, sample.answer.get(name), sample.value(text)) for sample in found)


def _fitting(
    case: Case, intent: Intent, found: Sequence[Sample], name: str
) -> tuple[AnswerType, list[Found]]:
    """The type of what the plan answers, and expressions that say it in every environment, the likeliest first."""
    given = [sample.answer.get(name) for sample in found]
    kind = _kind(given)
    made = {fit.text: fit for fit in (*_made(intent, found, name, given, kind),)}
    for fit in _borrowed(case, intent):
        if fit.text not in made or fit.likelihood > made[fit.text].likelihood:
            made[fit.text] = fit
    ranked = sorted(made.values(), key=lambda fit: (-fit.likelihood, len(fit.text), fit.text))
    fits = (fit for fit in ranked if _says(found, name, fit.text, kind))
    return kind, list(islice(fits, MOST))


def _made(
    intent: Intent, found: Sequence[Sample], name: str, given: Sequence[Any], kind: AnswerType
) -> Iterator[Found]:
    told = " ".join([name.replace("_", " "), _question(intent.instruction)])
    for term in Terms(found).all():
        pairs = zip(given, term.values, strict=True)
        if all(other is not FAILED and same_answer(kind, one, other) for one, other in pairs):
            yield Found(term.text, _trust(term.text, term.cost, told, given))
    for text in _sides(intent):
        yield Found(text, 0.6)
    if len({repr(value) for value in given}) == 1 and _is_literal(intent, name):
        said = literal(given[0])
        if said is not None:
            yield Found(said, 0.15)


def _trust(text: str, cost: int, told: str, given: Sequence[Any]) -> float:
    """Near ones before far ones, those of which the question speaks before others; that two small numbers are equal
    says little."""
    words = {word.lower() for word in re.findall(r"[A-Za-z]{3,}", told)}
    own = re.findall(r"[A-Za-z]{3,}", text.replace("_", " ").lower())
    spoken = sum(any(w.startswith(word[:5]) for w in words) for word in dict.fromkeys(own))
    small = all(isinstance(value, (int, float)) and abs(value) < 3 for value in given)
    return max(0.05, 0.8 - 0.06 * cost + 0.04 * min(spoken, 4) - (0.2 if small else 0.0))


def _is_literal(intent: Intent, name: str) -> bool:
    """Whether a plan answers a constant."""
    finishes = (step.finish for steps in intent.plans.values() for step in steps if step.finish)
    values = [finish.answer[name] for finish in finishes if name in finish.answer]
    return bool(values) and not any("{" in str(value) for value in values)


def _sides(intent: Intent) -> Iterator[str]:
    """What the goal's own requirements compare with."""
    for text in intent.goal.require:
        yield from sides(text) or ()


def _borrowed(case: Case, intent: Intent) -> Iterator[Found]:
    """What other intents of the domain expect, where all that they name is here too."""
    others = [body for _, body in sorted(case.others.items()) if isinstance(body, Intent)]
    others += [each.bundle.intent for each in (*case.seen, *case.sound)]
    answers = (
        (other, name, spec)
        for other in others
        if other is not intent
        for name, spec in other.goal.answer.items()
    )
    for other, name, spec in islice(answers, MOST_BORROWED):
        named = [slot for slot in other.slots if is_named(spec.equals, slot)]
        if all(
            slot in intent.slots and intent.slots[slot].table == other.slots[slot].table
            for slot in named
        ):
            title = quoted(other.instruction, 60)
            yield Found(spec.equals, 0.85, f"The intent {title} expects so as its answer `{name}`")


def _unit(case: Case, name: str, text: str) -> str | None:
    """The unit in which other intents ask for an answer of that name or of that value."""
    for _, body in sorted(case.others.items()):
        for other, spec in body.goal.answer.items() if isinstance(body, Intent) else ():
            if spec.unit and (other == name or spec.equals == text):
                return spec.unit
    return None


def _kind(values: Sequence[Any]) -> AnswerType:
    if all(isinstance(value, bool) for value in values):
        return "boolean"
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return "integer"
    if all(_is_finite(value) for value in values):
        return "number"
    if all(isinstance(value, list) for value in values):
        return "list"
    if all(_is_date(value) for value in values):
        return "date"
    return "datetime" if all(_is_moment(value) for value in values) else "string"


def _is_finite(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


def _is_date(value: Any) -> bool:
    try:
        return isinstance(value, str) and len(value) == 10 and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _is_moment(value: Any) -> bool:
    try:
        return isinstance(value, str) and "T" in value and bool(datetime.fromisoformat(value))
    except ValueError:
        return False
