"""What the sandbox's own type checker finds in a tool server's source."""

from __future__ import annotations

import json
from typing import Any

from pydantic_monty import ExternalModule, MontyTypingError

from worlds.prelude import STUBS
from worlds.sandbox import Sandbox
from worlds.sourcecheck import SourceProblem
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody

IMPORTS = "import db\nimport clock\nfrom money import money"
STOP = "__end_of_source"
"""An unknown name after the source: an error for certain, so that the source is checked and never runs."""


def type_problems(body: ToolServerBody, sandbox: Sandbox) -> list[SourceProblem]:
    """The checker's errors, or the one reason why the module cannot be loaded. About 50 ms: once a version.

    An error of the checker is a suspicion about the code, not something that was seen to happen.
    """
    failed = sandbox.clean(ToolServer.of(body)).failed
    if failed is not None:
        return [SourceProblem(failed.line or 1, 1, failed.function, failed.message)]
    return sorted(_checked(body, sandbox))


def _checked(body: ToolServerBody, sandbox: Sandbox) -> list[SourceProblem]:
    modules = {
        name: ExternalModule({name: lambda: None}, stubs=stubs) for name, stubs in STUBS.items()
    }
    options = {"type_check": True, "type_check_format": "json"}
    with sandbox.borrowed(modules, **options) as worker:
        worker.feed_run(IMPORTS)
        try:
            worker.feed_run(f"{body.source}\n{STOP}\n")
        except MontyTypingError as error:
            return _problems(body, json.loads(error.display()))
    raise AssertionError("the type checker let an unknown name pass")


def _problems(body: ToolServerBody, found: list[dict[str, Any]]) -> list[SourceProblem]:
    server = ToolServer.of(body)
    return [
        SourceProblem(
            entry["location"]["row"],
            entry["location"]["column"],
            server.function_at(entry["location"]["row"]),
            f"{entry['message']} ({entry['code']})",
        )
        for entry in found
        if entry["severity"] == "error" and STOP not in entry["message"]
    ]
