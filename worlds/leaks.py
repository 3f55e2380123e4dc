"""Calls that do not depend on the records and their arguments alone: played again, or in a clean session, they
answer otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from worlds.citation import called, server_of
from worlds.diff import same, without_volatile
from worlds.findings import Finding, finding
from worlds.hosts import Host
from worlds.play import TOGETHER
from worlds.replay import actions_of, replay
from worlds.retrace import Passed, retraced
from worlds.step import Episode, Step
from worlds.toolserver import ToolServer
from worlds.toolsession import ToolSession
from worlds.world import World

SHOWN = 200
Difference = tuple[Step, Any]
"""A step of the reference's episode, and what it gave another time."""


def replay_findings(world: World, reference: Episode, session: ToolSession) -> Iterator[Finding]:
    """Replay the reference's episode in the session that has been used by all before, and each of its calls in a
    clean one. The session is clean afterwards."""
    if not _is_replayable(world, reference):
        return
    used = _difference(world, reference, _again(world, reference, session))
    if used is not None:
        session.renew()
        clean = _again(world, reference, session)
        session.renew()
        varying = _difference(world, clean, _again(world, reference, session))
        if varying is not None:
            yield _varying(world, reference, varying)
        else:
            yield _leak(world, reference, used)
        return
    alone = next(_alone(world, reference, session), None)
    if alone is not None:
        yield _leak(world, reference, alone)


def _is_replayable(world: World, episode: Episode) -> bool:
    """Not where we cut it off: how far it came was a matter of time."""
    called = [step for step in episode.steps if step.tool in world.tools]
    stopped = any(step.status == "limit" for step in called)
    return bool(called) and not stopped and not episode.cut.startswith(TOGETHER)


def _again(world: World, episode: Episode, session: ToolSession) -> Episode:
    return replay(world, session, actions_of(episode.steps))


def _difference(world: World, one: Episode, other: Episode) -> Difference | None:
    """The first call that went otherwise the second time."""
    for step, again in zip(one.steps, other.steps, strict=False):
        if step.kind == "call" and not _alike(world, step, again):
            return step, again.result
    return None


def _alike(world: World, one: Step, other: Step) -> bool:
    volatile = world.bundle.domain.volatile
    names = {entry.partition("#")[2] for entry in volatile if "#" in entry}
    return (
        one.status == other.status
        and same(_without(one.result, names), _without(other.result, names))
        and same(without_volatile(one.changes, volatile), without_volatile(other.changes, volatile))
    )


def _without(value: Any, names: set[str]) -> Any:
    """A result less what stands under names of volatile fields."""
    if not names:
        return value
    if isinstance(value, dict):
        return {name: _without(each, names) for name, each in value.items() if name not in names}
    return [_without(each, names) for each in value] if isinstance(value, list) else value


def _alone(world: World, episode: Episode, session: ToolSession) -> Iterator[Difference]:
    """Calls that answer otherwise when nothing was called before them: of our own tools, since each call of one
    from outside would need a process."""
    for passed in retraced(world, episode):
        step = passed.step
        if step.kind == "call" and step.tool in world.tools and step.status in ("ok", "refused"):
            _, server, _ = world.tools[step.tool]
            if isinstance(server, ToolServer):
                session.renew()
                again = _called(server, passed, session)
                if not _alike(world, step, again):
                    yield step, again.result


def _called(server: ToolServer, passed: Passed, session: ToolSession) -> Step:
    step, view = passed.step, passed.before.view
    records = view.records.fork()
    outcome = session.call(server, step.tool, step.args, Host(records, view.now))
    return step.model_copy(
        update={
            "status": outcome.status,
            "result": outcome.value if outcome.status == "ok" else outcome.message,
            "changes": records.diff_since(view.records.snapshot()),
        }
    )


def _varying(world: World, episode: Episode, difference: Difference) -> Finding:
    step, _ = difference
    message = f"Played twice from the same start, {step.tool} gave {_apart(difference)}."
    return _finding("nondeterministic", world, episode, difference, message)


def _leak(world: World, episode: Episode, difference: Difference) -> Finding:
    step, _ = difference
    message = (
        f"To one call on the same records {step.tool} gave {_apart(difference)}, as other calls came before it: it"
        " keeps something beside the records."
    )
    return _finding("state-leak", world, episode, difference, message)


def _finding(
    code: str, world: World, episode: Episode, difference: Difference, message: str
) -> Finding:
    step, again = difference
    return finding(
        code,
        "toolserver",
        server_of(world, step),
        place=step.tool,
        symbol=step.tool,
        message=message,
        evidence=called(world, episode, step, again=again),
    )


def _apart(difference: Difference) -> str:
    """The first part of two results that differs, in words."""
    step, again = difference
    path, one, other = _unlike("", step.result, again)
    return f"{path}{' ' if path else ''}{_short(one)} and {_short(other)}"


def _unlike(path: str, one: Any, other: Any) -> tuple[str, Any, Any]:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        names = (name for name in one if not same(one[name], other[name]))
        for name in names:
            return _unlike(f"{path}.{name}".removeprefix("."), one[name], other[name])
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (item, twin) in enumerate(zip(one, other, strict=True)):
            if not same(item, twin):
                return _unlike(f"{path}[{number}]", item, twin)
    return path, one, other


def _short(value: Any) -> str:
    said = json.dumps(value, ensure_ascii=False)
    return said if len(said) <= SHOWN else f"{said[:SHOWN]}…"
