"""Which version of a component brought a fault in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Model

from components.models import Component, Version
from triage.hypotheses import Hypothesis, Shown, known_results, results_of
from triage.models import Result
from triage.models.result import Status
from triage.observations import Evidence
from triage.standins import in_place
from worlds.bundle import Ref


@dataclass(frozen=True)
class Span:
    """Where in a history it went from passing to failing."""

    passes: int
    fails: int
    """The next one that could be told: the very next, unless those between could not be."""
    failed_before: tuple[int, ...] = ()
    """Earlier ones that are known to fail: it has come and gone before."""


def narrowed(
    last: int, known: Mapping[int, bool], passes: Callable[[int], bool | None]
) -> Span | None:
    """Where a history of versions 0 … `last`, of which the last one fails, last went from passing to failing; None
    where none passes. `known` says of some whether they pass, `passes` tells it of any other, or None where it cannot;
    it is asked as few times as a binary search asks.

    Where a history went back and forth, the answer is a true one and need not be the only one.
    """
    told: dict[int, bool | None] = {**known, last: False}

    def asked(number: int) -> bool | None:
        if number not in told:
            told[number] = passes(number)
        return told[number]

    good = max((number for number, passed in told.items() if passed), default=None)
    if good is None:
        good = next((number for number in range(last) if asked(number) is not None), None)
        if good is None or not told[good]:
            return None
    bad = min(number for number, passed in told.items() if passed is False and number > good)
    while untold := [
        number for number in range(good + 1, bad) if told.get(number, True) is not None
    ]:
        middle = untold[len(untold) // 2]
        passed = asked(middle)
        if passed:
            good = middle
        elif passed is False:
            bad = middle
    before = tuple(sorted(n for n, passed in told.items() if passed is False and n < good))
    return Span(good, bad, before)


@dataclass(frozen=True)
class BroughtIn:
    """The version with which an environment fails, after one with which it passes."""

    version: Version
    before: Version
    evidence: tuple[Evidence, ...]
    shown: tuple[Shown, ...] = ()
    """What the evidence cites, as it was checked."""


def brought_in(
    component: Component,
    environment: Hypothesis,
    asker: Model,
    passes: Callable[[Result], bool] = lambda result: result.status == Status.SOLVABLE,
) -> BroughtIn | None:
    """Which version of a component brought in what makes an environment fail, as it is given; None where it fails with
    all of them, or none can be told. What is checked on the way is stored as ever; `asker` as in `triage.behaviour`,
    `passes` what counts as failing no longer."""
    history = _history(component, environment)
    if len(history) < 2:
        return None
    tried = [_with(each, component, environment) for each in history]
    stored = known_results(tried, asker)
    known = {number: passes(result) for number, result in enumerate(stored) if result is not None}
    results = {number: result for number, result in enumerate(stored) if result is not None}

    def asked(number: int) -> bool | None:
        (shown,) = results_of([tried[number]], asker)
        if shown.result is None:
            return None
        results[number] = shown.result
        return passes(shown.result)

    span = narrowed(len(history) - 1, known, asked)
    return None if span is None else _told(span, history, tried, results)


def _history(component: Component, environment: Hypothesis) -> list[Version]:
    """Its versions up to the one that the environment has, each where it says something else than the one before."""
    refs = environment.manifest.refs()
    bodies = {ref.body for kind, ref in refs if kind == component.kind}
    versions = list(component.versions.order_by("number"))
    newest = max((each.number for each in versions if each.body_id in bodies), default=0)
    history: list[Version] = []
    for each in versions:
        if each.number <= newest and (not history or history[-1].body_id != each.body_id):
            history.append(each)
    return history


def _with(version: Version, component: Component, environment: Hypothesis) -> Hypothesis:
    manifest = environment.manifest
    slug = manifest.domain.slug if component.kind == "domain" else component.slug
    ref = Ref(slug=slug, body=version.body_id)
    placed = in_place(manifest, component.kind, component.slug, ref)  # type: ignore[arg-type]  # a CharField is str
    return Hypothesis(environment.environment, placed)


def _told(
    span: Span,
    history: Sequence[Version],
    tried: Sequence[Hypothesis],
    results: Mapping[int, Result],
) -> BroughtIn:
    version, before = history[span.fails], history[span.passes]
    slug = version.component.slug
    texts = [
        (f"The environment passes with {slug} v{before.number}.", span.passes),
        (f"It fails with {slug} v{version.number}.", span.fails),
    ]
    evidence = [
        Evidence("version", text, {"result": results[number].key} if number in results else {})
        for text, number in texts
    ]
    untold = [history[number] for number in range(span.passes + 1, span.fails)]
    if untold:
        names = ", ".join(f"v{each.number}" for each in untold)
        evidence.append(Evidence("version", f"With {names} between them it could not be checked."))
    if span.failed_before:
        first = history[span.failed_before[0]].number
        text = f"It failed with v{first} already, and passed after it: this is the last time, not the only one."
        evidence.append(Evidence("version", text))
    cited = [number for number in (span.passes, span.fails) if number in results]
    shown = tuple(Shown(tried[number], results[number]) for number in cited)
    return BroughtIn(version, before, tuple(evidence), shown)
