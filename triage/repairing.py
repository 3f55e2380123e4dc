"""Repairs that propose themselves: proposers look at half of the environments that show a fault, what they say is tried
there, and the best of it is proposed and goes on trial on all that uses the components."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from components.actor import Actor, demand
from components.models import AuditEntry
from triage import alternatives, jobs, trials
from triage.candidates import CandidateInvalid, latest_trial
from triage.cases import opened
from triage.ladder import Ladder
from triage.looking import Looking
from triage.models import Fault, Proposal, Repair, Round, Trial
from triage.models.fault import FaultQuerySet
from triage.models.job import UNFINISHED_JOBS, JobState
from triage.models.proposal import DECIDED, ProposalState
from triage.models.trial import Stage
from triage.proposals import LONGEST, LONGEST_TITLE, ProposalInvalid, propose
from triage.repairsearch import Search
from triage.standins import Sources
from triage.trials import MOST_WAITING, TrialRefused, attempt
from triage.work import worker_name

PERMISSION = "triage.add_repair"
SECONDS = 30.0
"""That the search for one fault may take, unless somebody says otherwise."""
MOST_SECONDS = 600.0


class RepairRefused(ValueError):
    """No repair of this fault can be searched for, as it stands."""


def repair(
    actor: Actor,
    fault: Fault,
    *,
    sources: Sources | None = None,
    seconds: float = SECONDS,
    queue: bool = True,
) -> Repair:
    """Ask for a search; workers are told when the transaction commits. Where one waits or runs already, it is that
    one. Raises PermissionDenied and RepairRefused."""
    demand(actor, PERMISSION, "have repairs proposed")
    if not 0 < seconds <= MOST_SECONDS:
        raise RepairRefused(f"{seconds:g} seconds: give a number up to {MOST_SECONDS:g}")
    sources = sources or Sources()
    with transaction.atomic():
        fault = Fault.objects.select_for_update(of=("self",)).get(pk=fault.pk)
        if fault.last_round is None:
            raise RepairRefused(f"no round that is kept shows {fault}: run one first")
        running = fault.repairs.filter(state__in=UNFINISHED_JOBS).first()
        if running is not None:
            return running
        made = Repair.objects.create(
            fault=fault,
            author=actor,
            seconds=seconds,
            takes_back=sources.parents,
            borrows=sources.siblings,
        )
        _audit(actor, "fault.repair", made)
        if queue:
            jobs.queue(made)
    return made


def cancel(actor: Actor, held: Repair) -> None:
    """End it before its time; what it proposed stays. Raises PermissionDenied and `triage.jobs.JobOver`."""
    demand(actor, PERMISSION, "cancel the search for repairs")
    with transaction.atomic():
        jobs.cancel(actor, held)
        _audit(actor, "repair.cancel", held)


def _audit(actor: Actor, action: str, held: Repair) -> None:
    AuditEntry.objects.create(
        actor=actor,
        action=action,
        domain=held.fault.domain,
        target=str(held.fault),
        detail={"repair": held.pk, "seconds": held.seconds},
    )


def work(held: Repair) -> Iterator[tuple[int, int]]:
    """As `triage.jobs.Work`. Nothing of a search is stored before it ends: whoever goes on with one begins anew."""
    yield 0, 1
    found = opened(held.fault, Sources(held.takes_back, held.borrows), held)
    if found is None:
        raise jobs.JobFailed(
            f"no environment shows {held.fault} as it is now, or nobody is suspected of it"
        )
    looking = Looking(found, held)
    ladder = Ladder(found.case, looking.look, looking.before())
    search = Search(found.case, ladder, looking.weigh, held.seconds)
    yield from search
    with jobs.finishing(held):
        made = _proposed(held, search)
        held.spent, held.looked_at = round(search.spent, 3), found.looked_at
        held.counts = alternatives.counts(search, made)
        held.save(update_fields=["spent", "looked_at", "counts"])
        alternatives.keep(held, found.case, search, made)


def _proposed(held: Repair, search: Search) -> dict[int, Proposal]:
    """The best of the candidates that work, as drafts: place among those that work → proposal."""
    fault = held.fault
    waiting = fault.proposals.filter(state__in=(ProposalState.WAITING, ProposalState.TRYING))
    made: dict[int, Proposal] = {}
    for place, tried in enumerate(search.working[: MOST_WAITING - waiting.count()]):
        one = tried.candidate
        said = list(alternatives.components(fault, one.changes))
        words = (one.says[:LONGEST_TITLE], one.reason, one.authority[:LONGEST])
        with suppress(ProposalInvalid):  # somebody changed the component meanwhile
            proposal = propose(None, fault.domain, said, *words, fault)
            proposal.author, proposal.repair = held.author, held
            proposal.likelihood = min(1.0, tried.chance)
            proposal.save(update_fields=["author", "repair", "likelihood"])
            made[place] = proposal
    return made


# Trials of what it proposed


def advance(held: Repair, *, queue: bool = True) -> Trial | None:
    """Have the next of its proposals tried that was not yet; None where none is to be: one is being tried, one did all
    that is asked, or all were tried. Harmless at any time."""
    if held.state != JobState.DONE:
        return None
    rows = list(held.proposals.order_by("pk"))
    if any(row.state == ProposalState.TRYING or _is_clean(row) for row in rows):
        return None
    for row in rows:
        if row.state == ProposalState.DRAFT and not row.trials.exists():
            with suppress(TrialRefused, CandidateInvalid):
                return attempt(held.author, [row], queue=queue)
    return None


def waiting_on(name: str, pk: int) -> Iterator[Repair]:
    """The repairs that may go on when a job (by its model's name) ends: itself, or those that a trial was for."""
    rows = {
        "repair": Repair.objects.filter(pk=pk),
        "trial": Repair.objects.filter(proposals__trials=pk),
    }
    yield from rows.get(name, Repair.objects.none()).distinct().order_by("pk")


def resting() -> Iterator[Repair]:
    """Those with a proposal that nobody tried: whoever should have gone on with them was lost."""
    drafts = Proposal.objects.filter(state=ProposalState.DRAFT, trials=None).exclude(repair=None)
    gone_on = (ProposalState.TRYING, ProposalState.WAITING, *DECIDED)
    rows = Repair.objects.filter(state=JobState.DONE, pk__in=drafts.values("repair"))
    yield from rows.exclude(proposals__state__in=gone_on).order_by("pk")


def _is_clean(row: Proposal) -> bool:
    """Whether its trial fixed all that shows the fault, and nothing stands against it."""
    trial = latest_trial(row)
    if trial is None or trial.stage != Stage.FULL:
        return row.is_decided
    said = trial.report
    against = ("regressed", "errors", "weakens", "redefines")
    return said["cured"] >= said["affected"] > 0 and not any(said[name] for name in against)


def run_inline(held: Repair) -> Repair:
    """Search here and now, and try what it proposes to the end; for commands and tests."""
    jobs.run(Repair, held.pk, worker_name(), work)
    held.refresh_from_db()
    while (trial := advance(held, queue=False)) is not None:
        trials.run_inline(trial)
    return held


# By itself, after a round


AFTER_ROUNDS = "after-rounds"
"""What `ENVCURATE_PROPOSE` says where repairs are searched for by themselves."""


def wanting(faults: FaultQuerySet) -> FaultQuerySet:
    """Of these the open ones for which nothing is proposed that is not decided, and for which no search waits or
    runs."""
    proposals = Proposal.objects.undecided().filter(fault=OuterRef("pk")).order_by()
    running = Repair.objects.filter(fault=OuterRef("pk"), state__in=UNFINISHED_JOBS).order_by()
    return faults.open().exclude(Exists(proposals)).exclude(Exists(running))


def after_round(made: Round) -> list[Repair]:
    """Where the installation wants it, a search for each blocking fault that a gathered round showed last and for which
    nothing is proposed. Harmless when repeated: for what was searched since, nobody searches again."""
    if settings.ENVCURATE_PROPOSE != AFTER_ROUNDS or made.gathered is None:
        return []
    seen = wanting(Fault.objects.filter(last_round=made, is_blocking=True))
    since = Repair.objects.filter(fault=OuterRef("pk"), created__gte=made.gathered).order_by()
    due = seen.exclude(Exists(since)).order_by("-environments", "pk")
    return [asked for pk in list(due.values_list("pk", flat=True)) if (asked := _ask_once(due, pk))]


def _ask_once(due: FaultQuerySet, pk: int) -> Repair | None:
    """Several workers may close a round: whoever holds the fault first asks."""
    with transaction.atomic():
        held = due.filter(pk=pk).select_for_update(of=("self",), skip_locked=True).first()
        return None if held is None else repair(None, held)
