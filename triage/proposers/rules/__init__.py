"""Repair of rules: clauses that forbid something else than the sentence in which they are anchored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Seen, Spot
from triage.proposers.conditions.bodyedit import BodyEdit, changed
from triage.proposers.conditions.surroundings import Surroundings
from triage.proposers.rules.clauseedits import ClauseEdits
from triage.proposers.rules.clausetrial import ClauseTrial
from triage.proposers.rules.quotes import quote_edits, uncovered_edits
from worlds.rule import Rule

NAME = "rules"
AT = re.compile(r"clauses\[(\d+)\]")
MOST_CLAUSES = 4
MOST = 250
"""Candidates of one suspect."""
UNASKED = 0.25
"""How likely an edit is that nothing in the plans tells anything about, against one that they do."""
STATED = 0.85
"""The same of an edit of what is wrong without anybody doing anything: the search looks whether it is gone."""
STATIC = {
    "name-unknown",
    "condition-invalid",
    "quote-missing",
    "clause-uncovered",
    "rule-unenforced",
}


def propose(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Edits of the clauses under suspicion that let the plans of the case do what they do."""
    rule = case.body(spot.name)
    if not isinstance(rule, Rule):
        return
    yield from _texts(case, spot, rule)
    yield from islice(RuleRepair(case, spot, rule).candidates(), MOST)


def _texts(case: Case, spot: Spot, rule: Rule) -> Iterator[Candidate]:
    kinds = {"quote-missing": quote_edits, "clause-uncovered": uncovered_edits}
    for code, texts in kinds.items():
        for edit in texts(rule) if code in case.codes else ():
            if (candidate := _candidate(spot, rule, edit, 1.0)) is not None:
                yield candidate


def _candidate(spot: Spot, rule: Rule, edit: BodyEdit, weight: float) -> Candidate | None:
    body = changed(rule, edit.values)
    if body is None:
        return None
    likelihood = max(0.001, min(1.0, edit.likelihood * weight))
    return Candidate(NAME, {spot.name: body}, edit.says, edit.authority, likelihood, edit.reason)


@dataclass(frozen=True)
class _Suspected:
    """A clause, by number, and how suspicious it is."""

    number: int
    weight: float
    failed: str = ""


class RuleRepair:
    """Of one rule in one case."""

    def __init__(self, case: Case, spot: Spot, rule: Rule) -> None:
        self.case, self.spot, self.rule = case, spot, rule
        self.trial = ClauseTrial(case, spot.slug)
        self.surroundings = Surroundings(case)
        user = (case.users(spot.name) or case.seen)[0]
        refs = zip(user.bundle.manifest.rules, user.bundle.rules, strict=True)
        self.rules = [(ref.slug, each) for ref, each in refs]

    def candidates(self) -> Iterator[Candidate]:
        """Of one suspicious clause after another."""
        for each in self._suspected():
            made = ClauseEdits(
                self.surroundings, self.rules, self.spot.slug, each.number, each.failed
            )
            for edit in made.all():
                weight = self._weight(edit)
                if weight and (
                    found := _candidate(self.spot, self.rule, edit, weight * each.weight)
                ):
                    yield found

    # Which clauses

    def _suspected(self) -> list[_Suspected]:
        weights: dict[int, float] = {}
        failed: dict[int, str] = {}

        def suspect(number: int | None, weight: float) -> None:
            if number is not None:
                weights[number] = max(weight, weights.get(number, 0.0))

        broken = [clause for _, clause in self.trial.broken]
        for clause in broken:
            suspect(self._numbered(clause), 1.0)
        suspect(self._numbered(self.spot.symbol), 0.95 if not broken else 0.4)
        for seen in self.case.seen:
            for clause, part in self._found(seen):
                suspect(self._numbered(clause), 0.9 if not broken else 0.4)
                if part and (number := self._numbered(clause)) is not None:
                    failed[number] = part
        for number in list(weights):
            for name in self.rule.clauses[number].unless:
                suspect(self._numbered(name), 0.6 * weights[number])
        ranked = sorted(weights, key=lambda number: (-weights[number], number))
        return [_Suspected(n, weights[n], failed.get(n, "")) for n in ranked[:MOST_CLAUSES]]

    def _found(self, seen: Seen) -> Iterator[tuple[str, str]]:
        """The clauses that findings name, each with the part of it that failed."""
        for each in seen.findings:
            named = [each.evidence.get("clause"), *(each.evidence.get("clauses") or ())]
            for name in named:
                if isinstance(name, str) and name.partition("/")[0] == self.spot.slug:
                    yield name, _part(each.code, each.evidence)
            if (each.kind, each.component) == self.spot.name and each.code in STATIC:
                part = each.place.rpartition(".")[2]
                yield (
                    each.place,
                    part if part in ("when", "require") else _part(each.code, each.evidence),
                )

    def _numbered(self, named: str) -> int | None:
        """The clause that a symbol or a place means: its id, `clauses[2].require`, `clauses.id`, `rule/id`."""
        if match := AT.search(named):
            number = int(match.group(1))
            return number if number < len(self.rule.clauses) else None
        name = named.rpartition("/")[2].removeprefix("clauses.")
        name = name.partition(" ")[0].partition(".")[0]
        return next((n for n, each in enumerate(self.rule.clauses) if each.id == name), None)

    # Which edits

    def _weight(self, edit: BodyEdit) -> float:
        """How well an edit fits what happened; 0 where it still forbids what the plans do, or fails of it."""
        rule = changed(self.rule, edit.values)
        found = self.trial.of(rule, edit.part) if isinstance(rule, Rule) else None
        if found is None:
            return 0.0
        if found.breaks or (self.trial.broken and not found.cures):
            return 0.0
        if not self.trial.broken:
            return STATED if self.case.codes & STATIC else UNASKED
        return (0.45 + 0.55 * min(1.0, 3 * found.teeth)) * (1.0 if found.applies else 0.75)


def _part(code: str, evidence: Mapping[str, object]) -> str:
    part = evidence.get("part")
    if isinstance(part, str):
        return part
    return "require" if code == "condition-invalid" else ""
