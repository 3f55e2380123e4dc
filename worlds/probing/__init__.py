"""Probing: what do a domain's tools accept that its rules forbid, and write that an invariant forbids?

The plans of a domain show how its tools are meant to be called. Probing makes those calls again, and many that differ
from them by little (another row, another value that stands beside it in the records, one element more, the same call
twice), and asks the clauses and invariants of each call that a tool carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worlds.agent import Agent
from worlds.bundle import Bundle
from worlds.probing.found import Example, NotProbed, Probed, Probes, ToolTried
from worlds.probing.prober import CALLS, Limits, Prober, clauses_of
from worlds.probing.stands import Plans
from worlds.probing.tally import Tally
from worlds.toolsession import ToolSession
from worlds.world import World

__all__ = ["CALLS", "Example", "Limits", "NotProbed", "Probed", "Probes", "ToolTried", "probe"]


def probe(
    bundles: Mapping[str, Bundle],
    plan: Callable[[World], Agent],
    *,
    seed: int = 0,
    limits: Limits | None = None,
) -> Probes:
    """Probe every writing tool of some environments, given by name, that share domain and rules.

    `plan` makes the agent that plays a world's plan. The same bundles, seed and limits give the same result, unless
    the time runs out (`cut`). Tools of servers from outside are left out.
    """
    first = next(iter(bundles.values()), None)
    if first is None:
        return Probes()
    tally = Tally(first.domain, clauses_of(first))
    with ToolSession() as session:
        prober = Prober(Plans(session, seed), tally, limits or Limits())
        for name, bundle in bundles.items():
            prober.walk(name, bundle, plan)
        for tool in sorted(prober.plans.tools):
            prober.vary(tool)
        return tally.probes(cut=prober.is_over)
