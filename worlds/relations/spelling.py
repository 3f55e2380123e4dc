"""Spelling: the same numbers written otherwise, in answers and in what is said. The goal must still be met."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from worlds.answers import NUMBER
from worlds.conditions import ConditionFailed
from worlds.intent import Finish
from worlds.relations.subject import Mutant, Subject
from worlds.step import Action, Say

AMOUNT = re.compile(rf"\$?{NUMBER.pattern}")


def mutants(subject: Subject) -> Iterator[Mutant]:
    """Everything that was said; then each answer."""
    actions = tuple(_said(action) for action in subject.actions)
    if actions != subject.actions:
        kept = tuple(b if a == b else a for a, b in zip(actions, subject.actions, strict=True))
        yield Mutant(
            kept, "amounts in what was said are written otherwise, such as " + _example(subject)
        )
    finish = subject.actions[-1]
    assert isinstance(finish, Finish)  # noqa: S101  # it met the goal, so it ended with one
    for name, value in finish.answer.items():
        other = _answer(subject, name, value)
        if other is not None:
            answer = {**finish.answer, name: other}
            changed = finish.model_copy(update={"answer": answer})
            what = f"the answer {name} is given as {other!r} instead of {value!r}"
            yield Mutant((*subject.actions[:-1], changed), what)


def _said(action: Action) -> Action:
    if isinstance(action, Say):
        return action.model_copy(update={"text": respelled(action.text)})
    if isinstance(action, Finish):
        return action.model_copy(update={"message": respelled(action.message)})
    return action


def _example(subject: Subject) -> str:
    said = [
        action.text if isinstance(action, Say) else action.message
        for action in subject.actions
        if isinstance(action, (Say, Finish))
    ]
    found = (match.group() for text in said for match in AMOUNT.finditer(text))
    return next(f"{respelled(one)} for {one}" for one in found if respelled(one) != one)


def respelled(text: str) -> str:
    """The text with its amounts (what has a decimal point, a `$` or a thousands comma) written otherwise."""
    return AMOUNT.sub(lambda match: _sentence(match.group()), text)


def _sentence(text: str) -> str:
    """A comma at the end is the sentence's."""
    amount = text.rstrip(",")
    return _amount(amount) + text[len(amount) :]


def _amount(text: str) -> str:
    sign, digits = ("$", text[1:]) if text.startswith("$") else ("", text)
    plain = digits.replace(",", "")
    whole, point, part = plain.partition(".")
    if not point and not sign and "," not in digits:
        return text  # a year, a count, a number of a room
    if "," in digits:
        return sign + plain
    if len(whole.lstrip("-")) > 3:
        return f"{sign}{int(whole):,}{point}{part}"
    if len(part) < 2:
        return f"{sign}{whole}.{part:0<2}"
    return sign + (f"{whole}.{part.rstrip('0')}".rstrip(".") if part.endswith("0") else f"{plain}0")


def _answer(subject: Subject, name: str, value: Any) -> Any:
    """A number as another JSON number, or, where text is asked for and a number is meant, as other text."""
    if isinstance(value, bool) or name not in subject.world.goal.answers:
        return None
    if isinstance(value, int):
        return float(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return _text(subject, name, value) if isinstance(value, str) else None


def _text(subject: Subject, name: str, value: str) -> str | None:
    condition = subject.world.goal.answers[name][1].condition
    try:
        wanted = (
            condition.evaluate(subject.trial.play.view, subject.world.rows) if condition else None
        )
    except ConditionFailed:
        return None
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)):
        return None
    try:
        return f"{float(value):,.2f}" if f"{float(value):,.2f}" != value else f"{float(value):g}"
    except ValueError:
        return None
