"""What a result is worth now, of an environment as it is or as it might be: as `triage.models.check.ended_as` has it of
checks."""

from __future__ import annotations

from components.bundles import bundle
from triage.behaviour import Behaviours
from triage.counterexamples import judged, unjudged
from triage.hypotheses import Hypothesis
from triage.models import Counterexample, Judgement, Result
from triage.models.check import pardoned
from triage.models.counterexample import Source, Standing
from triage.models.result import Status


def status_now(result: Result, hypothesis: Hypothesis, outside: Behaviours) -> str:
    """How a check with this result would count; `outside` as in `triage.behaviour`. At most three queries, and the
    play of those of the environment's counterexamples of which the bundle was never asked."""
    if _is_doubted(result, hypothesis, outside):
        return Status.BROKEN
    if result.status != Status.BROKEN or not pardoned().filter(pk=result.pk).exists():
        return result.status
    return Status.SOLVABLE if result.witness else Status.UNPROVEN


def _is_doubted(result: Result, hypothesis: Hypothesis, outside: Behaviours) -> bool:
    """Whether the bundle judges a person's counterexample wrongly."""
    environment, manifest = hypothesis.environment, hypothesis.manifest
    kept = Counterexample.objects.kept().filter(environment=environment, label=Source.PERSON)
    persons = set(kept.order_by().values_list("pk", flat=True))
    if not persons:
        return False
    asked = unjudged({environment.pk: (manifest.digest, outside)}).get(environment.pk, {})
    missing = {pk: key for pk, key in asked.items() if pk in persons}
    known = Judgement.objects.filter(
        counterexample__in=persons - missing.keys(), bundle=manifest.digest, state=Standing.OPEN
    )
    if known.exists():
        return True
    # Not stored: what a candidate makes of them is no news of where they stand.
    made = judged(bundle(manifest), missing, is_playable=result.episodes.exists())
    return any(each.state == Standing.OPEN for each in made)
