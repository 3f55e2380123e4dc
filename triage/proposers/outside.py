"""Repairs of outside tool servers: small edits of their source, each said as a patch.

Such a server runs with the rights of whoever installed it, and each playing of it takes a second. So edits are few,
and made of nothing but what the source says itself and plain names of the contract: no statement is borrowed from
components, and no name comes in that the source does not know.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from math import sqrt

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Seen, Spot
from triage.proposers.outsidesource import FARTHER, UNREADABLE, OutsideSource, Unit
from triage.proposers.plaindomain import plain
from triage.proposers.sourceedits import EDITORS
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.domain import Domain
from worlds.patch import PatchInvalid, patch_of
from worlds.toolserver_body import OutsideBody

MOST_CANDIDATES = 40
"""Of the most suspicious file; of the next half as many, a third of the third."""
MOST_EDITED = 5
"""Files, the most suspicious ones."""
MOST_EDITS = 150
"""Of one editor in one file."""
OTHERS = 0.6
"""What it takes from a function that it is not reached from the tool that is suspected by name."""
WORD = re.compile(r"[^\W\d]\w*")
DANGEROUS = {"eval", "exec", "compile", "open", "globals", "locals", "vars", "input", "breakpoint"}
DANGEROUS |= {"__import__", "getattr", "setattr", "delattr"}
METHODS = {"get", "items", "keys", "values", "append", "lower", "upper", "strip", "split"}
METHODS |= {"startswith", "endswith", "isoformat"}
"""Attributes that any source may come to use."""


def outside(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Patches of the source of an outside server, file by file, the most suspicious first; each file's the likeliest
    first. Reading a file for edits takes as long as playing one, so the next is read when the one before is done."""
    body = case.body(spot.name)
    if not isinstance(body, OutsideBody) or body.patch:
        return
    source = OutsideSource.of(body)
    if source is None:
        return
    weights = suspicions(source, case, spot)
    domain = plain(case.seen[0].bundle.domain)
    for number, (path, lines) in enumerate(_lines(weights)[:MOST_EDITED]):
        edits = sorted(_edits(source, path, domain, lines), key=Placed.order)
        most = MOST_CANDIDATES // (number + 1)
        yield from islice(_candidates(source, body, spot, edits), most)


@dataclass(frozen=True)
class Placed:
    """An edit of a file, and how likely it is all in all."""

    path: str
    edit: Edit
    likelihood: float

    def order(self) -> tuple[float, str, int, str]:
        return -self.likelihood, self.path, self.edit.line, self.edit.source


# Where to look


def suspicions(source: OutsideSource, case: Case, spot: Spot) -> dict[Unit, float]:
    """How suspicious each function is, in (0, 1]: as it is reached where the fault shows and not where all is well, and
    the less the farther it is from the tool."""
    reaches = {tool: source.reached(tool) for tool in _tools([*case.seen, *case.sound])}
    failing = [_units_of(seen, reaches) for seen in case.seen]
    sound = [_units_of(seen, reaches) for seen in case.sound]
    named = source.reached(spot.symbol.partition(".")[0]) if spot.symbol else {}
    return {
        unit: _ochiai(unit, failing, sound)
        * FARTHER ** min(steps.get(unit, 99) for steps in reaches.values())
        * (1.0 if not named or unit in named else OTHERS)
        for unit in dict.fromkeys(unit for units in failing for unit in units)
    }


def _ochiai(unit: Unit, failing: Iterable[set[Unit]], sound: Iterable[set[Unit]]) -> float:
    """Softened: what is reached says little of what was executed."""
    here = [unit in units for units in failing]
    there = [unit in units for units in sound]
    told = sum(here) / sqrt(len(here) * (sum(here) + sum(there))) if any(here) else 0.0
    return 0.3 + 0.7 * told


def _tools(seen: Iterable[Seen]) -> list[str]:
    return sorted({tool for each in seen for tool in _called(each)})


