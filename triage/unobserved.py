"""What a certificate cannot vouch for: what could not run, and what was found and does not count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from triage.models import Certificate, Finding
from triage.models.result import Witness

ALWAYS = ("static", "controls", "soundness")
"""The stages of every check; `solving` is for where no plan won."""
UNCOVERED = ("clause-uncovered", "criteria-unused")
"""Codes that say of something that nothing judges it."""


class Gap(TypedDict):
    """Something that was not looked at, or was seen and does not count."""

    what: str
    why: str


def gaps(row: Certificate) -> list[Gap]:
    """Of a certificate with what `triage.certificates.detailed` reads."""
    return [*_hidden(row), *_skipped(row), *_idle(row), *_found(row)]


def _hidden(row: Certificate) -> Iterator[Gap]:
    for one in row.unobserved:
        yield Gap(what=one["what"], why=one["why"])


def _skipped(row: Certificate) -> Iterator[Gap]:
    for stage in ALWAYS:
        if stage not in row.checks:
            yield Gap(what=f"stage {stage}", why=_no_plan(row))


def _idle(row: Certificate) -> Iterator[Gap]:
    acted = {one.agent.name for one in row.result.episodes.all()}
    for name in sorted(set(row.agents) - acted):
        yield Gap(what=f"agent {name}", why="it made no attempt: there is no plan to follow")


def _no_plan(row: Certificate) -> str:
    if row.witness == Witness.PLAN:
        return "it did not run"
    return f"no plan won (the witness is the {row.witness}), and it changes what a plan did"


def _found(row: Certificate) -> Iterator[Gap]:
    for one in row.result.findings.all():
        place = f"{one.code} at {one.kind}/{one.slug} {one.place}"
        if not one.is_counted:
            yield Gap(what=place, why="; ".join(_reasons(one)))
        elif one.code in UNCOVERED:
            yield Gap(what=place, why=one.message)


def _reasons(found: Finding) -> Iterator[str]:
    """Why a finding does not count, with who says so."""
    if found.is_accepted:
        entry = found.acceptance
        yield f"accepted by {entry.by}: {entry.reason}" if entry else "accepted"
    if found.is_dismissed and found.said:
        yield f"labelled wrong by {found.said['author'] or 'somebody who is gone'}: {found.said['reason']}"
    if found.is_demoted:
        yield "its code is right too rarely to be more than advice"
