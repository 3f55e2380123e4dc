"""Which lines of a tool server an episode executes.

Its source is rewritten so that every statement notes its line in a set beside it, in the sandbox: that costs a
fraction of a microsecond a statement, where a call of a function of ours would cost seventy. The set is read after each
call. No tool can reach it: the gate reserves its name.
"""

from __future__ import annotations

import ast
import atexit
import json
import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from pydantic_monty import MontyError

from worlds.hosts import Host
from worlds.outcome import Outcome
from worlds.replay import replay
from worlds.sandbox import Sandbox, Session
from worlds.sourcecheck import SourceProblem, parse
from worlds.step import Action
from worlds.surroundings import Exhausted, Limits, Surroundings, run
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody
from worlds.toolsession import AnyServer, ToolSession
from worlds.world import World

NOTED = "__lines__"
LIMITS = replace(Limits(), seconds=3 * Limits.seconds, memory_bytes=2 * Limits.memory_bytes)
"""Of what noting costs. What limits what a tool hands over and gives back is as ever."""
READ_OUT = f'f"{{__text([*{NOTED}])}}"'


class Line(NamedTuple):
    """A line of a tool server's source, as its author counts."""

    server: str
    """Slug."""
    function: str
    """The innermost one that it stands in."""
    line: int


class CoverSession(ToolSession):
    """A session whose calls of Python tools are noted; they answer as in any other, but for the lines at which they
    fail. Those of outside servers are made and not noted."""

    def __init__(self) -> None:
        super().__init__()
        self._sandbox = self._noting = _NotingSession(_sandbox())
        self._noted: dict[str, set[int]] = {}

    def call(self, server: AnyServer, tool: str, args: dict[str, Any], host: Host) -> Outcome:
        """As any session."""
        if not isinstance(server, ToolServer):
            return super().call(server, tool, args, host)
        self._noting.noted.clear()
        outcome = super().call(noting(server), tool, args, host)
        self._noted.setdefault(server.digest, set()).update(self._noting.noted)
        return outcome

    def lines(self, world: World) -> frozenset[Line]:
        """What the calls so far executed of a world's tool servers."""
        return frozenset(
            Line(slug, server.function_at(line), line)
            for slug, server in world.servers.items()
            if isinstance(server, ToolServer)
            for line in self._noted.get(server.digest, ())
        )


def covered(world: World, actions: Sequence[Action]) -> frozenset[Line]:
    """The lines that an episode of these actions executes (`worlds.replay.actions_of` tells an episode's). A call that
    has its process ended, by the sandbox or by itself, leaves no note. Raises as `worlds.replay.replay` does."""
    with CoverSession() as session:
        replay(world, session, actions)
        return session.lines(world)


@cache
def _sandbox() -> Sandbox:
    # A session holds one while the next server is made ready in another.
    made = Sandbox(LIMITS, processes=1 + (os.cpu_count() or 1))
    atexit.register(made.close)
    return made


class _NotingSession(Session):
    """Reads the notes before a worker is given back."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox)
        self.noted: set[int] = set()

    def _ended(self, outcome: Outcome) -> Outcome:
        if self._worker is not None:
            try:
                text = run(
                    self._worker, READ_OUT, Surroundings(self._sandbox.host), LIMITS, __arguments={}
                )
                self.noted.update(json.loads(str(text)))
            except (MontyError, Exhausted):
                pass  # the worker is gone, and the notes with it; or there never were any
        return super()._ended(outcome)


_NOTING: OrderedDict[str, ToolServer] = OrderedDict()
NOTING_KEPT = 64


def noting(server: ToolServer) -> ToolServer:
    """The server that notes what it executes. It keeps its digest, from which randomness starts, and so belongs in a
    sandbox of its own. As it is, where its source cannot be rewritten."""
    known = _NOTING.pop(server.digest, None) or _noting(server)
    _NOTING[server.digest] = known
    if len(_NOTING) > NOTING_KEPT:
        _NOTING.popitem(last=False)
    return known


def _noting(server: ToolServer) -> ToolServer:
    tree = parse(server.body.source)
    if isinstance(tree, SourceProblem):
        return server
    try:
        made = ToolServer.of(ToolServerBody(source=instrumented(tree)))
    except (ValueError, RecursionError):
        return server  # this Python cannot write it down again: a few f-strings, and what is nested too deep
    # What ran when the source was loaded is not what an episode executes.
    return replace(made, digest=server.digest, makers=f"{server.makers}\n{NOTED}.clear()\n")


def instrumented(tree: ast.Module) -> str:
    """The source of a module whose functions note the lines of their statements; the tree is changed."""
    _note(tree, inside=False)
    first = 0
    while first < len(tree.body) and _stays_first(tree.body[first]):
        first += 1
    tree.body.insert(first, *ast.parse(f"{NOTED} = set()").body)
    return ast.unparse(ast.fix_missing_locations(tree))


def _stays_first(node: ast.stmt) -> bool:
    return _is_text(node) or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _is_text(node: ast.stmt) -> bool:
    """Whether it is a docstring, or another text that does nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _note(node: ast.AST, *, inside: bool) -> None:
    inside = inside or isinstance(node, ast.FunctionDef)
    for child in ast.iter_child_nodes(node):
        _note(child, inside=inside)
    for name in ("body", "orelse", "finalbody") if inside else ():
        block = getattr(node, name, None)
        if not isinstance(block, list):
            continue
        if name == "orelse" and len(block) == 1 and isinstance(node, ast.If):
            _note_alternative(block)
        else:
            block[:] = _noted(block)


def _note_alternative(block: list[ast.stmt]) -> None:
    """An `elif` stays one: nested instead, a long chain of them would be too deep."""
    (only,) = block
    if isinstance(only, ast.If):
        only.test = ast.BoolOp(ast.Or(), [_call(only.lineno), only.test])
    else:
        block[:] = _noted(block)


def _noted(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in block:
        if not _is_text(statement):
            yield ast.Expr(_call(statement.lineno))
        yield statement


def _call(line: int) -> ast.Call:
    """Adding to a set answers None, so that the `or` of an `elif` goes on to its test."""
    add = ast.Attribute(ast.Name(NOTED, ast.Load()), "add", ast.Load())
    return ast.Call(add, [ast.Constant(line)], [])
