"""Rules: clauses that say in CEL something else than their sentence says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import Any

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.conditions.edits import edits
from triage.proposers.conditions.vocabulary import Vocabulary
from worlds.cel_errors import ConditionInvalid
from worlds.cel_tree import literal_text, parse, walk
from worlds.rule import Clause, Rule

NAME = "rules"
MOST = 220
NAMED, BESIDE = 1.0, 0.25
"""How suspicious a clause is that suspicion or findings name, against another of the rule."""
EXCEPTION = re.compile(
    r"\b(except|unless|but|may|exempt|allowed|apart|other than|only if)\b", re.IGNORECASE
)
TRIGGERS = ("write", "call", "say", "end")


def propose(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Edits of clauses, those of the clause that is suspected first."""
    body = case.body(spot.name)
    if not isinstance(body, Rule):
        return
    made = [each for clause in body.clauses for each in _of_clause(case, spot, body, clause)]
    for each in islice(sorted(made, key=lambda one: -one.likelihood), MOST):
        yield Candidate(
            NAME,
            {spot.name: _with(body, each.clause, each.changes)},
            each.says,
            each.authority,
            each.likelihood,
        )


@dataclass(frozen=True)
class _Change:
    clause: Clause
    changes: dict[str, Any]
    says: str
    authority: str
    likelihood: float


def _with(body: Rule, clause: Clause, changes: dict[str, Any]) -> Rule:
    made = clause.model_copy(update=changes)
    clauses = [made if each.id == clause.id else each for each in body.clauses]
    return body.model_copy(update={"clauses": clauses})


def _of_clause(case: Case, spot: Spot, body: Rule, clause: Clause) -> Iterator[_Change]:
    weight = NAMED if _is_named(case, spot, body, clause) else BESIDE
    for made in (
        *_conditions(case, body, clause),
        *_exceptions(body, clause),
        *_quotes(body, clause),
        *_triggers(clause),
    ):
        yield _Change(
            made.clause,
            made.changes,
            made.says,
            made.authority,
            max(0.01, made.likelihood * weight),
        )


def _is_named(case: Case, spot: Spot, body: Rule, clause: Clause) -> bool:
    """By suspicion, or by a finding's place, symbol or message."""
    number = body.clauses.index(clause)
    names = (clause.id, f"clauses[{number}]")
    said = [spot.symbol]
    for seen in case.seen:
        for found in seen.findings:
            if found.fingerprint in case.prints:
                said += [found.symbol, found.place, found.message]
                said += [str(found.evidence.get("clause", ""))]
    return any(name in text for name in names for text in said)


# Conditions


def _conditions(case: Case, body: Rule, clause: Clause) -> Iterator[_Change]:
    domain = case.seen[0].bundle.domain
    tables = _tables(clause, domain.tables)
    names = {"before": tables, "after": tables} if clause.on == "write" else {}
    words = Vocabulary(domain, names, clause.quote)
    siblings = [
        text
        for each in body.clauses
        if each.id != clause.id
        for text in (each.when, each.require)
        if text
    ]
    for side in ("require", "when"):
        text = getattr(clause, side)
        for each in edits(text, words, siblings) if text else ():
            authority = each.authority or f"clause {clause.id}: “{clause.quote}”"
            says = f"Let clause `{clause.id}` {_verb(side)} {each.says}"
            yield _Change(clause, {side: each.text}, says, authority, each.likelihood)


def _verb(side: str) -> str:
    return "require what it did, with" if side == "require" else "apply when it did, with"


def _tables(clause: Clause, tables: dict[str, Any]) -> str:
    """The table of the rows that it speaks of, where it names one."""
    try:
        tree = parse(clause.when or clause.require)
    except (ConditionInvalid, RecursionError):
        return ""
    return next((text for node in walk(tree) if (text := literal_text(node)) in tables), "")


# Exceptions, quotes, triggers


def _exceptions(body: Rule, clause: Clause) -> Iterator[_Change]:
    """Another clause that excuses, named nowhere in this one; one that excuses too much."""
    for other in body.clauses:
        if other.id == clause.id or other.id in clause.unless:
            continue
        is_allowance = other.require.strip() == "true"
        excuses = any(other.id in each.unless for each in body.clauses)
        is_said = bool(EXCEPTION.search(other.quote))
        likelihood = 0.7 if is_allowance else 0.45 if excuses else 0.2 if is_said else 0.0
        if likelihood:
            yield _Change(
                clause,
                {"unless": [*clause.unless, other.id]},
                f"Except what clause `{other.id}` allows from clause `{clause.id}`",
                f"clause {other.id}: “{other.quote}”",
                likelihood,
            )
    for name in clause.unless:
        rest = [each for each in clause.unless if each != name]
        says = f"Let clause `{name}` excuse nothing of clause `{clause.id}`"
        yield _Change(clause, {"unless": rest}, says, "", 0.1)


def _quotes(body: Rule, clause: Clause) -> Iterator[_Change]:
    """The passage of the text that is closest to a quote which the text does not have."""
    if clause.quote in body.text:
        return
    passage = closest_passage(clause.quote, body.text)
    if passage:
        yield _Change(
            clause,
            {"quote": passage},
            f"Quote the text as it stands in clause `{clause.id}`",
            f"the text of the rule: “{passage}”",
            0.9,
        )


def closest_passage(quote: str, text: str) -> str:
    """The words of a text that are most like a quote; empty where nothing is."""
    words, wanted = list(re.finditer(r"\S+", text)), quote.split()
    if not words or not wanted:
        return ""
    sizes = range(max(1, len(wanted) - 2), len(wanted) + 3)
    best, likeness = "", 0.6
    for start in range(min(len(words), 2_000)):
        if _bare(words[start].group()) not in {_bare(word) for word in wanted[:3]}:
            continue
        for size in sizes:
            if start + size > len(words):
                break
            passage = text[words[start].start() : words[start + size - 1].end()]
            ratio = SequenceMatcher(None, quote.lower(), passage.lower(), autojunk=False).ratio()
            if ratio > likeness:
                best, likeness = passage, ratio
    return best.rstrip(".,;:") if not quote.endswith((".", ",", ";", ":")) else best


def _bare(word: str) -> str:
    return re.sub(r"\W", "", word).lower()


def _triggers(clause: Clause) -> Iterator[_Change]:
    for trigger in TRIGGERS:
        if trigger != clause.on:
            says = f"Ask clause `{clause.id}` on {trigger}, not on {clause.on}"
            yield _Change(clause, {"on": trigger}, says, "", 0.04)
