"""The airline's clauses on real conversations: 200 episodes of gpt-4o on an older version of the tasks.

The file is tau-bench's (MIT, copyright Sierra) and no part of this repository; where it is not, this is skipped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.library.clauses import Event, Spoken, attempt, stage
from tests.library.tau2 import AIRLINE, LIBRARY

RECORDED = LIBRARY.parents[1] / "shared" / "data" / "tau-bench" / "gpt-4o-airline.json"
DOCS = LIBRARY.parent / "docs" / "tau2.md"
NOT_HERE = {"think"}
"""Tools that the published server has no more."""

pytestmark = pytest.mark.skipif(
    not RECORDED.is_file(), reason="no data folder with recorded episodes beside the project"
)


def events(messages: list[dict[str, Any]]) -> Iterator[Event]:
    """What was said and done, in order; what is answered to each text is the next thing that the user says."""
    said = "Hello!"  # before the user's first words
    for message in messages:
        if message["role"] == "user":
            yield Spoken(said, message["content"])
            said = ""
        elif message["role"] == "assistant":
            said = message["content"] or said
            for call in message.get("tool_calls") or ():
                name, args = call["function"]["name"], json.loads(call["function"]["arguments"])
                if name not in NOT_HERE:
                    yield name, args


@cache
def flagged() -> Counter[str]:
    """Clause → how often it was violated in all of the episodes."""
    counts: Counter[str] = Counter()
    for episode in json.loads(RECORDED.read_text()):
        done = list(events(episode["traj"]))
        played = attempt(stage(AIRLINE, done), done)
        assert not [each.detail for each in played.violations if each.invalid]
        counts.update(each.name for each in played.violations)
    return counts


def test_the_docs_count_what_is_flagged() -> None:
    table = DOCS.read_text().partition("**Conversations**")[2].partition("|---|")[2]
    lines = table.partition("\n\n")[0].splitlines()[1:]
    told = {}
    for line in lines:
        clause, count, *_ = (cell.strip(" `") for cell in line.strip("|").split("|"))
        told[clause] = int(count)
    assert told == dict(flagged())


def test_clauses_about_the_conversation_are_asked_in_one() -> None:
    assert flagged()["airline-agent-policy/yes-before-write"] > 0
    assert flagged()["cancel-flight/insured-reason"] > 0
