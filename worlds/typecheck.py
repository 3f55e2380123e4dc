"""What the sandbox's own type checker finds in a tool server's source."""

from __future__ import annotations

import ast
import json

from pydantic_monty import MontyCrashedError, MontyError, MontyRuntimeError, MontyTypingError

from worlds.outcome import failure
from worlds.sandbox import PRELUDE, Sandbox, Surroundings
from worlds.sourcecheck import SourceProblem, parse
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody


def type_problems(body: ToolServerBody, sandbox: Sandbox) -> list[SourceProblem]:
    """The checker's errors; a source that cannot be loaded has one problem, saying why. About 50 ms."""
    surroundings = Surroundings()
    worker = sandbox.checkout(surroundings, type_check=True, type_check_format="json")
    try:
        with worker:
            worker.feed_run(PRELUDE)
            worker.feed_run(body.source, os=surroundings.answer, print_callback=lambda *_: None)
    except MontyTypingError as error:
        return _problems(body, error)
    except MontyCrashedError as error:
        return [SourceProblem(1, 1, "", f"the module's own code ended its process: {error}")]
    except MontyError as error:
        return [_unloadable(body, error)]
    return []


def _problems(body: ToolServerBody, error: MontyTypingError) -> list[SourceProblem]:
    tree = parse(body.source)
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


def _unloadable(body: ToolServerBody, error: MontyError) -> SourceProblem:
    outcome = failure(error, ToolServer.of(body), "")
    frames = error.traceback() if isinstance(error, MontyRuntimeError) else []
    column = frames[-1].column if frames else 1
    return SourceProblem(outcome.line or 1, column, outcome.function, outcome.message)


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
