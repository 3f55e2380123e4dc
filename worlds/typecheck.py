"""What the sandbox's own type checker finds in a tool server's source."""

from __future__ import annotations

import ast
import json
from collections import OrderedDict

from pydantic_monty import MontyError, MontyTypingError

from worlds.sandbox import PRELUDE, Sandbox, Surroundings, silent
from worlds.sourcecheck import GIVEN, SourceProblem, parse
from worlds.toolserver import ToolServer

KEPT = 256
_KNOWN: OrderedDict[str, list[SourceProblem]] = OrderedDict()


def certain_problems(server: ToolServer, sandbox: Sandbox) -> list[SourceProblem]:
    """What fails whenever it is reached: names that nothing defines, members that the host's modules do not
    have, and module code that crashes. Found once a process and digest, in about 60 ms.

    What is only likely wrong (a value that may be None, a type that does not fit) is left out: a tool works
    until it is called so. Module code that runs into a limit is left to the calls.
    """
    known = _KNOWN.pop(server.digest, None)
    if known is None:
        failed = sandbox.clean(server).failed
        found = [] if failed and failed.status == "limit" else type_problems(server, sandbox)
        known = [problem for problem in found if failed or _is_certain(problem)]
    _KNOWN[server.digest] = known
    if len(_KNOWN) > KEPT:
        _KNOWN.popitem(last=False)
    return known


def type_problems(server: ToolServer, sandbox: Sandbox) -> list[SourceProblem]:
    """The checker's errors; a source that cannot be loaded has one problem, saying why."""
    failed = sandbox.clean(server).failed
    if failed is not None:
        why = f"the module's own code fails: {failed.message}"
        return [SourceProblem(failed.line or 1, 1, failed.function, why)]
    surroundings = Surroundings()
    try:
        with sandbox.checkout(surroundings, type_check=True, type_check_format="json") as worker:
            worker.feed_run(PRELUDE)
            worker.feed_run(server.body.source, os=surroundings.answer, print_callback=silent)
    except MontyTypingError as error:
        return _problems(server, error)
    except MontyError:
        pass  # the checker itself ran into a limit: it has nothing to say
    return []


def _is_certain(problem: SourceProblem) -> bool:
    of_host = problem.message.startswith(tuple(f"Module `{name}` " for name in GIVEN))
    return of_host or problem.message.endswith("(unresolved-reference)")


def _problems(server: ToolServer, error: MontyTypingError) -> list[SourceProblem]:
    tree = parse(server.body.source)
    return sorted(
        SourceProblem(
            entry["location"]["row"],
            entry["location"]["column"],
            _symbol(tree, entry["location"]["row"]),
            f"{entry['message']} ({entry['code']})",
        )
        for entry in json.loads(error.display())
        if entry["severity"] == "error"
    )


def _symbol(tree: ast.Module | SourceProblem, line: int) -> str:
    if isinstance(tree, SourceProblem):
        return ""
    return next(
        (
            node.name
            for node in tree.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and node.lineno <= line <= (node.end_lineno or line)
        ),
        "",
    )
