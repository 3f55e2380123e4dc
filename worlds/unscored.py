"""Criteria that a source lists beside its goal: which of them nothing counts, here or there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worlds.intent import Goal, Unscored

HEAD = re.compile(
    r"^\W*(?:please\s+)?(?:check|verify|make sure|ensure)\s+(?:that\s+)?", re.IGNORECASE
)
"""How whoever judges is addressed; what follows is the criterion."""
BEYOND_STATE = re.compile(
    r"\b(?:tell|told|say|said|inform|communicat|mention|explain|confirm|provid|offer|answer|ask|apologi[sz]|polite|"
    r"identif|checks?\b|checking|verif|detect|reali[sz]|recogni[sz]|look|search|find|found|get|read|calculat|transfer|escalat)",
    re.IGNORECASE,
)
"""Words for what is said, found out or handed over: no final state shows it."""
FACT = 4
"""A criterion of fewer words is a fact to be stated."""


def uncounted(goal: Goal, criteria: Sequence[Unscored]) -> list[Unscored]:
    """Those that count neither where they come from nor by an assertion here, as far as their words tell. Where the
    goal judges the whole state, what an agent is to change or to leave is covered; and what speaks of a fact that is to
    be mentioned."""
    judges_state = goal.matches_plan or goal.changes is not None
    return [
        each
        for each in criteria
        if not each.counts
        and not any(_states(each.text, str(fact)) for fact in goal.mentions)
        and not (judges_state and _is_of_state(each.text))
    ]


def _states(text: str, fact: str) -> bool:
    return fact.replace(",", "").lower() in text.replace(",", "").lower()


def _is_of_state(text: str) -> bool:
    said = HEAD.sub("", text)
    return len(said.split()) >= FACT and not BEYOND_STATE.search(said)
