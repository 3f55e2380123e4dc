"""Calls of the reference with an id that no row has: a tool has to refuse it, or to find nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from worlds.citation import cited, server_of
from worlds.findings import Finding, finding
from worlds.hosts import Host
from worlds.identifiers import Identifiers
from worlds.outcome import Outcome
from worlds.outside import OutsideServer
from worlds.records import Records
from worlds.relations.subject import replaced, texts
from worlds.retrace import Passed, retraced
from worlds.step import Call, Episode
from worlds.toolsession import ToolSession
from worlds.world import World

CALLS = 8
"""Made in one environment: the same tools are called in others."""
OTHERS = 20
"""Numbers tried in the place of one that a key has, until no row has it."""


@dataclass(frozen=True)
class Miss:
    """A call of the reference with one text exchanged."""

    passed: Passed
    argument: str
    absent: str
    call: Call


def missing_findings(world: World, reference: Episode, session: ToolSession) -> Iterator[Finding]:
    """Tools that crash when an argument names what is not there: warnings, as only a mistaken agent gets there.
    Nothing that the calls do is kept, and the session is clean afterwards."""
    misses = list(_misses(world, reference))
    for miss in misses:
        outcome = _called(world, miss, session)
        if outcome.status == "crashed":
            yield _crash(world, reference, miss, outcome)
        elif outcome.status == "limit":
            break  # others would cost as many seconds
    if misses:
        session.renew()


def _misses(world: World, reference: Episode) -> Iterator[Miss]:
    """Each argument of each tool once, in the order of the episode."""
    known = Identifiers.of(world.base)
    seen: set[tuple[str, str]] = set()
    for passed in retraced(world, reference):
        step = passed.step
        if (
            step.kind != "call"
            or step.status not in ("ok", "refused")
            or not _may(world, step.tool)
        ):
            continue
        for argument in step.args:
            if (step.tool, argument) in seen:
                continue
            miss = _miss(world, known, passed, argument)
            if miss is not None:
                seen.add((step.tool, argument))
                yield miss
            if len(seen) == CALLS:
                return


def _may(world: World, tool: str) -> bool:
    """Whether what a call does can be taken back."""
    server = world.tools[tool][1] if tool in world.tools else None
    if isinstance(server, OutsideServer):
        return server.settings.capabilities["snapshot"] and server.settings.capabilities["diff"]
    return server is not None


def _miss(world: World, known: Identifiers, passed: Passed, argument: str) -> Miss | None:
    """The call with the first id in an argument exchanged, if it has one, and the tool's schema and all guards let
    it pass."""
    step, records = passed.step, passed.before.view.records
    value = step.args[argument]
    named = (text for text in texts(value) if _names(records, known, text))
    text = next(named, None)
    absent = _absent(records, known, text) if text is not None else None
    if text is None or absent is None:
        return None
    args = {**step.args, argument: replaced(value, {text: absent})}
    call = Call(tool=step.tool, args=args)
    _, _, tool = world.tools[step.tool]
    if tool.refuse(args) or any(
        one.enforce == "guard" for one in world.clauses.on_call(passed.before, call)
    ):
        return None
    return Miss(passed, argument, absent, call)


def _names(records: Records, known: Identifiers, text: str) -> bool:
    return _is_key(records, text) or known.has(text)


def _is_key(records: Records, text: str) -> bool:
    return any(records.get(table, text) is not None for table in records.base.tables)


def _absent(records: Records, known: Identifiers, text: str) -> str | None:
    """A text like this one that is no key, and that no row has."""
    return next((other for other in _others(text) if not _names(records, known, other)), None)


def _others(text: str) -> Iterator[str]:
    numbers = list(re.finditer(r"[0-9]+", text))
    if numbers:
        last = numbers[-1]
        width = len(last.group())
        for less in range(1, OTHERS + 1):
            number = (int(last.group()) - less * 7) % 10**width
            yield f"{text[: last.start()]}{number:0{width}}{text[last.end() :]}"
    yield f"{text}x"
    yield f"x{text}"


def _called(world: World, miss: Miss, session: ToolSession) -> Outcome:
    """How the call ends on the records as they were before the one that it is made of."""
    view = miss.passed.before.view
    _, server, _ = world.tools[miss.call.tool]
    host = Host(view.records.fork(), view.now)
    session.ready(server, host)
    return session.call(server, miss.call.tool, miss.call.args, host)


def _crash(world: World, reference: Episode, miss: Miss, outcome: Outcome) -> Finding:
    step, call = miss.passed.step, miss.call
    function = outcome.function or call.tool
    return finding(
        "tool-crash",
        "toolserver",
        server_of(world, step),
        severity="warning",
        place=f"{function}:{outcome.line}" if outcome.line else function,
        symbol=f"{call.tool}.{miss.argument}",
        message=(
            f"{call.tool} crashes when {miss.argument} names what no row has, such as {miss.absent!r}: "
            f"{outcome.message}"
        ),
        evidence=cited(reference, step.index, tool=call.tool, args=call.args, line=outcome.line),
    )
