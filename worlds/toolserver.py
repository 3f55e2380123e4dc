"""A tool server written in Python, read from its source: its tools, and what is wrong with it.

Nothing runs here. `worlds.sandbox` runs the tools.
"""

from __future__ import annotations

import ast
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jsonschema_rs

from worlds.bindings import DEFINITIONS
from worlds.exchange import NotJson, TooLarge, check_size
from worlds.raises import Raises
from worlds.signature import (
    Hint,
    Hints,
    Schema,
    Unsupported,
    dataclasses_of,
    object_schema,
)
from worlds.sourcecheck import TOO_DEEP, SourceProblem, check, parse
from worlds.toolserver_body import ToolServerBody
from worlds.writers import writers

ARGUMENTS_BYTES = 1_000_000
SECTION = re.compile(
    r"^(?:Args|Arguments|Parameters|Returns|Raises|Yields|Examples?|Notes?):\s*$", re.MULTILINE
)
"""A heading as docstrings have them (Google style): what follows is told elsewhere, or is for people."""

__all__ = ["SourceProblem", "Tool", "ToolServer"]


@dataclass(frozen=True)
class Tool:
    """A public function of a tool server."""

    name: str
    description: str
    schema: Schema
    """JSON Schema of the arguments object."""
    writes: bool
    """Whether it reaches a function of `db` that changes records, itself or through a helper."""
    line: int
    builds: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Argument → code that makes what the function expects from `__arguments[name]`, for dataclasses."""
    declared: bool = True
    """Whether `writes` is known: an outside server need not say it, and is then taken to write."""

    @property
    def known_to_write(self) -> bool:
        """Whether its source, or its declaration, says that it writes."""
        return self.writes and self.declared

    @cached_property
    def _validator(self) -> jsonschema_rs.Validator:
        return jsonschema_rs.validator_for(self.schema, offline=True)

    def refuse(self, args: Any) -> str | None:
        """One sentence that names the argument at fault, or None when the arguments fit."""
        if not isinstance(args, dict):
            return f"{self.name} takes its arguments as an object, not {type(args).__name__}"
        try:
            check_size(args, ARGUMENTS_BYTES)
        except (NotJson, TooLarge) as reason:
            return f"{self.name} cannot take these arguments: {reason}"
        error = next(iter(self._validator.iter_errors(args)), None)
        return None if error is None else self._sentence(error)

    def _sentence(self, error: jsonschema_rs.ValidationError) -> str:
        place = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path
        )
        message = error.message if len(error.message) <= 300 else error.message[:299] + "…"
        return (
            f"{self.name}: {place.removeprefix('.')}: {message}"
            if place
            else f"{self.name}: {message}"
        )


@dataclass(frozen=True)
class ToolServer:
    """A tool server's source as the project understands it."""

    body: ToolServerBody
    digest: str
    tools: dict[str, Tool]
    problems: list[SourceProblem]
    draws: bool
    """Whether it uses `random`."""
    makers: str
    """Code that makes the module's dataclasses from JSON; fed after the source."""
    raises: Raises
    spans: tuple[tuple[int, int, str], ...]
    """First line, last line and name of its functions and classes, outer before inner."""

    @classmethod
    def of(cls, body: ToolServerBody) -> ToolServer:
        """The tool server of a body; read once a process and digest."""
        digest = body.digest
        known = _SERVERS.pop(digest, None) or _read(body, digest)
        _SERVERS[digest] = known
        if len(_SERVERS) > SERVERS_KEPT:
            _SERVERS.popitem(last=False)
        return known

    def function_at(self, line: int) -> str:
        """The innermost function or class that stands at this line, or empty."""
        around = [name for first, last, name in self.spans if first <= line <= last]
        return around[-1] if around else ""


_SERVERS: OrderedDict[str, ToolServer] = OrderedDict()
SERVERS_KEPT = 256


