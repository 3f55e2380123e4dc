"""Faults: a round's findings gathered by cause, known again from round to round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F
from django.db.models.functions import Now

from components.models import Domain
from triage.causes import causes
from triage.faulttitles import code_of, title_of
from triage.models import Fault, Round, Sighting, Suspect, Symptom
from triage.models.attribution import Party as PartyName
from triage.observations import Cause, Location, Sign
from triage.observed import note_facts, observed
from triage.sameness import Party, Traits, matched
from triage.settling import settle
from triage.suspects import Roster, best_of, rows_of

FOLLOWS_SUSPECT = ("code", "title")
"""What a fault has from its best suspect."""


def gather(made: Round) -> None:
    """Gather the findings of a finished round into faults; harmless where it was done before, or is being done."""
    if made.gathered is None:
        note_facts(made)
    with transaction.atomic():
        waiting = Round.objects.filter(pk=made.pk, gathered=None).exclude(finished=None)
        if not waiting.select_for_update(skip_locked=True, no_key=True):
            return
        # One round of a domain at a time: two would take one cause for two new faults.
        mine = Domain.objects.filter(rounds=made).order_by("pk")
        for domain in list(mine.select_for_update(no_key=True, of=("self",))):
            _gather(made, domain)
        Round.objects.filter(pk=made.pk).update(gathered=Now())
    made.refresh_from_db(fields=["gathered"])


def _gather(made: Round, domain: Domain) -> None:
    found = [_Found(signs, one) for one in causes(observed(made, domain)) if (signs := _signs(one))]
    known = _known(domain)
    same = matched([one.traits for one in found], {pk: one.traits for pk, one in known.items()})
    for position, one in enumerate(found):
        one.known = known.get(same.get(position, 0))
    _name(made, domain, found)
    _write_symptoms(made, found)
    _write_suspects(made, domain, found)
    Sighting.objects.bulk_create(row for one in found for row in one.sightings())
    settle(made, domain)


# What there is


@dataclass
class _Known:
    """A fault of rounds before."""

    fault: Fault
    symptoms: dict[str, Symptom]
    weights: Mapping[str, int]
    suspects: list[Suspect]

    @property
    def traits(self) -> Traits:
        return Traits(self.fault.code, self.weights, self.best)

    @property
    def best(self) -> Party | None:
        return best_of(self.suspects)


class _Found:
    """A cause in this round, and the fault that it is."""

    def __init__(self, signs: dict[int, tuple[Sign, ...]], cause: Cause) -> None:
        self.signs = signs
        self.suspects = cause.suspects
        self.code = code_of(self.place, self.all_signs)
        self.known: _Known | None = None
        self.fault = Fault()

    @property
    def all_signs(self) -> list[Sign]:
        return [sign for signs in self.signs.values() for sign in signs]

    @property
    def place(self) -> Location | None:
        """Where its best suspect is."""
        is_component = self.suspects and self.suspects[0].party == PartyName.COMPONENT
        return self.suspects[0].location if is_component else None

    @property
    def best(self) -> Party | None:
        if not self.suspects:
            return None
        return Party(self.suspects[0].party, *(self.place or ()))

    @property
    def symptoms(self) -> dict[str, Sign]:
        """Fingerprint → one of the signs that has it."""
        return {sign.fingerprint: sign for sign in reversed(self.all_signs)}

    @property
    def traits(self) -> Traits:
        weights: dict[str, int] = defaultdict(int)
        for signs in self.signs.values():
            for print_ in {sign.fingerprint for sign in signs}:
                weights[print_] += 1
        return Traits(self.code, weights, self.best)

    def is_late(self, made: Round) -> bool:
        """Whether a later round told of the fault already: it knows better who causes it."""
        return self.known is not None and (self.known.fault.last_round_id or 0) > made.pk

    def sightings(self) -> list[Sighting]:
        return [
            Sighting(
                fault=self.fault,
                check_row_id=check,
                is_blocking=any(sign.severity == "blocking" for sign in signs),
            )
            for check, signs in self.signs.items()
        ]


def _signs(cause: Cause) -> dict[int, tuple[Sign, ...]]:
    return {check: signs for check, signs in cause.signs.items() if signs}


def _known(domain: Domain) -> dict[int, _Known]:
    """The faults of a domain, locked; four queries."""
    faults = Fault.objects.filter(domain=domain).order_by("pk").select_for_update(no_key=True)
    found = {fault.pk: _Known(fault, {}, {}, []) for fault in faults}
    for symptom in Symptom.objects.filter(fault__domain=domain):
        found[symptom.fault_id].symptoms[symptom.fingerprint] = symptom
    for suspect in Suspect.objects.filter(fault__domain=domain).select_related(
        "component", "version"
    ):
        found[suspect.fault_id].suspects.append(suspect)
    counts = _counts(domain)
    for pk, one in found.items():
        one.weights = {print_: counts.get((pk, print_), 1) for print_ in one.symptoms}
    return found


def _counts(domain: Domain) -> dict[tuple[int, str], int]:
    """(fault, fingerprint) → how many checks of the last round that showed the fault have such a finding."""
    last = Sighting.objects.filter(
        fault__domain=domain, check_row__round=F("fault__last_round")
    ).order_by()
    rows = last.values_list("fault", "check_row__result__findings__fingerprint")
    return {
        (fault, print_): count
        for fault, print_, count in rows.annotate(count=Count("check_row", distinct=True))
    }


# What is written


def _name(made: Round, domain: Domain, found: Sequence[_Found]) -> None:
    """Make the rows of new faults, and say of which rounds the others are."""
    for one in found:
        if one.known is None:
            title = title_of(one.code, one.place, one.all_signs)
            one.fault = Fault(
                domain=domain, code=one.code, title=title, first_round=made, last_round=made
            )
        else:
            one.fault = one.known.fault
            rounds = (one.fault.first_round_id, one.fault.last_round_id, made.pk)
            seen = [pk for pk in rounds if pk is not None]
            one.fault.first_round_id, one.fault.last_round_id = min(seen), max(seen)
    Fault.objects.bulk_create(one.fault for one in found if one.known is None)
    old = [one.fault for one in found if one.known]
    Fault.objects.bulk_update(old, ["first_round", "last_round"], batch_size=1000)


def _write_symptoms(made: Round, found: Sequence[_Found]) -> None:
    """New ones, and without those that this round tells to be another's."""
    everywhere = {print_ for one in found for print_ in one.symptoms}
    gone = [
        symptom.pk
        for one in found
        if one.known and not one.is_late(made)
        for print_, symptom in one.known.symptoms.items()
        if print_ in everywhere and print_ not in one.symptoms
    ]
    Symptom.objects.filter(pk__in=gone).delete()
    Symptom.objects.bulk_create(
        Symptom(
            fault=one.fault,
            fingerprint=print_,
            code=sign.code,
            kind=sign.kind,
            slug=sign.slug,
            symbol=sign.symbol,
        )
        for one in found
        for print_, sign in one.symptoms.items()
        if one.known is None or print_ not in one.known.symptoms
    )


def _write_suspects(made: Round, domain: Domain, found: Sequence[_Found]) -> None:
    """Those of the causes, where what is known of a fault's suspects is not better."""
    roster = Roster.of(made, domain)
    replaced = [one for one in found if not (one.is_late(made) or _is_known_better(one, roster))]
    for one in replaced:
        if one.known and one.known.best != one.best:
            one.fault.code = one.code
            one.fault.title = title_of(one.code, one.place, one.all_signs)
    old = [one.fault for one in replaced if one.known]
    Fault.objects.bulk_update(old, FOLLOWS_SUSPECT, batch_size=1000)
    Suspect.objects.filter(fault__in=old).delete()
    Suspect.objects.bulk_create(
        row for one in replaced for row in rows_of(one.fault, one.suspects, roster)
    )


def _is_known_better(one: _Found, roster: Roster) -> bool:
    """Whether a thorough attribution weighed the suspects, or a round that saw the fault in more environments, and
    they are still what they were."""
    if one.known is None or not one.known.suspects:
        return False
    is_thorough = any(row.attribution_id for row in one.known.suspects)
    saw_more = len(one.signs) < one.fault.environments
    return (is_thorough or saw_more) and roster.still_has(one.known.suspects)
