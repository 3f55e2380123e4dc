"""Attribution of one fault, thoroughly: who is suspected by the round's results, then each swapped alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from components.actor import Actor, demand
from components.models import AuditEntry, Component, Version
from triage import jobs, models
from triage.bisecting import brought_in
from triage.counterfactuals import Failing, Swap, states, swaps
from triage.faulttitles import code_of, title_of
from triage.hypotheses import Hypothesis, Shown
from triage.linecover import line_evidence
from triage.models import Attribution, Check, Fault, Suspect
from triage.models.attribution import Party, SuspectState
from triage.models.job import UNFINISHED_JOBS
from triage.observations import Evidence, Observation, Sign, Weighed
from triage.observed import observed
from triage.pointers import unproven
from triage.standins import Sources
from triage.suspects import MOST
from triage.ties import question_of, ranks_of
from triage.weighing import Group, Spectrum, weighed
from worlds.bundle import Manifest

PERMISSION = "triage.add_attribution"

MOST_SWAPPED = 5
"""Suspects for which stand-ins are tried, the likeliest first."""
LEAST_SWAPPED = 0.01
LEAST_RIVAL = 0.05
"""Probability below which a suspect stands in nobody's way."""
PROBED = 3
"""Failing environments in which each stand-in is tried."""
ODDS: Mapping[str, float] = {
    SuspectState.CONFIRMED: 100.0,
    SuspectState.CONSISTENT: 1.0,
    SuspectState.CLEARED: 0.1,
    SuspectState.UNTESTABLE: 1.0,
    SuspectState.UNTESTED: 1.0,
}
"""By how much a state multiplies what speaks for a suspect against the others. Of development faults every confirmed
suspect was at fault, and none that was cleared; with so few seen, neither is taken for certain."""


def attribute(actor: Actor, fault: Fault, *, queue: bool = True) -> Attribution:
    """Ask for it; workers are told when the transaction commits. Where one waits or runs already, it is that one.
    Raises PermissionDenied, and JobFailed where no round showed the fault."""
    demand(actor, PERMISSION, "have suspects weighed")
    with transaction.atomic():
        fault = Fault.objects.select_for_update(of=("self",)).get(pk=fault.pk)
        if fault.last_round is None:
            raise jobs.JobFailed(f"no round that is kept shows {fault}: run one first")
        running = fault.attributions.filter(state__in=UNFINISHED_JOBS).first()
        if running is not None:
            return running
        made = Attribution.objects.create(fault=fault, round=fault.last_round, author=actor)
        AuditEntry.objects.create(
            actor=actor,
            action="fault.attribute",
            domain=fault.domain,
            target=str(fault),
            detail={"attribution": made.pk, "round": fault.last_round.pk},
        )
        if queue:
            jobs.queue(made)
    return made


def cancel(actor: Actor, held: Attribution) -> None:
    """End it before its time: for who asked for it, and who may ask for one. Raises PermissionDenied and JobOver."""
    if actor is None or actor.pk != held.author_id:
        demand(actor, PERMISSION, "cancel the weighing of suspects")
    with transaction.atomic():
        jobs.cancel(actor, held)
        AuditEntry.objects.create(
            actor=actor,
            action="attribution.cancel",
            domain=held.fault.domain,
            target=str(held.fault),
            detail={"attribution": held.pk},
        )


def work(held: Attribution, sources: Sources | None = None) -> Iterator[tuple[int, int]]:
    """As `triage.jobs.Work`. What swaps showed is stored as it comes, by key: whoever goes on finds it done."""
    case = _Case(held)
    chosen = [
        case.components[each.location.component]
        for each in case.suspects[:MOST_SWAPPED]
        if each.score >= LEAST_SWAPPED and each.location.component in case.components
    ]
    total = len(chosen) + 2
    yield 1, total
    tried: dict[Component, list[Swap]] = {}
    for number, component in enumerate(chosen, 2):
        tried[component] = []
        for swap in swaps(component, case.failing, case.codes, sources or Sources(), held):
            tried[component].append(swap)
            yield number - 1, total  # a suspect may have more stand-ins than one lease has time for
        yield number, total
    judged = _judged(case, tried)
    shown = [each for mine in tried.values() for swap in mine for each in swap.shown]
    if judged:
        judged[0], more = _with_history(case, held, judged[0])
        shown += more
    with jobs.finishing(held):
        _store(held, case, judged)
        _note(held, shown)
    yield total, total


