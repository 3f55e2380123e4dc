"""What a round observed, as attribution reasons about it: plain facts, no rows of the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from worlds.findings import Severity


class Location(NamedTuple):
    """A component, or a part of one: a function, clause, condition, table.field or row, as a finding's symbol."""

    kind: str
    slug: str
    symbol: str = ""
    """Empty = the component as a whole."""

    @property
    def component(self) -> tuple[str, str]:
        """Kind and slug."""
        return self.kind, self.slug


@dataclass(frozen=True)
class Sign:
    """One finding that counts, of one check."""

    code: str
    severity: Severity
    kind: str
    """Of the component that it blames; empty where it blames none."""
    slug: str
    place: str
    symbol: str
    fingerprint: str
    message: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    finding: int = 0
    """Its row's id; 0 where there is none."""

    @property
    def blamed(self) -> Location:
        """What it points at."""
        return Location(self.kind, self.slug, self.symbol)


@dataclass(frozen=True)
class Observation:
    """One environment's check."""

    environment: int
    check: int
    """Ids."""
    status: str
    """solvable, broken or unproven: as it counts now."""
    parts: tuple[tuple[str, str], ...]
    """(kind, slug) of all that it is made of, the contract too."""
    signs: tuple[Sign, ...]
    exercised: frozenset[Location]
    """What took part in the reference's attempt: functions that ran, clauses that applied, rows that were touched."""
    tools: Mapping[str, str] = field(default_factory=dict)
    """Tool → slug of the tool server that offers it, of those that were called."""
    odd: Mapping[str, str] = field(default_factory=dict)
    """Tool → what is odd about a call of it (`triage.facts`)."""

    is_solved_otherwise: bool = False
    """Whether the search met the goal where the plan did not."""

    @property
    def fails(self) -> bool:
        """Whether there is something to explain."""
        return bool(self.signs) or self.status == "unproven"

    @property
    def locations(self) -> set[Location]:
        """What took part, and each component as a whole."""
        return {*self.exercised, *(Location(kind, slug) for kind, slug in self.parts)}

    def servers_of(self, tool: str) -> list[tuple[str, str]]:
        """The tool server that offers a tool, as a component; none where nobody called it."""
        return [("toolserver", self.tools[tool])] if tool in self.tools else []


@dataclass(frozen=True)
class Evidence:
    """A sentence with what it cites, as in `triage.models.Suspect.evidence`."""

    sort: str
    text: str
    cites: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Weighed:
    """A suspect with its weight."""

    location: Location
    score: float
    direct: float
    spectrum: float
    evidence: tuple[Evidence, ...] = ()
    party: str = "component"
    """As in `triage.models.attribution.Party`."""


@dataclass(frozen=True)
class Cause:
    """Signs that share a cause, and who may have caused them, the likeliest first."""

    signs: Mapping[int, tuple[Sign, ...]]
    """Check → those of its signs that this cause explains; of one that is unproven without a finding, what
    `triage.pointers.unproven` says."""
    suspects: tuple[Weighed, ...]
