"""One component's file, read strictly from its text."""

from __future__ import annotations

from typing import Any, TypeVar

from worlds.about import About
from worlds.body import Body, Kind
from worlds.canonical import NotCanonical, normalised
from worlds.domain import Domain
from worlds.folder import File
from worlds.intent import Intent
from worlds.mistakes import parsed
from worlds.recordset import Recordset
from worlds.rule import Rule
from worlds.servers import VARIABLE, ServerSettings
from worlds.source import FileProblem, LibraryInvalid, Source, read_json, read_yaml
from worlds.toolserver_body import OutsideBody, ToolServerBody
from worlds.toolserverfile import split_source

B = TypeVar("B", bound=Body)

MOST_TEXT = 2 * 1024**2
"""Bytes that a YAML or Python file may have."""
MOST_JSON = 64 * 1024**2
"""Bytes that a JSON file may have."""


def most_bytes(path: str) -> int:
    """How large a file of that name may be."""
    return MOST_JSON if path.endswith(".json") else MOST_TEXT


def component_file(kind: Kind, slug: str, text: str, path: str) -> File[Any]:
    """The component that the text of a file says; its ending tells a tool server's source from an outside one's name.

    Raises LibraryInvalid with every problem, each with its line.
    """
    if kind == "records":
        return _file(Recordset, json_source(text, path, levels=3), slug, path)
    if kind == "toolserver" and path.endswith(".yaml"):
        return _outside(text, slug, path)
    if kind == "toolserver":
        return _file(ToolServerBody, _python(text, path), slug, path)
    models: dict[Kind, type[Body]] = {"domain": Domain, "intent": Intent, "rule": Rule}
    return _file(models[kind], yaml_source(text, path), slug, path)


def yaml_source(text: str, path: str) -> Source:
    """What a YAML file says, as any store gives it back."""
    return _normal(read_yaml(text, path), path)


def json_source(text: str, path: str, *, levels: int) -> Source:
    """What a JSON file says, as any store gives it back, with lines for the outer `levels` of containers."""
    return _normal(read_json(text, path, levels=levels), path)


def _outside(text: str, slug: str, path: str) -> File[OutsideBody]:
    source = yaml_source(text, path)
    said = source.value if isinstance(source.value, dict) else {}
    meant = sorted(set(said) & {*ServerSettings.model_fields} - {*OutsideBody.model_fields})
    if meant:
        message = (
            f"a component must not say {meant[0]!r}: what a server's name means stands in the "
            f"installation's settings ({VARIABLE})"
        )
        raise LibraryInvalid([FileProblem(path, source.line((meant[0],)), message)])
    if "patch" in said:
        message = (
            "a file must not say 'patch': a component does not choose what a worker runs. Take the patch from its "
            "proposal, apply it to the server's source yourself, and run a round"
        )
        raise LibraryInvalid([FileProblem(path, source.line(("patch",)), message)])
    return _file(OutsideBody, source, slug, path)


def _python(text: str, path: str) -> Source:
    about, body, line = split_source(text, path)
    value = {"about": about.value, "source": body} if about.value else {"source": body}
    return _normal(Source(value, {**about.lines, "source": line}), path)


def _normal(source: Source, path: str) -> Source:
    try:
        return Source(normalised(source.value), source.lines)
    except NotCanonical as error:
        raise LibraryInvalid([FileProblem(path, None, str(error))]) from error


def _file(model: type[B], source: Source, slug: str, path: str) -> File[B]:
    """A component's file: its about block apart, the rest the body."""
    if not isinstance(source.value, dict):
        message = f"keys and values of the {model.kind} are wanted, not {source.value!r:.40}"
        raise LibraryInvalid([FileProblem(path, source.line(()), message)])
    content = dict(source.value)
    problems: list[FileProblem] = []
    about: dict[str, Any] = {}
    if "about" in content:
        within = Source(content.pop("about"), _under("about", source.lines))
        try:
            about = parsed(About, within, path).content()
        except LibraryInvalid as error:
            problems += error.problems
    try:
        body = parsed(model, Source(content, source.lines), path)
    except LibraryInvalid as error:
        raise LibraryInvalid([*problems, *error.problems]) from error
    if problems:
        raise LibraryInvalid(problems)
    return File(slug, body, about, path, source.lines)


def _under(name: str, lines: dict[str, int]) -> dict[str, int]:
    """The lines of what stands under a key, by place from there."""
    return {
        key.removeprefix(name).removeprefix("."): line
        for key, line in lines.items()
        if key == name or key.startswith((f"{name}.", f"{name}["))
    }
