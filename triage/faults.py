"""Faults: a round's findings gathered by cause, known again from round to round."""

from __future__ import annotations

from triage.models import Round


def gather(made: Round) -> None:
    """Gather the findings of a finished round into faults; harmless where it was done before."""
    raise NotImplementedError
