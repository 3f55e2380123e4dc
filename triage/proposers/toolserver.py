"""Tool servers: small edits where failing attempts differ from sound ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import sqrt

import libcst as cst

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Seen, Spot
from triage.proposers.sourceedits import EDITORS
from triage.proposers.sourceedits.asked import asked_of
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.coverage import Line, covered
from worlds.intent import PlanStep
from worlds.records import RecordsInvalid
from worlds.replay import actions_of
from worlds.servers import ServerUnavailable
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody

NAME = "toolserver"
MOST, MOST_EDITS = 80, 1_000
"""Candidates of one editor, and edits of which they are the likeliest."""
FIRST: Mapping[str, Sequence[str]] = {
    "source-invalid": ("state", "clocks", "parameters"),
    "state-leak": ("state",),
    "nondeterministic": ("clocks", "orders"),
    "tool-crash": ("nones", "guards", "fields", "spellings"),
    "arguments-invalid": ("parameters", "names"),
    "name-unknown": ("fields", "names", "values", "results"),
    "row-invalid": ("values", "spellings", "fields", "newrows"),
    "limit-exceeded": ("flow",),
    "plan-refused": ("guards", "conditions", "comparisons", "values", "filters"),
    "plan-misses-goal": ("writebacks", "doubles", "results", "filters", "newrows"),
    "plan-breaks-rule": ("writebacks", "guards", "orders", "newrows"),
    "idle-step": ("writebacks", "missing calls"),
}
"""Code → the kinds of edits that mend such a fault most often."""
PLAYED = 3
"""Failing environments, and as many sound ones, whose attempts tell which lines are suspicious."""
ELSEWHERE = 0.6
"""How suspicious a function is that failing attempts run, against the one that is suspected by name."""
UNSEEN = 0.3
"""How suspicious any place is where nobody knows what ran."""


def propose(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Edits of the suspect: kind by kind, first those that the fault's codes ask for; of each the likeliest first."""
    body = case.body(spot.name)
    if not isinstance(body, ToolServerBody):
        return
    code = localized(case, spot, body)
    for name in _ordered(case):
        try:
            edits = list(islice(EDITORS[name](code), MOST_EDITS))
        except (cst.ParserSyntaxError, RecursionError):
            return
        edits.sort(key=lambda each: -_likelihood(code, each))
        for each in islice(edits, MOST):
            if each.source != body.source:
                yield _candidate(spot, code, each)


def _candidate(spot: Spot, code: SourceCode, edit: Edit) -> Candidate:
    made = ToolServerBody(source=edit.source)
    likelihood = _likelihood(code, edit)
    return Candidate(NAME, {spot.name: made}, edit.says, edit.authority, likelihood)


def _ordered(case: Case) -> list[str]:
    first = dict.fromkeys(
        name for code, names in FIRST.items() if code in case.codes for name in names
    )
    return [*first, *(name for name in EDITORS if name not in first)]


def _likelihood(code: SourceCode, edit: Edit) -> float:
    weight = code.focus.get(edit.function, UNSEEN)
    at = code.lines.get(edit.line, 0.5) if code.lines and edit.function else 1.0
    return max(0.001, min(1.0, edit.likelihood * weight * (0.5 + 0.5 * at)))


# Where


def localized(case: Case, spot: Spot, body: ToolServerBody) -> SourceCode:
    """The suspect's source, with how suspicious its functions and lines are."""
    code = SourceCode(
        body.source,
        case.seen[0].bundle.domain,
        neighbours=[each.source for name, each in _servers(case) if name != spot.slug],
    )
    given, read = asked_of(_plans(case))
    code = replace(code, given=given, read=read)
    server, named = ToolServer.of(body), _named(case, spot, body)
    ran = _Ran.of(case, spot)
    if not ran.failing:
        return replace(code, focus=_unseen(server, named))
    lines = ran.suspicions()
    focus: dict[str, float] = {"": ELSEWHERE}
    for line, weight in lines.items():
        name = _outermost(server, line)
        base = 1.0 if name in named else ELSEWHERE
        focus[name] = max(focus.get(name, 0.0), base * weight)
    focus |= dict.fromkeys(named, 1.0)
    return replace(code, focus=focus, lines=lines)


def _plans(case: Case) -> Iterator[Sequence[PlanStep]]:
    for seen in (*case.seen, *case.sound):
        manifest = seen.bundle.manifest
        plan = seen.bundle.intent.plan(tuple(ref.slug for ref in manifest.toolservers))
        if plan is not None:
            yield plan


def _unseen(server: ToolServer, named: frozenset[str]) -> dict[str, float]:
    """The focus where nobody knows what ran."""
    functions = named or frozenset(name for _, _, name in server.spans)
    return {"": UNSEEN, **dict.fromkeys(functions, 1.0 if named else UNSEEN)}


def _named(case: Case, spot: Spot, body: ToolServerBody) -> frozenset[str]:
    """The functions that suspicion or findings name, and the tools that took no such call."""
    server = ToolServer.of(body)
    known = {name for _, _, name in server.spans}
    said = {spot.symbol.partition(" ")[0].partition(".")[0]}
    for each in case.users(spot.name):
        steps = each.reference.steps if each.reference else ()
        said |= {step.tool for step in steps if step.status == "invalid"}
        for found in each.findings:
            if (found.kind, found.component) == spot.name and found.fingerprint in case.prints:
                said.add(found.symbol.partition(" ")[0].partition(".")[0])
                said |= _at(server, found.evidence.get("line"))
    return frozenset(said & known)


def _at(server: ToolServer, line: object) -> set[str]:
    return {_outermost(server, line)} if isinstance(line, int) else set()


def _outermost(server: ToolServer, line: int) -> str:
    around = [name for first, last, name in server.spans if first <= line <= last]
    return around[0] if around else ""


def _servers(case: Case) -> Iterator[tuple[str, ToolServerBody]]:
    """The Python tool servers of the domain that may be borrowed from."""
    for (kind, slug), body in case.others.items():
        if kind == "toolserver" and isinstance(body, ToolServerBody):
            yield slug, body


@dataclass(frozen=True)
class _Ran:
    """What the references' attempts executed of one server."""

    failing: Sequence[frozenset[int]]
    passing: Sequence[frozenset[int]]

    @classmethod
    def of(cls, case: Case, spot: Spot) -> _Ran:
        failing = (_lines(each, spot.slug) for each in case.users(spot.name)[:PLAYED])
        sound = [each for each in case.sound if each.body(spot.name) is not None]
        passing = (_lines(each, spot.slug) for each in sound[:PLAYED])
        return cls([one for one in failing if one], [one for one in passing if one])

    def suspicions(self) -> Mapping[int, float]:
        """Ochiai's coefficient of each line that a failing attempt executes (see docs/repairs.md)."""
        fails = Counter(line for one in self.failing for line in one)
        passes = Counter(line for one in self.passing for line in one)
        whole = len(self.failing)
        return {line: count / sqrt(whole * (count + passes[line])) for line, count in fails.items()}


def _lines(seen: Seen, slug: str) -> frozenset[int]:
    if seen.reference is None:
        return frozenset()
    try:
        world = seen.world
        ran: frozenset[Line] = covered(world, actions_of(seen.reference.steps))
    except (RecordsInvalid, ServerUnavailable, TemplateInvalid, TemplateUnfilled):
        return frozenset()
    return frozenset(line.line for line in ran if line.server == slug)
