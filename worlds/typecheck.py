"""What the sandbox's own type checker finds in a tool server's source."""

from __future__ import annotations

import ast
import json
from functools import lru_cache

from pydantic_monty import MontyError, MontyTypingError

from worlds.sandbox import PRELUDE, Sandbox, Surroundings
from worlds.sourcecheck import SourceProblem, parse
from worlds.toolserver_body import ToolServerBody


@lru_cache(maxsize=256)
def type_problems(body: ToolServerBody) -> tuple[SourceProblem, ...]:
    """The checker's errors, found once a process and body.

    What cannot be loaded is no matter of types: the first call of a tool shows it.
    """
    surroundings = Surroundings()
    worker = Sandbox.shared().checkout(surroundings, type_check=True, type_check_format="json")
    try:
        with worker:
            worker.feed_run(PRELUDE)
            worker.feed_run(body.source, os=surroundings.answer, print_callback=lambda *_: None)
    except MontyTypingError as error:
        return _problems(body, error)
    except MontyError:
        return ()
    return ()


def _problems(body: ToolServerBody, error: MontyTypingError) -> tuple[SourceProblem, ...]:
    tree = parse(body.source)
    found = sorted(
        SourceProblem(
            entry["location"]["row"],
            entry["location"]["column"],
            _symbol(tree, entry["location"]["row"]),
            f"{entry['message']} ({entry['code']})",
        )
        for entry in json.loads(error.display())
        if entry["severity"] == "error"
    )
    return tuple(found)


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