class _Case:
    """What the round says of the fault."""

    def __init__(self, held: Attribution) -> None:
        self.fault = held.fault
        observations = observed(held.round, held.fault.domain)
        self.group = _group(held, observations)
        if not self.group:
            raise jobs.JobFailed(
                f"no finding that counts shows {self.fault} in {held.round} any longer"
            )
        self.spectrum = Spectrum(observations)
        self.suspects = weighed(self.group, self.spectrum)
        self.codes = {sign.code for _, signs in self.group for sign in signs}
        self.failing = _failing(self.group)
        names = [each.location.component for each in self.suspects]
        rows = Component.objects.filter(
            domain=self.fault.domain, slug__in={slug for _, slug in names}
        )
        self.components = {(row.kind, row.slug): row for row in rows}
        self.versions = _versions(self.components.values(), self.failing)
        self.sound = [each for each in observations if not each.fails]


def _group(held: Attribution, observations: Sequence[Observation]) -> Group:
    prints = set(held.fault.symptoms.values_list("fingerprint", flat=True))
    sighted = set(
        held.fault.sightings.filter(check_row__round=held.round).values_list("check_row", flat=True)
    )
    found = []
    for each in observations:
        signs = each.signs or ((unproven(each),) if each.fails else ())
        mine = tuple(sign for sign in signs if sign.fingerprint in prints)
        if mine and each.check in sighted:
            found.append((each, mine))
    return found


def _failing(group: Group) -> list[Failing]:
    """The environments that are cheapest to check, one of each intent first."""
    intents = {each.check: dict(each.parts)["intent"] for each, _ in group}
    checks = Check.objects.filter(pk__in=intents, result__isnull=False)
    seen: dict[str, int] = {}
    ranked = []
    for pk in checks.order_by("result__seconds", "pk").values_list("pk", flat=True):
        seen[intents[pk]] = seen.get(intents[pk], 0) + 1
        ranked.append((seen[intents[pk]], pk))
    chosen = [pk for _, pk in sorted(ranked, key=lambda pair: pair[0])][:PROBED]
    rows = checks.select_related("environment__domain", "result").in_bulk(chosen)
    return [
        Failing(Hypothesis(row.environment, Manifest.model_validate(row.manifest)), row.result)
        for pk in chosen
        if (row := rows[pk]).result is not None
    ]


def _versions(components: Any, failing: Sequence[Failing]) -> dict[Component, Version]:
    """Component → the version that the failing environments have."""
    bodies = {ref.body for each in failing for _, ref in each.hypothesis.manifest.refs()}
    rows = Version.objects.filter(component__in=list(components), body__in=bodies)
    return {row.component: row for row in rows.select_related("component").order_by("number")}


@dataclass(frozen=True)
class _Judged:
    """A suspect at the end."""

    weighed: Weighed
    component: Component | None
    state: SuspectState
    party: Party = Party.COMPONENT


def _judged(case: _Case, tried: Mapping[Component, Sequence[Swap]]) -> list[_Judged]:
    """All suspects with the evidence of the swaps, the likeliest first."""
    scores = {
        case.components[each.location.component]: each.score
        for each in case.suspects
        if each.location.component in case.components
    }
    known = states(scores, tried, LEAST_RIVAL)
    found = []
    for each in case.suspects:
        component = case.components.get(each.location.component)
        state = known[component] if component and component in tried else SuspectState.UNTESTED
        swapped = tried.get(component, ()) if component else ()
        evidence = (*each.evidence, *(swap.evidence() for swap in swapped))
        found.append((each.score * ODDS[state], replace(each, evidence=evidence), component, state))
    total = sum(score for score, *_ in found) or 1.0
    judged = [
        _Judged(replace(each, score=score / total), component, state, _party(case.group, each))
        for score, each, component, state in found
    ]
    return sorted(judged, key=lambda each: (-each.weighed.score, each.weighed.location))


