"""From signs to causes: who may have caused what a round observed, and which signs have one cause."""

from __future__ import annotations

from collections.abc import Sequence

from triage.observations import Cause, Observation


def causes(observations: Sequence[Observation]) -> list[Cause]:
    """The causes that explain all signs of the observations of one domain, the one that explains most first. Pure: the
    same observations give the same causes, whatever their order."""
    raise NotImplementedError
