"""Stand-ins: what can be put in a suspect's place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sources:
    """Where stand-ins may come from, beside edits."""

    parents: bool = True
    """Earlier versions of the component."""
    siblings: bool = True
    """Components of the same kind that pass elsewhere."""
