"""Two clauses that demand opposite things of one event: whatever is done, a rule is broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import get_args

from worlds.cel_tree import parse
from worlds.citation import cited
from worlds.clauses import CompiledClause
from worlds.contradiction import contradictory
from worlds.events import Event, events
from worlds.findings import Finding, finding
from worlds.rule import Trigger
from worlds.step import Episode
from worlds.toolsession import ToolSession
from worlds.world import World

Pair = tuple[CompiledClause, CompiledClause]


def rule_conflicts(
    world: World, episodes: Sequence[Episode], session: ToolSession
) -> Iterator[Finding]:
    """Pairs of clauses that both applied to one event, of which one held and one did not, and whose trees prove that
    they never hold together."""
    left = {trigger: _opposed(world, trigger) for trigger in get_args(Trigger)}
    for episode in episodes if any(left.values()) else ():
        for event in events(world, episode, session):
            for pair in [pair for pair in left[event.trigger] if _fire(pair, event)]:
                left[event.trigger].remove(pair)
                yield _finding(episode, event, pair)


def _opposed(world: World, trigger: Trigger) -> list[Pair]:
    return [
        (one, other)
        for one, other in combinations(world.clauses.on(trigger), 2)
        if (one.table is None or other.table is None or one.table == other.table)
        and _exclude(one.require.text, other.require.text)
    ]


@lru_cache(maxsize=8_192)
def _exclude(one: str, other: str) -> bool:
    return contradictory(parse(one), parse(other))


def _fire(pair: Pair, event: Event) -> bool:
    asked = event.asked
    one, other = (clause.stands(asked) for clause in pair)
    return one is not None and other is not None and one is not other


def _finding(episode: Episode, event: Event, pair: Pair) -> Finding:
    one, other = sorted(pair, key=lambda clause: clause.name)
    step = event.step
    what = step.tool or step.kind
    return finding(
        "rule-conflict",
        "rule",
        one.rule,
        place=f"clauses.{one.clause.id}",
        symbol=f"{one.clause.id} × {other.name}",
        message=f"Of step {step.index}, {what}, two clauses demand opposite things: “{_quoted(one)}” ({one.name}) and"
        f" “{_quoted(other)}” ({other.name}).",
        evidence=cited(
            episode, step.index, clauses=[one.name, other.name], tool=step.tool, args=step.args
        ),
    )


def _quoted(clause: CompiledClause) -> str:
    return " ".join(clause.clause.quote.split())
