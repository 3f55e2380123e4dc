"""What is said of a search that found no way."""

from __future__ import annotations

import pytest

from tests.worlds.shop import bundle
from worlds.solving import Proof, solving_findings
from worlds.world import World


@pytest.mark.parametrize(
    ("calls", "depth", "exhausted", "said"),
    [
        (40, 3, True, "with 40 calls, up to 3 one after another; nothing was left to try"),
        (2000, 0, False, "with 2000 calls, none of which led on; the search was cut off"),
        (1, 1, True, "with 1 call, up to 1 one after another; nothing was left to try"),
        (0, 0, True, "without a call; nothing was left to try"),
    ],
)
def test_the_message_says_how_far_the_search_went(
    calls: int, depth: int, exhausted: bool, said: str
) -> None:
    (found,) = solving_findings(World(bundle()), Proof(None, calls, depth, exhausted))
    assert found.message == f"No way to meet the goal was found {said}."
