"""Typed answers and mentioned facts: when two ways of saying a value are the same value."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime
from typing import Any

from worlds.canonical import canonical
from worlds.intent import Answer, AnswerType, Goal

CENT = 0.005
"""Two amounts that round to the same cent are the same answer."""

NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?!\w|\.\d)")

JSON_TYPES: dict[AnswerType, dict[str, Any]] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "list": {"type": "array"},
}


def finish_schema(goal: Goal) -> dict[str, Any]:
    """The JSON Schema of `finish(outcome, answer, message)` as an agent sees it."""
    answer = {name: _answer_schema(spec) for name, spec in goal.answer.items()}
    return {
        "type": "object",
        "properties": {
            "outcome": {"enum": ["done", "refused", "handed_off", "impossible"]},
            "answer": {"type": "object", "properties": answer, "additionalProperties": False},
            "message": {"type": "string", "description": "What to tell the user."},
        },
        "required": ["outcome"],
        "additionalProperties": False,
    }


def _answer_schema(spec: Answer) -> dict[str, Any]:
    unit = {"description": f"in {spec.unit}"} if spec.unit else {}
    return {**JSON_TYPES[spec.type], **unit}


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _instant(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if not isinstance(moment, datetime):
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same_answer(kind: AnswerType, given: Any, wanted: Any) -> bool:
    """Whether an answer says what was wanted: amounts to the cent, text without case and spacing,
    times as instants, lists in any order."""
    match kind:
        case "number" | "integer":
            if not (_is_number(given) and _is_number(wanted)):
                return False
            return bool(given == wanted) if kind == "integer" else abs(given - wanted) < CENT
        case "boolean":
            return isinstance(given, bool) and given is wanted
        case "string":
            return isinstance(given, str) and _plain(given) == _plain(str(wanted))
        case "date":
            return _day(given) is not None and _day(given) == _day(wanted)
        case "datetime":
            return _instant(given) is not None and _instant(given) == _instant(wanted)
        case "list":
            return _same_items(given, wanted)


def _same_items(given: Any, wanted: Any) -> bool:
    if not (isinstance(given, (list, tuple)) and isinstance(wanted, (list, tuple))):
        return False
    return sorted(map(_item, given)) == sorted(map(_item, wanted))


def _item(value: Any) -> str:
    return _plain(value) if isinstance(value, str) else canonical(value)


def mentioned(fact: Any, said: list[str]) -> bool:
    """Whether a fact stands in what was said: numbers as numbers, all else as text without case."""
    text = "\n".join(said)
    number = _as_number(fact)
    if number is not None:
        return any(abs(number - found) < CENT for found in _numbers(text))
    return _plain(str(fact)) in _plain(text)


def _as_number(fact: Any) -> float | None:
    if _is_number(fact):
        return float(fact)
    if isinstance(fact, str) and NUMBER.fullmatch(fact.strip().removeprefix("$")):
        return float(fact.strip().removeprefix("$").replace(",", ""))
    return None


def _numbers(text: str) -> list[float]:
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]
