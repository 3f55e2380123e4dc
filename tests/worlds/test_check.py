"""What a check concludes: a sound shop is solvable, and each fault has its code at its place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import INTENT, RULE, SOURCE, bundle, checked, codes
from worlds.bundle import Pin
from worlds.check import CheckResult
from worlds.findings import Finding


def only(result: CheckResult, code: str) -> Finding:
    found = [item for item in result.findings if item.code == code]
    assert len(found) == 1, codes(result)
    return found[0]


def test_a_sound_environment_is_solvable_by_its_plan_and_has_no_finding() -> None:
    result = checked()
    assert (result.status, result.witness, result.findings) == ("solvable", "plan", [])
    assert [(e.agent, e.verdict and e.verdict.reward) for e in result.episodes] == [
        ("reference", 1),
        ("noop", 0),
        ("refuser", 0),
        ("refuser", 0),
        ("parrot", 0),
    ]


def test_an_intent_without_a_plan_is_unproven() -> None:
    result = checked(intent={"plans": {"default": None}} and {"plans": {}} and _without_plan())
    assert (result.status, result.witness) == ("unproven", "")


def _without_plan() -> dict[str, Any]:
    return {"plans": {"another": []}, "slots": INTENT["slots"]} | {"plans": _Replaced({})}


class _Replaced(dict[str, Any]):
    """Laid over as a whole rather than merged."""
