"""The meetings with an ordinary MCP server over SQLite: judged as with the tools that run here."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from tests.examples.alike import differences, specs

CORES = 2


def test_every_environment_is_solvable_and_every_episode_the_same_in_steps_state_and_verdict() -> (
    None
):
    first = [spec for spec in specs() if spec.seed == 0]
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(CORES, mp_context=spawned) as pool:
        found = list(pool.map(differences, first))
    assert len(found) == 86
    assert [difference for _, several in found for difference in several] == []
    assert {status for status, _ in found} == {"solvable"}
