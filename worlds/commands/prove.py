"""`python -m worlds prove DIR`: whether environments can be solved by who does not know the plan."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agents.search import prove
from worlds.bundle import Bundle
from worlds.commands.chosen import Chosen
from worlds.counted import counted
from worlds.solving import Proof
from worlds.step import Episode, Step
from worlds.toolsession import ToolSession
from worlds.world import World


def run(options: argparse.Namespace, chosen: Sequence[Chosen]) -> int:
    """Print for each environment whether a way was found, in how many calls, and which. That none was found proves
    nothing, so the exit status is 0."""
    solved = looked = 0
    for each in chosen:
        for spec in each.specs:
            proof = proof_of(without_plan(each.pinned(spec)), options.calls)
            looked, solved = looked + 1, solved + (proof.episode is not None)
            way_found = [f"  {line}" for line in way(proof.episode)] if proof.episode else []
            print("\n".join([f"{each.name(spec)}: {said(proof)}", *way_found]), flush=True)
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
    more = "" if proof.exhausted else " (more with --calls)"
    return f"not solved: {ended} after {counted(proof.calls, 'call')}{more}, up to {proof.depth} one after another"


def way(episode: Episode) -> list[str]:
    """What was done, as a plan says it: one line of JSON for each call, thing said, and the finish."""
    return [
        json.dumps(done, ensure_ascii=False, separators=(",", ":"))
        for done in map(_done, episode.steps)
        if done
    ]


def _done(step: Step) -> dict[str, Any]:
    """Empty for what was heard."""
    if step.kind == "call":
        return {"call": step.tool, "args": step.args}
    if step.kind == "finish":
        finish = {"outcome": step.outcome, "answer": step.args, "message": step.text}
        return {"finish": {name: value for name, value in finish.items() if value}}
    return {"say": step.text} if step.kind == "say" else {}
