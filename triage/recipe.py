"""What a result depends on beside its bundle, as digests: the keys by which results are shared."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from typing import Any

import agents
from worlds import check
from worlds.canonical import FORMAT, digest


@cache
def engine() -> dict[str, Any]:
    """What executes bundles here: our format number and the interpreters' versions."""
    return {
        "format": FORMAT,
        "python": platform.python_version(),
        "monty": version("pydantic-monty"),
        "cel": version("common-expression-language"),
    }


def recipe(panel: Iterable[str]) -> str:
    """The digest of all that decides what a check of a given bundle shows when run here, now."""
    return digest(
        {
            "panel": {name: agents.digest(name) for name in panel},
            "checks": dict(check.VERSIONS),
            "limits": dict(check.LIMITS),
            "engine": engine(),
        }
    )


def result_key(bundle: str, recipe: str) -> str:
    """The key of what a bundle's check by a recipe shows."""
    return digest({"bundle": bundle, "recipe": recipe})


def episode_key(bundle: str, agent: str, seed: int, attempt: int) -> str:
    """The key of an episode played here; `agent` is the agent's digest."""
    return digest(
        {"bundle": bundle, "agent": agent, "seed": seed, "attempt": attempt, "engine": engine()}
    )
