"""Ties: suspects between whom nothing decides, and what would."""

from __future__ import annotations

from collections.abc import Sequence

from triage.observations import Location

TIE = 0.8
"""Share of the largest probability from which on two suspects are tied."""


def ranks_of(scores: Sequence[float]) -> list[int]:
    """The ranks of probabilities that fall, from 1 on; those that lie close to the first of them share its rank."""
    ranks: list[int] = []
    first = 0.0
    for place, score in enumerate(scores, 1):
        is_tied = bool(ranks) and score >= TIE * first
        ranks.append(ranks[-1] if is_tied else place)
        first = first if is_tied else score
    return ranks


def question_of(tied: Sequence[Location]) -> str:
    """What would break a tie between suspects; empty where it is none."""
    if len(tied) < 2:
        return ""
    names = [f"{at.slug} ({at.symbol})" if at.symbol else at.slug for at in tied]
    one, other = (at.symbol or at.slug for at in tied[:2])
    return (
        f"{', '.join(names[:-1])} or {names[-1]}? An environment that uses `{one}` without `{other}`, or the other way "
        "round, would tell; so would a version of either that is known to be right."
    )
