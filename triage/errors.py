"""Why checks ended in error, short enough for a terminal."""

from __future__ import annotations

from collections import Counter

from triage.models import Check
from triage.models.check import State

FRAME = '\n  File "'
"""Stands in every traceback, and in nothing that was written for people."""


def in_short(error: str) -> str:
    """The line of a check's error that says most: the last of a traceback, else the first."""
    lines = error.strip().splitlines() or ["it does not say why"]
    return lines[-1] if FRAME in error else lines[0]


def error_texts(number: int) -> list[tuple[str, int]]:
    """What the checks of a round say that ended in error, each line with how many say it, the most first."""
    said = Check.objects.filter(round=number, state=State.ERROR).values_list("error", flat=True)
    return Counter(map(in_short, said)).most_common()
