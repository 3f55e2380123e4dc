"""Candidates: what a proposer thinks would mend a fault, before anything was run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from worlds.body import Body, Kind
from worlds.bundle import Bundle

Name = tuple[Kind, str]
"""Kind and slug of a component; a contract's slug is `domain`."""


Digests = tuple[tuple[Name, str], ...]
"""What would be said, by component; the same for candidates that say the same."""


@dataclass(frozen=True)
class Candidate:
    """One to three components that would say something else."""

    proposer: str
    """By whom: a key of `triage.proposers.PROPOSERS`."""
    changes: Mapping[Name, Body]
    says: str
    """What it does, as a sentence in the imperative without its full stop: “Save the row in `portal.update`”."""
    authority: str = ""
    """What says that it is right, quoted, and where that stands: a clause, a docstring, a schema line, a neighbour that
    does it so; empty = nothing but that it works."""
    likelihood: float = 0.5
    """How likely such an edit is the right one where its component is at fault, against others of it; in (0, 1]."""
    reason: str = ""
    """Why it may help, in a sentence or two, for who reviews it."""

    @property
    def digests(self) -> Digests:
        """By which it is known again."""
        return tuple(sorted((name, body.digest) for name, body in self.changes.items()))


def placed(bundle: Bundle, changes: Mapping[Name, Body]) -> Bundle:
    """A bundle with other bodies in some of its slots; the bundle itself where it uses none of them."""
    before = bundle.manifest
    manifest = before.replaced({name: body.digest for name, body in changes.items()})
    if manifest == before:
        return bundle
    named = zip(before.refs(), bundle.bodies(), strict=True)
    known = {ref.body: body for (_, ref), body in named}
    return Bundle.assemble(manifest, known | {body.digest: body for body in changes.values()})
