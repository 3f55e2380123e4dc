"""What a result depends on beside its bundle, as digests: the keys by which results are shared."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
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


def recipe(panel: Iterable[str], *, searches: bool = True) -> str:
    """The digest of all that decides what a check of a given bundle shows when run here, now; `searches` as of a
    round."""
    return digest(
        {
            "panel": {name: agents.digest(name) for name in panel},
            "prover": agents.digest(agents.PROVER) if searches else None,
            "checks": dict(check.VERSIONS),
            "limits": dict(check.LIMITS),
            "engine": engine(),
        }
    )


def result_key(
    bundle: str,
    recipe: str,
    domain: str,
    outside: Mapping[str, str] | None = None,
    *,
    tells_all: bool = False,
) -> str:
    """The key of what a bundle's check by a recipe shows in a domain (its slug): findings blame components, and
    two domains that say the same blame each its own. `outside` as in `triage.behaviour`, `tells_all` as of a check."""
    key: dict[str, Any] = {"bundle": bundle, "recipe": recipe, "domain": domain}
    if tells_all:
        key["tells_all"] = True
    return digest({**key, **_outside(outside)})


def episode_key(
    bundle: str, agent: str, seed: int, attempt: int, outside: Mapping[str, str] | None = None
) -> str:
    """The key of an episode played here; `agent` is the agent's digest, `outside` as in `triage.behaviour`."""
    return digest(
        {
            **_outside(outside),
            "bundle": bundle,
            "agent": agent,
            "seed": seed,
            "attempt": attempt,
            "judged": [check.VERSIONS["controls"], dict(check.LIMITS)],
            "engine": engine(),
        }
    )


def _outside(behaviours: Mapping[str, str] | None) -> dict[str, Any]:
    return {"outside": dict(behaviours)} if behaviours else {}