def _read(body: ToolServerBody, digest: str) -> ToolServer:
    tree = parse(body.source)
    if isinstance(tree, SourceProblem):
        return ToolServer(body, digest, {}, [tree], False, "", Raises(), ())
    try:
        return _understood(body, digest, tree)
    except RecursionError:
        return ToolServer(body, digest, {}, [TOO_DEEP], False, "", Raises(), ())


def _understood(body: ToolServerBody, digest: str, tree: ast.Module) -> ToolServer:
    hints = Hints(dataclasses_of(tree))
    changing = writers(tree.body)
    problems = check(tree)
    tools = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            tools[node.name] = _tool(node, hints, node.name in changing, problems)
    return ToolServer(
        body,
        digest,
        tools,
        sorted(problems),
        _draws(tree),
        hints.makers(),
        Raises.of(tree, body.source),
        tuple(_spans(tree)),
    )


def _tool(node: ast.FunctionDef, hints: Hints, writes: bool, problems: list[SourceProblem]) -> Tool:
    description, words = _docstring(node)
    members = {}
    builds = {}
    for argument, default in _parameters(node, problems):
        hint = _hint(node, argument, hints, problems)
        if argument.arg in words and "description" not in hint.schema:
            hint = Hint({**hint.schema, "description": words[argument.arg]}, hint.build)
        members[argument.arg] = (hint, default)
        if hint.build is not None:
            builds[argument.arg] = hint.build(f"__arguments[{argument.arg!r}]")
    return Tool(node.name, description, object_schema(members), writes, node.lineno, builds)


def _parameters(
    node: ast.FunctionDef, problems: list[SourceProblem]
) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    given = node.args
    for argument in (*given.posonlyargs, *(each for each in (given.vararg, given.kwarg) if each)):
        message = (
            f"the tool {node.name} is called by name: {argument.arg} must be an ordinary parameter"
        )
        problems.append(_problem(argument, node.name, message))
    positional = [*given.posonlyargs, *given.args]
    optional: list[ast.expr | None] = [*given.defaults]
    without: list[ast.expr | None] = [None] * (len(positional) - len(optional))
    yield from zip(positional, without + optional, strict=True)
    yield from zip(given.kwonlyargs, given.kw_defaults, strict=True)


def _hint(
    node: ast.FunctionDef, argument: ast.arg, hints: Hints, problems: list[SourceProblem]
) -> Hint:
    if argument.annotation is None:
        message = f"the parameter {argument.arg} of the tool {node.name} has no type hint"
        problems.append(_problem(argument, node.name, message))
        return Hint({})
    try:
        return hints.read(argument.annotation)
    except Unsupported as error:
        message = f"the parameter {argument.arg} of the tool {node.name}: {error}"
        problems.append(_problem(argument, node.name, message))
        return Hint({})


def _problem(node: ast.arg, symbol: str, message: str) -> SourceProblem:
    return SourceProblem(node.lineno, node.col_offset + 1, symbol, message)


def _docstring(node: ast.FunctionDef) -> tuple[str, dict[str, str]]:
    """The paragraphs before the first section, and what lines `name: text` say of each parameter."""
    said, *rest = SECTION.split(ast.get_docstring(node) or "", maxsplit=1)
    paragraphs = [" ".join(paragraph.split()) for paragraph in said.split("\n\n")]
    words = {}
    for line in (rest or [said])[0].splitlines():
        name, colon, text = line.strip().partition(":")
        if colon and text.strip():
            words[name.partition("(")[0].strip().lstrip("*")] = text.strip()
    return "\n\n".join(filter(None, paragraphs)), words


def _draws(tree: ast.Module) -> bool:
    imports = (node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))
    return any(
        getattr(node, "module", None) == "random"
        or any(alias.name == "random" for alias in node.names)
        for node in imports
    )


def _spans(tree: ast.Module) -> Iterator[tuple[int, int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS):
            yield node.lineno, node.end_lineno or node.lineno, node.name
