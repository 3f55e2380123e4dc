"""What a round is over, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from triage.models import Round
from triage.scope import restricted

NAMED_IN_WORDS = 3
"""Environments that are named; of more, how many there are."""

FILTER_WORDS = {
    "q": "containing {}",
    "status": "{}",
    "authority": "whose domain is {}",
    "domain": "in {}",
    "code": "with a finding {}",
    "severity": "with a finding that is {}",
    "counted": "with a finding that counts: {}",
    "kind": "where a component is blamed that is {}",
    "solved": "solved by {}",
    "unsolved": "not solved by {}",
    "component": "using {}",
    "fault": "that show fault {}",
    "round": "as in round {}",
}
"""How a filter of the list of environments is said."""


def said(row: Round) -> str:
    """What a round is over; its `domains` are prefetched, those alone that the reader may see."""
    return words(restricted(row.scope, {domain.slug for domain in row.domains.all()}))


def words(scope: Mapping[str, Any]) -> str:
    """A kept scope for people: `a sample of 20 of meetings, shop: those broken when it began`; how much of it comes
    first, as the end may be cut."""
    parts = []
    if names := scope.get("environments"):
        more = f" and {len(names) - NAMED_IN_WORDS} more" if len(names) > NAMED_IN_WORDS else ""
        parts.append(", ".join(names[:NAMED_IN_WORDS]) + more)
    if statuses := scope.get("statuses"):
        parts.append(f"those {_joined(statuses, ' or ')} when it began")
    if filters := scope.get("filters"):
        filtered = [
            said.format(_joined(filters[name], " or "))
            for name, said in FILTER_WORDS.items()
            if filters.get(name)
        ]
        parts.append(f"those {', '.join(filtered)}" if filtered else "some of a list")
    whole = _joined(scope.get("domains", ())) + (f": {', '.join(parts)}" if parts else "")
    sample = scope.get("sample")
    return f"a sample of {sample} of {whole}" if sample else whole


def _joined(names: Iterable[str], joint: str = ", ") -> str:
    return joint.join(names)
