from __future__ import annotations

from typing import Any

import pytest

from triage.pages.scope import words

WHOLE: dict[str, Any] = {"domains": ["meetings", "shop"], "sample": None, "seed": 0}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "meetings, shop"),
        ({"sample": 20}, "a sample of 20 of meetings, shop"),
        (
            {"statuses": ["broken", "error"], "sample": 5},
            "a sample of 5 of meetings, shop: those broken or error when it began",
        ),
        ({"environments": ["a/x", "a/y"]}, "meetings, shop: a/x, a/y"),
        ({"environments": list("vwxyz")}, "meetings, shop: v, w, x and 2 more"),
        (
            {"filters": {"code": ["goal-vacuous"], "q": ["refund"], "round": ["3"]}},
            "meetings, shop: those containing refund, with a finding goal-vacuous, as in round 3",
        ),
        (
            {"filters": {"code": ["tool-crash"], "counted": ["no"]}},
            "meetings, shop: those with a finding tool-crash, with a finding that counts: no",
        ),
        (
            {"filters": {"authority": ["given"], "status": ["broken"]}},
            "meetings, shop: those broken, whose domain is given",
        ),
        ({"filters": {"component": []}}, "meetings, shop: some of a list"),
    ],
)
def test_a_scope_in_words(more: dict[str, Any], said: str) -> None:
    assert words({**WHOLE, **more}) == said


def test_a_round_of_before_scopes_were_kept_has_words_too() -> None:
    assert words({}) == ""
