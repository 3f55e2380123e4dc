"""One small edit of a condition."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """A condition with one thing changed."""

    text: str
    says: str
    """“`<=` for `<`”, to be read after “with”."""
    likelihood: float
    """As `triage.proposers.candidate.Candidate.likelihood`."""
    authority: str = ""
    """As there."""
