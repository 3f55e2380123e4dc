"""What is shown to a proposer: environments that show a fault, some that are sound, and who is suspected.

Nothing of the half that judges (`triage.heldout`) is in it, nor of any other fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from triage.proposers.candidate import Digests, Name
from worlds.body import Body, Kind
from worlds.bundle import Bundle
from worlds.findings import Finding
from worlds.step import Episode
from worlds.world import World


@dataclass(frozen=True)
class Seen:
    """One environment as it was checked."""

    slug: str
    bundle: Bundle
    findings: Sequence[Finding] = ()
    """What counts: first those by which it shows the fault, then all others."""
    reference: Episode | None = None
    """What following the plan led to."""
    proof: Episode | None = None
    """A way to the goal that the search found without the plan."""

    @cached_property
    def world(self) -> World:
        """Raises `worlds.records.RecordsInvalid`."""
        return World(self.bundle)

    @property
    def codes(self) -> set[str]:
        """Of its findings."""
        return {each.code for each in self.findings}

    def body(self, name: Name) -> Body | None:
        """What a component says here; None where it takes no part."""
        kind, slug = name
        manifest = self.bundle.manifest
        if kind == "domain":
            return self.bundle.domain
        if kind == "intent":
            return self.bundle.intent if manifest.intent.slug == slug else None
        if kind == "records":
            return self.bundle.records if manifest.records.slug == slug else None
        refs = manifest.rules if kind == "rule" else manifest.toolservers
        bodies: Sequence[Body] = self.bundle.rules if kind == "rule" else self.bundle.toolservers
        return next((b for ref, b in zip(refs, bodies, strict=True) if ref.slug == slug), None)


@dataclass(frozen=True)
class Spot:
    """A suspect component, and where in it."""

    kind: Kind
    slug: str
    symbol: str = ""
    """As `triage.models.Suspect.symbol`: function, condition, table.field, clause; empty = nobody knows."""
    score: float = 0.0
    """Probability that it is at fault, in [0, 1]."""

    @property
    def name(self) -> Name:
        return self.kind, self.slug


@dataclass(frozen=True)
class Case:
    """A fault, to whoever would mend it."""

    domain: str
    """Slug."""
    seen: Sequence[Seen]
    """Environments that show the fault, the cheapest to play first; at least one."""
    spots: Sequence[Spot]
    """The suspects, the likeliest first."""
    sound: Sequence[Seen] = ()
    """Solvable environments that use a suspect."""
    codes: frozenset[str] = frozenset()
    """Of the findings by which the fault shows."""
    prints: frozenset[str] = frozenset()
    """Their fingerprints."""
    others: Mapping[Name, Body] = field(default_factory=dict)
    """Current components of the domain beside those in `seen`, from which to borrow: other tool servers, other
    intents. Empty where nothing may be borrowed from them."""
    earlier: Mapping[Name, Sequence[tuple[int, Body]]] = field(default_factory=dict)
    """Earlier versions of suspects with which something was solvable, the newest first: number and body. Empty where
    nothing may be taken back."""
    rejected: frozenset[Digests] = frozenset()
    """What somebody turned down for this fault: nobody says it again."""

    def body(self, name: Name) -> Body | None:
        """What a component says in the environments that show the fault."""
        return next((body for each in self.seen if (body := each.body(name)) is not None), None)

    def users(self, name: Name) -> list[Seen]:
        """The environments that show the fault and use a component."""
        return [each for each in self.seen if each.body(name) is not None]
