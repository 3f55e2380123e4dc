"""What the sandbox's own type checker finds in a tool server's source."""

from __future__ import annotations

import json
from functools import lru_cache

from pydantic_monty import ExternalModule, MontyError, MontyTypingError

from worlds.prelude import STUBS
from worlds.sandbox import Sandbox
from worlds.sourcecheck import SourceProblem
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody

IMPORTS = "import db\nimport clock\nfrom money import money"


@lru_cache(maxsize=256)
def type_problems(body: ToolServerBody) -> tuple[SourceProblem, ...]:
    """The checker's errors, found once a process and body.

    What cannot be loaded is no matter of types: the first call of a tool shows it.
    """
    modules = {
        name: ExternalModule({name: lambda: None}, stubs=stubs) for name, stubs in STUBS.items()
    }
    sandbox = Sandbox.shared()
    # A name that nobody can know is an error for certain, so that the source is read and never runs.
    unknown = f"unknown_{sandbox.host}"
    options = {"type_check": True, "type_check_format": "json"}
    with sandbox.borrowed(modules, **options) as worker:
        worker.feed_run(IMPORTS)
        try:
            worker.feed_run(f"{unknown}\n{body.source}")
        except MontyTypingError as error:
            return _problems(body, error, unknown)
        except MontyError:
            return ()
    raise AssertionError("the type checker let an unknown name pass")


def _problems(
    body: ToolServerBody, error: MontyTypingError, unknown: str
) -> tuple[SourceProblem, ...]:
    server = ToolServer.of(body)
    found = []
    for entry in json.loads(error.display()):
        if entry["severity"] == "error" and unknown not in entry["message"]:
            line = entry["location"]["row"] - 1  # the unknown name stands on a line of its own
            message = f"{entry['message']} ({entry['code']})"
            column = entry["location"]["column"]
            found.append(SourceProblem(line, column, server.function_at(line), message))
    return tuple(sorted(found))
