"""Working off checks: claim one, run it, write what came of it."""

from __future__ import annotations

import os
import socket
import traceback
from collections.abc import Collection, Iterator

from django.db import InterfaceError, OperationalError

import agents
from agents.search import prove
from components.bundles import bundle
from triage.behaviour import Behaviours, behaviours
from triage.claims import Claim, adopt, claim, fail, finish
from triage.counterexamples import judged, unjudged
from triage.models import Check, Judgement, Result
from triage.recipe import recipe, result_key
from worlds import check as checking
from worlds.bundle import Manifest
from worlds.servers import ServerUnavailable

LONGEST_ERROR = 4000
"""Characters of a traceback that are kept, from its end."""


class EngineDiffers(RuntimeError):
    """This process would check otherwise than the round asked for: its results belong under another key."""


def worker_name() -> str:
    """This process, to people: `host:pid`."""
    return f"{socket.gethostname()}:{os.getpid()}"


def work_off(ids: Collection[int], worker: str) -> Iterator[Check]:
    """Claim and run those of the checks `ids` that wait, one after the other; yields each when it ended.

    Any number of processes may be given the same ids.
    """
    while (held := claim(ids, worker)) is not None:
        run(held)
        yield held.check


def run_check(check_id: int, worker: str) -> bool:
    """Claim and run one check; False when it does not wait (any more)."""
    return any(work_off([check_id], worker))


def run(held: Claim) -> None:
    """Run a claimed check and end it. Trouble of ours ends it in error, and is never a finding.

    Raises only when the database went away: then the claim lapses, and the check is tried again.
    """
    try:
        known = Result.objects.filter(pk=held.check.result_key).first()
        if known is not None:
            adopt(held, _judged(held.check, is_playable=known.episodes.exists()))
        else:
            outcome = _outcome(held.check)
            finish(held, outcome, _judged(held.check, is_playable=bool(outcome.episodes)))
    except (EngineDiffers, ServerUnavailable) as error:
        fail(held, str(error))
    except (InterfaceError, OperationalError):
        raise
    except Exception:  # noqa: BLE001  # whatever it was, the check must not wait for its lease
        fail(held, traceback.format_exc()[-LONGEST_ERROR:])


def _judged(row: Check, *, is_playable: bool) -> list[Judgement]:
    """What the bundle makes of those of its counterexamples of which it was not asked yet."""
    manifest = Manifest.model_validate(row.manifest)
    outside = behaviours(row.round, [manifest])[manifest.digest]
    missing = unjudged({row.environment_id: (row.bundle, outside)}).get(row.environment_id)
    if not missing:
        return []
    _demand_engine(row, outside)
    return judged(bundle(manifest), missing, is_playable=is_playable)


def _outcome(row: Check) -> checking.CheckResult:
    made, manifest = row.round, Manifest.model_validate(row.manifest)
    outside = behaviours(made, [manifest])[manifest.digest]
    _demand_engine(row, outside)
    found = checking.check(
        bundle(manifest),
        agents.panel(made.panel),
        prove if made.searches else None,
        tells_all=_tells_all(row, outside),
    )
    if outside and behaviours(made, [manifest])[manifest.digest] != outside:
        raise EngineDiffers(
            f"start a new round: the source of {', '.join(outside)} was changed while this was checked"
        )
    return found


def _demand_engine(row: Check, outside: Behaviours) -> None:
    made = row.round
    if (here := recipe(made.panel, searches=made.searches)) != made.recipe:
        raise EngineDiffers(
            f"{made} was created for another engine (recipe {made.recipe[:12]}, here {here[:12]}): "
            "restart the workers and start a new round"
        )
    if outside and row.result_key not in (_key(row, outside), _key(row, outside, tells_all=True)):
        raise EngineDiffers(
            f"restart the workers and start a new round: the settings or the source of {', '.join(outside)} "
            f"are others here than where {made} was created"
        )


def _key(row: Check, outside: Behaviours, *, tells_all: bool = False) -> str:
    domain = row.environment.domain.slug
    return result_key(row.bundle, row.round.recipe, domain, outside, tells_all=tells_all)


def _tells_all(row: Check, outside: Behaviours) -> bool:
    """Whether the round asked this check to tell of all rows: its key says so, whatever environments there are now."""
    return row.result_key == _key(row, outside, tells_all=True)
