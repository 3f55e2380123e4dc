"""What is kept of agents' attempts, judged anew under a candidate: what it would have made of them."""

from __future__ import annotations

import time
from typing import TypedDict

from triage.models import Episode
from worlds import step
from worlds.rejudge import rejudged
from worlds.soundness import CHANGED
from worlds.toolsession import ToolSession
from worlds.world import World

MOST = 40
"""Episodes of one environment."""
SECONDS = 5.0
"""After which no further episode is played: slow tools would outlast any worker's patience."""
MOST_NAMED = 20


class Turned(TypedDict):
    """An episode that is judged otherwise, or went another way."""

    episode: str
    """Its key."""
    what: str
    """accepted_to_rejected, rejected_to_accepted or diverged."""
    step: int | None
    """At which it went another way."""


class Rejudging(TypedDict):
    """How many of an environment's stored episodes come out how, and which not as they did."""

    same: int
    accepted_to_rejected: int
    rejected_to_accepted: int
    diverged: int
    unscored: int
    """Judged before, and not scored with the candidate."""
    untried: int
    """For want of time."""
    turned: list[Turned]


COUNTS = ("same", "accepted_to_rejected", "rejected_to_accepted", "diverged", "unscored", "untried")


def rejudging(before: str, after: World, session: ToolSession, *, calls: bool) -> Rejudging:
    """Judge the episodes of the bundle with the digest `before` in the world that would take its place; one query.
    With `calls` (tools or records change) they are played again, and count as far as every result is the same."""
    rows = Episode.objects.filter(bundle=before, reward__isnull=False)
    made = Rejudging(
        same=0,
        accepted_to_rejected=0,
        rejected_to_accepted=0,
        diverged=0,
        unscored=0,
        untried=0,
        turned=[],
    )
    began = time.monotonic()
    for row in rows.exclude(agent__name=CHANGED).order_by("agent", "attempt", "pk")[:MOST]:
        if time.monotonic() - began > SECONDS:
            made["untried"] += 1
            continue
        what, at = _turned(row, after, session, calls=calls)
        made[what] += 1  # type: ignore[literal-required]  # one of COUNTS
        if what not in ("same", "unscored") and len(made["turned"]) < MOST_NAMED:
            made["turned"].append(Turned(episode=row.pk, what=what, step=at))
    return made


def _turned(
    row: Episode, after: World, session: ToolSession, *, calls: bool
) -> tuple[str, int | None]:
    said = rejudged(after, step.Episode.model_validate(row.document), session, calls=calls)
    if said.diverged is not None:
        return "diverged", said.diverged
    if said.verdict is None:
        return "unscored", None
    if said.verdict.reward == row.reward:
        return "same", None
    return ("accepted_to_rejected" if row.reward else "rejected_to_accepted"), None
