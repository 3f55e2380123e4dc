"""Conditions of intents: what a goal requires, how an answer is reckoned, which rows fit, when the user speaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.conditions.edits import edits
from triage.proposers.conditions.vocabulary import Vocabulary
from worlds.intent import Intent

NAME = "goal-conditions"
MOST = 200
BESIDE = 0.25
"""How suspicious a condition is that nobody names, against one that findings name."""


class _Place(NamedTuple):
    """Where a condition stands in an intent."""

    path: str
    """As findings say it."""
    text: str


def propose(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Edits of conditions, those that are named first."""
    body = case.body(spot.name)
    if not isinstance(body, Intent):
        return
    places = list(_places(body))
    found = []
    for place in places:
        weight = 1.0 if _is_named(case, spot, place) else BESIDE
        words = _words(case, body, place)
        siblings = [each.text for each in places if each.path != place.path]
        for edit in edits(place.text, words, siblings):
            authority = edit.authority or ("" if weight < 1 else _said(body))
            says = f"Let `{place.path}` say what it did, with {edit.says}"
            likelihood = max(0.01, edit.likelihood * weight)
            found.append((likelihood, place, edit.text, says, authority))
    found.sort(key=lambda each: -each[0])
    for likelihood, place, text, says, authority in islice(found, MOST):
        changed = {spot.name: _with(body, place.path, text)}
        yield Candidate(NAME, changed, says, authority, likelihood)


def _said(body: Intent) -> str:
    return f"the instruction: “{' '.join(body.instruction.split())[:300]}”"


def _words(case: Case, body: Intent, place: _Place) -> Vocabulary:
    made = Vocabulary.of_intent(case.seen[0].bundle.domain, body)
    if not place.path.startswith("slots."):
        return made
    name = place.path.split(".")[1]
    return Vocabulary(made.domain, {**made.names, "row": body.slots[name].table}, made.words)


def _is_named(case: Case, spot: Spot, place: _Place) -> bool:
    said = {spot.symbol}
    for seen in case.seen:
        for found in seen.findings:
            if found.fingerprint in case.prints:
                said |= {found.symbol, found.place}
    return any(
        text and (place.path.startswith(text) or text.startswith(place.path)) for text in said
    )


def _places(body: Intent) -> Iterator[_Place]:
    for number, text in enumerate(body.goal.require):
        yield _Place(f"goal.require[{number}]", text)
    for name, answer in body.goal.answer.items():
        yield _Place(f"goal.answer.{name}.equals", answer.equals)
    for name, slot in body.slots.items():
        if slot.where:
            yield _Place(f"slots.{name}.where", slot.where)
    for number, line in enumerate(body.user.script if body.user else ()):
        yield _Place(f"user.script[{number}].when", line.when)


def _with(body: Intent, path: str, text: str) -> Intent:
    head, _, rest = path.partition(".")
    if head == "slots":
        name = rest.removesuffix(".where")
        slot = body.slots[name].model_copy(update={"where": text})
        return body.model_copy(update={"slots": {**body.slots, name: slot}})
    if head == "user":
        return _with_line(body, _number(path), text)
    if rest.startswith("require"):
        goal = {"require": _put(body.goal.require, _number(path), text)}
    else:
        name = rest.removeprefix("answer.").removesuffix(".equals")
        answer = body.goal.answer[name].model_copy(update={"equals": text})
        goal = {"answer": {**body.goal.answer, name: answer}}  # type: ignore[dict-item]
    return body.model_copy(update={"goal": body.goal.model_copy(update=goal)})


def _with_line(body: Intent, number: int, text: str) -> Intent:
    assert body.user is not None  # noqa: S101  # a path of its script
    line = body.user.script[number].model_copy(update={"when": text})
    script = [line if place == number else each for place, each in enumerate(body.user.script)]
    return body.model_copy(update={"user": body.user.model_copy(update={"script": script})})


def _put(texts: Sequence[str], number: int, text: str) -> list[str]:
    return [text if place == number else each for place, each in enumerate(texts)]


def _number(path: str) -> int:
    return int(path.partition("[")[2].partition("]")[0])