def _called(seen: Seen) -> set[str]:
    """The tools that the reference called; without one those of its plans."""
    if seen.reference is not None:
        return {step.tool for step in seen.reference.steps if step.kind == "call"}
    plans = seen.bundle.intent.plans.values()
    return {str(step.call) for plan in plans for step in plan if getattr(step, "call", None)}


def _units_of(seen: Seen, reaches: Mapping[str, Mapping[Unit, int]]) -> set[Unit]:
    return {unit for tool in _called(seen) for unit in reaches[tool]}


# What to try


def _lines(weights: Mapping[Unit, float]) -> list[tuple[str, dict[int, float]]]:
    """Each file with how suspicious its lines are, the most suspicious first."""
    found: dict[str, dict[int, float]] = {}
    for unit, weight in weights.items():
        lines = found.setdefault(unit.path, {})
        for line in range(unit.first, unit.last + 1):
            lines[line] = max(weight, lines.get(line, 0.0))
    return sorted(found.items(), key=lambda pair: (-max(pair[1].values()), pair[0]))


def _edits(
    source: OutsideSource, path: str, domain: Domain, lines: Mapping[int, float]
) -> Iterator[Placed]:
    outers = {unit.outer for unit in source.units if unit.path == path and unit.first in lines}
    others = [text for other, text in source.texts.items() if other != path]
    code = SourceCode(source.texts[path], domain, dict.fromkeys(outers, 1.0), lines, others)
    for editor in EDITORS.values():
        try:
            for edit in islice(editor(code), MOST_EDITS):
                weight = lines.get(edit.line) or min(lines.values())
                yield Placed(path, edit, edit.likelihood * weight)
        except Exception:  # noqa: BLE001, S112  # one editor's trouble with code of any kind is not the others'
            continue


def _candidates(
    source: OutsideSource, body: OutsideBody, spot: Spot, edits: Iterable[Placed]
) -> Iterator[Candidate]:
    known = frozenset(word for text in source.texts.values() for word in WORD.findall(text))
    seen: set[tuple[str, str]] = set()
    for each in edits:
        before, after = source.texts[each.path], each.edit.source
        if (each.path, after) in seen or not fits(before, after, known):
            continue
        seen.add((each.path, after))
        try:
            patch = patch_of({each.path: before}, {each.path: after})
            patched = body.model_copy(update={"patch": patch})
        except PatchInvalid:
            continue
        yield Candidate(
            "outside",
            {spot.name: patched},
            f"{each.edit.says} ({each.path}:{each.edit.line})",
            each.edit.authority,
            min(1.0, max(each.likelihood, 0.001)),
        )


# What may be tried


def fits(before: str, after: str, known: frozenset[str]) -> bool:
    """Whether an edited file can run, imports what it did, and speaks of no name that is not there."""
    try:
        one, other = ast.parse(before), ast.parse(after)
        unbound = _unbound(after) - _unbound(before)
    except UNREADABLE:
        return False
    if before == after or _imports(one) != _imports(other):
        return False
    names = _names(other) - _names(one)
    attributes = _attributes(other) - known - METHODS
    return not unbound and not names & DANGEROUS and not attributes


def _imports(tree: ast.Module) -> list[str]:
    return [ast.dump(x) for x in ast.walk(tree) if isinstance(x, (ast.Import, ast.ImportFrom))]


def _names(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _attributes(tree: ast.Module) -> set[str]:
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def _unbound(text: str) -> set[tuple[str, str]]:
    """Scope and name, of each name that neither scope nor module binds and Python does not have."""
    top = symtable.symtable(text, "source", "exec")
    bound = {
        each.get_name() for each in top.get_symbols() if each.is_assigned() or each.is_imported()
    }
    bound |= {each.get_name() for each in top.get_symbols() if each.is_namespace()}
    return {
        (scope.get_name(), each.get_name())
        for scope in _scopes(top)
        for each in scope.get_symbols()
        if each.is_referenced()
        and (each.is_global() or scope is top)
        and each.get_name() not in bound
        and not hasattr(builtins, each.get_name())
    }


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for inner in table.get_children():
        yield from _scopes(inner)
