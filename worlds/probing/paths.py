"""Places inside of JSON arguments: what stands there, what the schema says of it, the same with another value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Path = tuple[str | int, ...]
"""Steps into a JSON value: names of members and numbers in lists."""


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every text, number, yes or no, and null, with where it stands."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, (*path, number))
    else:
        yield path, value


def parts(value: Any) -> Iterator[Any]:
    """The value and every one inside of it."""
    yield value
    if isinstance(value, (Mapping, list)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from parts(item)


def lists(value: Any, path: Path = ()) -> Iterator[tuple[Path, list[Any]]]:
    """Every list, with where it stands."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from lists(item, (*path, name))
    elif isinstance(value, list):
        yield path, value
        for number, item in enumerate(value):
            yield from lists(item, (*path, number))


def put(value: Any, path: Path, new: Any) -> Any:
    """The value with another at a path; nothing is changed in place."""
    if not path:
        return new
    step, *rest = path
    if isinstance(value, Mapping):
        return {**value, step: put(value[step], tuple(rest), new)}
    return [put(item, tuple(rest), new) if n == step else item for n, item in enumerate(value)]


def name_of(path: Path) -> str:
    """The last name on the way: that of the argument, or of the member, whichever a list's element it is."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def schema_at(schema: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    """What a JSON Schema says of a path; nothing where it does not say."""
    for step in path:
        schema = _inside(schema, step)
    return schema


def _inside(schema: Mapping[str, Any], step: str | int) -> Mapping[str, Any]:
    for branch in (schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if isinstance(step, int) and isinstance(branch.get("items"), Mapping):
            found: Mapping[str, Any] = branch["items"]
            return found
        member = branch.get("properties", {}).get(step)
        if isinstance(member, Mapping):
            return member
    return {}
