"""What waits for a decision of people, as the overview says it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User

from triage.models import Outcome, Proposal, Repair, Trial
from triage.models.job import UNFINISHED_JOBS
from triage.models.proposal import ProposalState
from triage.models.trial import Move
from triage.pages.queue import with_trial

MOST_TRIALS = 3


def for_you(user: User, domains: Collection[str] | None = None) -> dict[str, Any]:
    """How many proposals are `waiting`, how many environments they would `fix`, the `trials` at work, and the
    `searches` for repairs; four queries. With `domains`, of those alone, which `within` says in an address."""
    mine = Proposal.objects.visible_to(user)
    if domains is not None:
        mine = mine.filter(domain__slug__in=domains)
    waiting: Any = with_trial(mine.filter(state=ProposalState.WAITING)).order_by()
    fixed: Any = Outcome.objects.filter(trial__in=waiting.values("tried"), move=Move.FIXED)
    running = Trial.objects.filter(proposals__in=mine.order_by(), state__in=UNFINISHED_JOBS)
    searches = Repair.objects.visible_to(user).filter(state__in=UNFINISHED_JOBS)
    if domains is not None:
        searches = searches.filter(fault__domain__slug__in=domains)
    return {
        "within": urlencode([("domain", slug) for slug in domains or ()]),
        "waiting": waiting.count(),
        "fix": fixed.order_by().values("environment").distinct().count(),
        "searches": list(searches.select_related("fault").order_by("pk")[:MOST_TRIALS]),
        "trials": list(running.distinct().order_by("pk")[:MOST_TRIALS]),
    }
