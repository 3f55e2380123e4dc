"""One small edit of a tool server's source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """A source with one thing changed; all else is byte for byte as it was."""

    source: str
    function: str
    """In which it was made; empty for module level."""
    line: int
    """Of the source as it was."""
    says: str
    """As `Candidate.says`."""
    likelihood: float
    """As `Candidate.likelihood`, leaving aside how suspicious its place is."""
    authority: str = ""
    """As `Candidate.authority`."""
