"""The small shop of `tests.worlds.shop` with something in it changed, as proposers are shown it."""

from __future__ import annotations

from typing import Any

import agents
from tests.worlds import shop
from triage.proposers import Proposer
from triage.proposers.candidate import Candidate, placed
from triage.proposers.case import Case, Seen, Spot
from worlds.body import Kind
from worlds.bundle import Bundle
from worlds.check import check

SLUGS: dict[Kind, str] = {"rule": "cancelling", "intent": "cancel", "domain": "domain"}


def broken(kind: Kind, symbol: str = "", **changes: Any) -> Case:
    """A case of the shop with changes, whose first suspect is the component of a kind."""
    bundle = shop.bundle(**changes)
    found, reference = _checked(bundle)
    seen = Seen("first", bundle, found, reference)
    prints = frozenset(each.fingerprint for each in found)
    codes = frozenset(each.code for each in found)
    return Case("shop", [seen], [Spot(kind, SLUGS.get(kind, ""), symbol, 0.9)], (), codes, prints)


def _checked(bundle: Bundle) -> tuple[tuple[Any, ...], Any]:
    result = check(bundle, agents.panel())
    found = tuple(each for each in result.findings if each.severity != "advice")
    return found, next((e for e in result.episodes if e.agent == "reference"), None)


def proposed(proposer: Proposer, case: Case) -> list[Candidate]:
    """All that a proposer says, the likeliest first."""
    return sorted(proposer(case, case.spots[0]), key=lambda each: -each.likelihood)


def first(proposer: Proposer, case: Case) -> Any:
    """What the suspect says after the likeliest candidate, as its file would; it mends the case."""
    found = proposed(proposer, case)
    assert found, "nothing is proposed"
    body = found[0].changes[case.spots[0].name]
    after, reference = _checked(placed(case.seen[0].bundle, found[0].changes))
    assert reference.verdict.reward == 1, found[0].says
    assert not {each.code for each in after} & case.codes, found[0].says
    return body.content()