def _party(group: Group, each: Weighed) -> Party:
    """Of an intent: the simulated user, where all that blames it stands in the user's script; the plan, where the goal
    is met in another way than the plan's."""
    at = each.location
    if at.kind != "intent":
        return Party.COMPONENT
    blaming = [
        sign for _, signs in group for sign in signs if sign.blamed.component == at.component
    ]
    if blaming and all(_of_user(sign) for sign in blaming):
        return Party.USER
    mine = [one for one, _ in group if at.component in one.parts]
    if mine and all(one.is_solved_otherwise for one in mine):
        return Party.PLAN
    return Party.COMPONENT


def _of_user(sign: Sign) -> bool:
    return sign.place.startswith("user.")


def _with_history(
    case: _Case, held: Attribution, best: _Judged
) -> tuple[_Judged, tuple[Shown, ...]]:
    """The likeliest suspect with the lines of its source, and the version that brought the fault in; and what was
    checked to tell that."""
    if best.component is None:
        return best, ()
    shown: tuple[Shown, ...] = ()
    version = case.versions.get(best.component)
    pk = version.pk if version else None
    more = list(line_evidence(best.weighed.location, case.group, case.sound, pk))
    if case.failing:
        found = brought_in(best.component, case.failing[0].hypothesis, held)
        if found is not None:
            what = f"{best.component.slug} v{found.version.number} brought it in, after v{found.before.number}."
            more += [Evidence("version", what, {"version": found.version.pk}), *found.evidence]
            shown = found.shown
    evidence = (*best.weighed.evidence, *more)
    return replace(best, weighed=replace(best.weighed, evidence=evidence)), shown


def _store(held: Attribution, case: _Case, judged: Sequence[_Judged]) -> None:
    kept = judged[:MOST]
    ranks = ranks_of([each.weighed.score for each in kept])
    question = question_of(
        [each.weighed.location for each, rank in zip(kept, ranks, strict=True) if rank == 1]
    )
    # As gathering does: it replaces suspects too.
    fault = Fault.objects.select_for_update(no_key=True).get(pk=held.fault_id)
    if fault.last_round_id != held.round_id:
        raise jobs.JobFailed(
            f"{fault.last_round} saw the fault meanwhile, and knows better: ask again"
        )
    held.fault.suspects.all().delete()
    _rename(held.fault, case, kept)
    Suspect.objects.bulk_create(
        Suspect(
            fault=held.fault,
            attribution=held,
            rank=rank,
            party=each.party,
            component=each.component,
            version=case.versions.get(each.component) if each.component else None,
            symbol=each.weighed.location.symbol,
            score=each.weighed.score,
            direct=each.weighed.direct,
            spectrum=each.weighed.spectrum,
            state=each.state,
            evidence=[
                {"sort": one.sort, "text": one.text, "cites": dict(one.cites)}
                for one in each.weighed.evidence
            ],
            question=question if rank == 1 else "",
        )
        for rank, each in zip(ranks, kept, strict=True)
    )


def _note(held: Attribution, shown: Iterable[Shown]) -> None:
    """Write down what evidence cites: with it a result can be opened that no round has, and says what it is of."""
    rows = {each.result.pk: each for each in shown if each.result is not None}
    models.Swap.objects.bulk_create(
        models.Swap(
            attribution=held,
            result_id=key,
            environment=each.hypothesis.environment,
            manifest=each.hypothesis.manifest.model_dump(mode="json"),
        )
        for key, each in rows.items()
    )


def _rename(fault: Fault, case: _Case, judged: Sequence[_Judged]) -> None:
    """What happens, in the words of the suspect that is the likeliest now."""
    best = judged[0] if judged else None
    at = best.weighed.location if best and best.party == Party.COMPONENT else None
    signs = [sign for _, mine in case.group for sign in mine]
    code = code_of(at, signs)
    Fault.objects.filter(pk=fault.pk).update(code=code, title=title_of(code, at, signs))
