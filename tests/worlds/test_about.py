"""What an about block says of findings that somebody has looked at."""

from __future__ import annotations

import pytest

from worlds.about import About
from worlds.findings import finding

FOUND = finding(
    "tool-crash", "toolserver", "shop", place="cancel:41", symbol="cancel", message="Crashed."
)


def about(**changes: str) -> About:
    entry = {"code": "tool-crash", "at": "cancel", "reason": "known", "by": "ann"}
    return About.model_validate({"accept": [{**entry, **changes}]})


@pytest.mark.parametrize("at", ["cancel:41", "cancel"])
def test_a_finding_is_accepted_at_its_place_or_symbol(at: str) -> None:
    accepted = about(at=at).accepts(FOUND)
    assert accepted is not None
    assert (accepted.reason, accepted.by) == ("known", "ann")


@pytest.mark.parametrize("changes", [{"at": "cancel:4"}, {"code": "limit-exceeded"}])
def test_another_place_or_code_is_not_accepted(changes: dict[str, str]) -> None:
    assert about(**changes).accepts(FOUND) is None
