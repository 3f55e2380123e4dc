"""One result by its key, of a round or of none: what an environment showed, made of what it was then."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from agents import PROVER
from triage.labelling import labels_of
from triage.models import Episode, Finding, Label, Result, Suspect
from triage.pages.environment import (
    EPISODES,
    FINDINGS,
    by_severity,
    episode_line,
    finding_line,
    parts_of,
)
from triage.pages.environments import timed
from triage.pages.evidence import Cited
from triage.pages.origin import Origin, differences, origin
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import asked_for, spreadsheet
from worlds.soundness import CHANGED


@login_required
def result(request: HttpRequest, key: str) -> HttpResponseBase:
    """`/results/KEY/`"""
    here, user = address(request), reader(request)
    row = get_object_or_404(Result.objects.visible_to(user), pk=key)
    findings, episodes = list(row.findings.for_list()), list(row.episodes.for_list())
    name, played = f"result-{key[:12]}", timed(row, episodes)
    sheets = {
        "findings": lambda: spreadsheet(f"{name}-findings", FINDINGS, map(finding_line, findings)),
        "episodes": lambda: spreadsheet(f"{name}-episodes", EPISODES, map(episode_line, played)),
    }
    if (download := asked_for(here, sheets)) is not None:
        return download
    of = origin(row, user)
    return render(
        request,
        "pages/result.html",
        {
            "here": here,
            "result": row,
            "of": of,
            "environment": of.environment,
            "findings": by_severity(findings),
            "found": len(findings),
            "timed": played,
            "prover": PROVER,
            "changed": CHANGED,
            "links": links(of, findings, episodes),
            "labels": labels_of(findings),
            "precisions": Label.objects.precisions(),
            "differences": differences(of),
            "proposals": of.trial.proposals.visible_to(user) if of.trial else [],
            "said": said(of, row),
        },
    )


def links(of: Origin, findings: list[Finding], episodes: list[Episode]) -> dict[int, Any]:
    """Finding → what its evidence leads to, where the environment is known."""
    if of.environment is None:
        return {}
    parts = parts_of(of.environment)
    return Cited(of.environment.domain, episodes, parts).links(findings)


def said(of: Origin, row: Result) -> list[tuple[Suspect, str]]:
    """The sentences of evidence that cite a swap's result, each with the suspect that it speaks of."""
    if of.attribution is None:
        return []
    suspects = of.attribution.fault.suspects.select_related("component__domain")
    return [
        (suspect, one["text"])
        for suspect in suspects
        for one in suspect.evidence
        if one.get("cites", {}).get("result") == row.pk
    ]
