"""From signs to causes: who may have caused what a round observed, and which signs have one cause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from triage.observations import Cause, Location, Observation, Sign, Weighed


def causes(observations: Sequence[Observation]) -> list[Cause]:
    """The causes that explain all signs of the observations of one domain, the one that explains most first. Pure: the
    same observations give the same causes, whatever their order."""
    found: dict[str, dict[int, list[Sign]]] = defaultdict(lambda: defaultdict(list))
    for each in observations:
        for sign in each.signs:
            found[sign.fingerprint][each.check].append(sign)
    order = sorted(found, key=lambda print_: (-len(found[print_]), print_))
    return [_cause(found[print_]) for print_ in order]


def _cause(signs: dict[int, list[Sign]]) -> Cause:
    first = next(iter(signs.values()))[0]
    blamed = Location(first.kind, first.slug, first.symbol)
    suspects = (Weighed(blamed, 0.5, 1.0, 0.0),) if first.kind else ()
    return Cause({check: tuple(each) for check, each in sorted(signs.items())}, suspects)
