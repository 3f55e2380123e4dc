"""Who acts in a world. Pure Python, no Django; an agent lives for one episode."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.noop import Noop
from agents.parrot import Parrot
from agents.reference import Reference
from agents.refuser import Refuser
from worlds.agent import Agent
from worlds.canonical import digest as digest_of
from worlds.check import VERSIONS as STAGES
from worlds.soundness import CHANGED
from worlds.world import World

Maker = Callable[[World], Agent]

PANEL: Mapping[str, Maker] = {
    "reference": Reference.of,
    "noop": lambda _: Noop(),
    "refuser": lambda _: Refuser(),
    "parrot": lambda _: Parrot(),
}
"""Every agent by name. Only `reference` looks into the world (at the plan); the rest are briefed."""

FLOOR = ("noop", "refuser", "parrot")
"""Agents that understand nothing: the best of them is the floor under every solve rate."""

PROVER = "search"
"""Who looks for a way where no plan leads (`agents.search`). It is told by the verdict how near it is, so it is in no
panel and counted in no rate."""

NO_AGENTS = frozenset({PROVER, CHANGED})
"""Names under which episodes are kept that are no agent's: the prover's, and changed copies of the reference's."""

VERSIONS: Mapping[str, int] = {
    "reference": 1,
    "noop": 1,
    "refuser": 1,
    "parrot": 1,
    PROVER: 2,
    CHANGED: STAGES["soundness"],
}
"""Raised when an agent comes to act differently, so that stored episodes are not taken for its own."""


class UnknownAgent(LookupError):
    """No agent has that name."""


def panel(names: list[str] | None = None) -> dict[str, Maker]:
    """The makers of the agents named (all by default); raises UnknownAgent."""
    for name in names or ():
        if name not in PANEL:
            raise UnknownAgent(f"there is no agent {name!r}; there are {', '.join(PANEL)}")
    return {name: PANEL[name] for name in names or PANEL}


def digest(name: str) -> str:
    """The agent's identity: the same digest acts the same."""
    return digest_of({"agent": name, "version": VERSIONS[name]})
