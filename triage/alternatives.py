"""What a search tried, as rows: how far each candidate came, and why it lost."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from components.models import Component
from triage.models import Alternative, Fault, Proposal, Repair
from triage.models.repair import Fate
from triage.proposers.candidate import Candidate, Name
from triage.proposers.case import Case
from triage.repairsearch import Search, Tried
from triage.results import storable
from worlds.body import Body
from worlds.domain import Domain
from worlds.folder import File
from worlds.librarywriter import file_text

KEPT, KEPT_UNTRIED = 60, 10
LONGEST_DIFF = 6_000
"""Characters."""
CONTEXT = 3


def keep(held: Repair, case: Case, search: Search, made: Mapping[int, Proposal]) -> None:
    """Store those that came furthest; `made` says which of `search.working` became proposals, by place."""
    rows = [
        *(_row(held, case, each, made.get(place)) for place, each in enumerate(search.working)),
        *(_row(held, case, each, None) for each in _failed(search)),
        *(_untried(held, case, one) for _, one in islice(search.left, KEPT_UNTRIED)),
    ][:KEPT]
    for rank, row in enumerate(rows, 1):
        row.rank = rank
    Alternative.objects.bulk_create(rows)


def counts(search: Search, made: Mapping[int, Proposal]) -> dict[str, int]:
    """Fate → candidates."""
    found = search.counts
    if made:
        found[Fate.OUTRANKED] -= len(made)
        found[Fate.PROPOSED] = len(made)
    return {str(fate): found[fate] for fate in Fate if found.get(fate)}


def _failed(search: Search) -> Sequence[Tried]:
    order = list(Fate)
    lost = (each for each in search.tried if not each.climbed.works)
    return sorted(lost, key=lambda each: (-order.index(each.climbed.fate), -each.chance))


def _row(held: Repair, case: Case, tried: Tried, proposal: Proposal | None) -> Alternative:
    made = _named(held, case, tried.candidate)
    climbed = tried.climbed
    made.fate = climbed.fate if proposal is None else Fate.PROPOSED
    made.because = str(storable(_because(tried, proposal)))[:2000]
    made.cured, made.proposal = list(climbed.cured), proposal
    return made


def _because(tried: Tried, proposal: Proposal | None) -> str:
    said = tried.climbed.because
    if tried.weakens:
        said = "it weakens the verifier: a wrong episode would be accepted"
    elif tried.redefines:
        said = "it redefines the task: instruction, binding or expected effect change"
    elif tried.climbed.works and proposal is None:
        said = said or "others are likelier to be right"
    return said


def _untried(held: Repair, case: Case, candidate: Candidate) -> Alternative:
    made = _named(held, case, candidate)
    made.fate, made.because = Fate.UNTRIED, "the search ended before its turn came"
    return made


def _named(held: Repair, case: Case, candidate: Candidate) -> Alternative:
    return Alternative(
        repair=held,
        proposer=candidate.proposer,
        says=str(storable(candidate.says))[:400],
        components=[f"{kind}/{slug}" for kind, slug in candidate.changes],
        diff=str(storable(diff(case, candidate.changes)))[:LONGEST_DIFF],
        authority=str(storable(candidate.authority))[:2000],
        likelihood=candidate.likelihood,
    )


def components(fault: Fault, changes: Mapping[Name, Body]) -> Iterator[tuple[Component, Body]]:
    """The rows of what would change."""
    rows = Component.objects.filter(domain=fault.domain_id)
    for (kind, slug), body in changes.items():
        yield rows.get(kind=kind) if kind == "domain" else rows.get(kind=kind, slug=slug), body


def diff(case: Case, changes: Mapping[Name, Body]) -> str:
    """Unified, of the components' files."""
    return "".join(_diffs(case, changes))


def _diffs(case: Case, changes: Mapping[Name, Body]) -> Iterator[str]:
    contract = case.seen[0].bundle.domain
    for name, body in changes.items():
        before = case.body(name)
        if before is not None:
            texts = [_text(name, each, contract).splitlines() for each in (before, body)]
            yield from (f"{line}\n" for line in unified("/".join(name), *texts))


def _text(name: Name, body: Body, contract: Domain) -> str:
    return file_text(File(name[1], body), contract)


def unified(name: str, before: Sequence[str], after: Sequence[str]) -> Iterable[str]:
    """A unified diff of texts that are alike at both ends, however long: what they share there is not compared."""
    most = min(len(before), len(after))
    first = next((i for i in range(most) if before[i] != after[i]), most)
    last = next((i for i in range(most - first) if before[-1 - i] != after[-1 - i]), most - first)
    start, end = max(first - CONTEXT, 0), max(last - CONTEXT, 0)
    one, other = (lines[start : len(lines) - end] for lines in (before, after))
    made = difflib.unified_diff(one, other, f"{name} (as it is)", f"{name} (proposed)", lineterm="")
    for line in made:
        yield _moved(line, start) if line.startswith("@@") else line


def _moved(header: str, by: int) -> str:
    """`@@ -A,B +C,D @@` further down."""
    marks = []
    for mark in header.split()[1:3]:
        at, comma, size = mark[1:].partition(",")
        marks.append(f"{mark[0]}{int(at) + by}{comma}{size}")
    return f"@@ {' '.join(marks)} @@"
