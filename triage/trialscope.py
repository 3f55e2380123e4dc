"""Which environments a trial runs, stage by stage: the same ones whoever asks, while nobody changes what there is."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from components.models import Component, Environment, Part
from components.models.body import Kind
from components.models.environment import EnvironmentQuerySet
from triage.models import Trial
from triage.models.trial import Stage
from triage.sightings import showing

PROBED = 3
SAMPLED = 20
STAGES = (Stage.PROBE, Stage.SAMPLE, Stage.FULL)


@dataclass(frozen=True)
class TrialScope:
    """Environments by id; each stage holds those of the one before."""

    probe: Sequence[int]
    sample: Sequence[int]
    full: Sequence[int]
    affected: frozenset[int]
    """Those of them that show the faults that the proposals are for."""

    @classmethod
    def of(cls, trial: Trial) -> TrialScope:
        """Two queries."""
        used = dict(_using(trial).order_by("pk").values_list("pk", "slug"))
        affected = _affected(trial, used)
        probe = (affected or sorted(used))[:PROBED]
        sample = _sample(used, probe, affected)
        return cls(probe, sample, list(used), frozenset(affected))

    @classmethod
    def unseen(cls, trial: Trial) -> int:
        """How many environments use what the trial changes, and came since it ran; one query."""
        return _using(trial).exclude(pk__in=trial.outcomes.values("environment")).count()

    def of_stage(self, stage: Stage) -> Sequence[int]:
        """The environments of a stage."""
        return {Stage.PROBE: self.probe, Stage.SAMPLE: self.sample, Stage.FULL: self.full}[stage]


def _using(trial: Trial) -> EnvironmentQuerySet:
    """Those that use a component that would change; of a contract's, all of the domain."""
    changed = Component.objects.filter(pk__in=[each["component"] for each in trial.changes])
    domains = changed.filter(kind=Kind.DOMAIN).values("domain")
    parts = Part.objects.filter(component__in=changed)
    return Environment.objects.filter(Q(pk__in=parts.values("environment")) | Q(domain__in=domains))


def _affected(trial: Trial, used: Collection[int]) -> list[int]:
    """Those that show a fault in their newest check, the cheapest to check first."""
    shown = showing().filter(fault__proposals__trials=trial, check_row__environment__in=used)
    shown = shown.order_by("check_row__result__seconds", "check_row__environment_id")
    return list(dict.fromkeys(shown.values_list("check_row__environment", flat=True)))


def _sample(used: Mapping[int, str], probe: Sequence[int], affected: Sequence[int]) -> list[int]:
    """As many affected as unaffected ones while there are enough of both, those of the probe first."""
    mixed = sorted(used, key=lambda pk: hashlib.sha256(used[pk].encode()).digest())
    ordered = list(dict.fromkeys([*probe, *mixed]))
    shown = [pk for pk in ordered if pk in set(affected)]
    others = [pk for pk in ordered if pk not in set(affected)]
    half = SAMPLED // 2
    return [*shown[: max(half, SAMPLED - len(others))], *others[: max(half, SAMPLED - len(shown))]]
