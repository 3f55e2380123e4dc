"""`python -m worlds prove DIR`: whether environments can be solved by who does not know the plan."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from agents.search import prove
from worlds.bundle import Bundle
from worlds.commands.chosen import Chosen
from worlds.counted import counted
from worlds.solving import Proof
from worlds.toolsession import ToolSession
from worlds.world import World


def run(options: argparse.Namespace, chosen: Sequence[Chosen]) -> int:
    """Print for each environment whether a way was found, and in how many calls. That none was found proves
    nothing, so the exit status is 0."""
    solved = looked = 0
    for each in chosen:
        for spec in each.specs:
            proof = proof_of(without_plan(each.pinned(spec)), options.calls)
            looked, solved = looked + 1, solved + (proof.episode is not None)
            print(f"{each.name(spec)}: {said(proof)}", flush=True)
    print(f"{solved} of {counted(looked, 'environment')} solved without the plan")
    return 0


def without_plan(bundle: Bundle) -> Bundle:
    """The same environment without a plan."""
    return replace(bundle, intent=bundle.intent.model_copy(update={"plans": {}}))


def proof_of(bundle: Bundle, calls: int) -> Proof:
    """What a search of at most so many calls comes to."""
    with ToolSession() as session:
        return prove(World(bundle), session, calls=calls)


def said(proof: Proof) -> str:
    """A proof in words."""
    if proof.episode is not None:
        return f"solved after {counted(proof.calls, 'call')}"
    if proof.why:
        return f"not solved: {proof.why}"
    ended = "nothing was left to try" if proof.exhausted else "the search was cut off"
    return f"not solved: {ended} after {counted(proof.calls, 'call')}, up to {proof.depth} one after another"
