"""One small edit of a condition."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConditionEdit:
    """A condition with one thing changed."""

    text: str
    says: str
    """In the imperative, as the beginning of `Candidate.says`: “Ask for `<=` in `a < b`”."""
    likelihood: float
    """As `Candidate.likelihood`, where nothing is known but the condition and its surroundings."""
    authority: str = ""
    """As `Candidate.authority`."""
