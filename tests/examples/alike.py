"""One environment checked twice: with the tool server that runs here, and with the one that runs outside."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from agents import panel
from worlds.bundle import Bundle
from worlds.check import CheckResult, check
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.library import read

LIBRARY = Path(__file__).parents[2] / "library" / "meetings"


@dataclass(frozen=True)
class Difference:
    """What is not the same on both sides."""

    environment: str
    agent: str
    what: str
    here: Any
    outside: Any


@cache
def folder() -> DomainFolder:
    return read(LIBRARY)[0]


def specs() -> list[EnvironmentSpec]:
    """The environments whose tools run here."""
    return [spec for spec in folder().all_environments() if spec.toolservers == ("calendar",)]


def bundles(spec: EnvironmentSpec) -> tuple[Bundle, Bundle]:
    """The environment as it is, and with the outside server in the other's place; one pin for both."""
    here = folder().bundle(spec)
    moved = replace(spec, toolservers=("calendar-sqlite",))
    return here, folder().bundle(moved, pin=here.manifest.pin)


def differences(spec: EnvironmentSpec) -> tuple[str, list[Difference]]:
    """The status of the environment outside, and all in which the two checks differ."""
    here, outside = (check(bundle, panel()) for bundle in bundles(spec))
    return outside.status, list(_differences(spec.slug, here, outside))


def _differences(slug: str, here: CheckResult, outside: CheckResult) -> list[Difference]:
    found = []
    for one, other in zip(here.episodes, outside.episodes, strict=True):
        for what in ("verdict", "diff", "state", "ended"):
            sides = getattr(one, what), getattr(other, what)
            if sides[0] != sides[1]:
                found.append(Difference(slug, one.agent, what, *sides))
        told = [[(step.tool, step.status, step.result) for step in e.steps] for e in (one, other)]
        if told[0] != told[1]:
            found.append(Difference(slug, one.agent, "steps", *told))
    return found
