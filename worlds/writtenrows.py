"""Rows that tools wrote: each must fit its schema and the invariants, and leave no reference to nothing behind."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.citation import called, server_of
from worlds.diff import Change
from worlds.findings import Finding, finding
from worlds.recordcheck import Problem, RowCheck, untold
from worlds.records import Records
from worlds.retrace import Passed, retraced
from worlds.step import Episode, Step
from worlds.world import World


def written_findings(world: World, episode: Episode) -> Iterator[Finding]:
    """What the rows that each call wrote break after it, and did not break before."""
    if not any(step.changes for step in episode.steps):
        return
    for passed in retraced(world, episode):
        if passed.step.kind == "call" and passed.step.changes:
            yield from _written(world, episode, passed)


def _written(world: World, episode: Episode, passed: Passed) -> Iterator[Finding]:
    before = _check(passed.before.view.records, passed)
    after = _check(passed.after.view.records, passed)
    for change in passed.step.changes:
        for problem in broken_by(change, before, after):
            yield _finding(world, episode, passed.step, problem)


def broken_by(change: Change, before: RowCheck, after: RowCheck) -> Iterator[Problem]:
    """What is wrong with a row that was written, in the state after it, and was not before."""
    known = None
    for problem in _problems(after, change):
        if known is None:
            known = {_identity(each) for each in _problems(before, change)}
        if _identity(problem) not in known:
            yield problem


def _check(records: Records, passed: Passed) -> RowCheck:
    return RowCheck(records, passed.before.view.now, passed.before.view.allowance)


def _problems(check: RowCheck, change: Change) -> Iterator[Problem]:
    """What is wrong with a row as a state has it; with those that refer to it, where it has it no more."""
    table, key = change["table"], change["key"]
    row = check.records.get(table, key)
    if row is not None:
        yield from check.problems(table, key, row)
    elif change["op"] == "delete":
        yield from _bereft(check, table, key)


def _bereft(check: RowCheck, table: str, key: str) -> Iterator[Problem]:
    domain = check.domain
    for other, spec in domain.tables.items():
        for reference in spec.references:
            if reference.to != table:
                continue
            for row in check.records.find(other, {reference.from_: key}):
                owner = row[spec.key]
                message = (
                    f"{other}/{owner}: {reference.from_} names {key!r}, which {table} no longer has"
                )
                yield Problem(
                    "reference-dangling", other, owner, reference.from_, message, value=key
                )


def _identity(problem: Problem) -> tuple[str, str, str, str]:
    return problem.code, problem.place, problem.invariant, repr(problem.value)


def _finding(world: World, episode: Episode, step: Step, problem: Problem) -> Finding:
    if problem.failed:
        return untold(world.bundle.domain, problem)
    return finding(
        problem.code,
        "toolserver",
        server_of(world, step),
        place=step.tool,
        symbol=f"{step.tool} {problem.invariant or problem.symbol}",
        message=f"{step.tool} left a row that is not as it must be: {problem.message}.",
        evidence=called(world, episode, step, **problem.evidence),
    )
