"""Guards that did not stop what they forbid."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.citation import called, server_of
from worlds.findings import Finding, finding
from worlds.step import Episode
from worlds.world import World


def unenforced(world: World, episode: Episode) -> Iterator[Finding]:
    """Calls that violated a guard and were carried out: the tool did not refuse, and what it wrote outside could not
    be taken back."""
    guards = {
        f"{ref.slug}/{clause.id}": clause
        for ref, rule in zip(world.bundle.manifest.rules, world.bundle.rules, strict=True)
        for clause in rule.clauses
        if clause.enforce == "guard"
    }
    for step in episode.steps:
        for name in step.violations if step.kind == "call" and step.status != "guarded" else ():
            if name in guards:
                quote = " ".join(guards[name].quote.split())
                yield finding(
                    "rule-unenforced",
                    "toolserver",
                    server_of(world, step),
                    place=step.tool,
                    symbol=f"{step.tool} {name}",
                    message=f"{step.tool} did what “{quote}” ({name}) is to stop, and it could not be taken back.",
                    evidence=called(world, episode, step, clause=name),
                )
