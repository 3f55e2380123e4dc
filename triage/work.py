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
from triage.behaviour import behaviours
from triage.claims import Claim, adopt, claim, fail, finish
from triage.models import Check, Result
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
        if Result.objects.filter(pk=held.check.result_key).exists():
            adopt(held)
        else:
            finish(held, _outcome(held.check))
    except (EngineDiffers, ServerUnavailable) as error:
        fail(held, str(error))
    except (InterfaceError, OperationalError):
        raise
    except Exception:  # noqa: BLE001  # whatever it was, the check must not wait for its lease
        fail(held, traceback.format_exc()[-LONGEST_ERROR:])


def _outcome(row: Check) -> checking.CheckResult:
    made = row.round
    if (here := recipe(made.panel)) != made.recipe:
        raise EngineDiffers(
            f"{made} was created for another engine (recipe {made.recipe[:12]}, here {here[:12]}): "
            "restart the workers and start a new round"
        )
    manifest = Manifest.model_validate(row.manifest)
    outside = behaviours(made, [manifest])[manifest.digest]
    domain = row.environment.domain.slug
    if outside and result_key(row.bundle, here, domain, outside) != row.result_key:
        raise EngineDiffers(
            f"restart the workers and start a new round: the settings or the source of {', '.join(outside)} "
            f"are others here than where {made} was created"
        )
    found = checking.check(bundle(manifest), agents.panel(made.panel), prove)
    if outside and behaviours(made, [manifest])[manifest.digest] != outside:
        raise EngineDiffers(
            f"start a new round: the source of {', '.join(outside)} was changed while this was checked"
        )
    return found
