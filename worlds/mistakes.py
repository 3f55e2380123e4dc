"""What a model says against a file, told to the person who wrote the file: line, place, and the likely word."""

from __future__ import annotations

import types
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from worlds.source import FileProblem, LibraryInvalid, Location, Source, place

Model = TypeVar("Model", bound=BaseModel)

LONGEST_SHOWN = 60


def parsed(model: type[Model], source: Source, path: str) -> Model:
    """`source` as `model`; raises LibraryInvalid with one problem a place."""
    try:
        return model.model_validate(source.value)
    except ValidationError as error:
        problems = {
            (line, message): FileProblem(path, line, message)
            for line, message in _told(error, model, source)
        }
        raise LibraryInvalid(problems.values()) from error


def _told(
    error: ValidationError, model: type[BaseModel], source: Source
) -> Iterator[tuple[int | None, str]]:
    told: set[Location] = set()
    for details in error.errors(include_url=False):
        location = _in_file(details["loc"], source.value)
        if details["type"] == "missing":
            location = (*location, details["loc"][-1])
        if location in told:  # each member of a union complains: once is enough
            continue
        told.add(location)
        yield source.line(location), _message(details, location, model)


def _in_file(location: Location, value: Any) -> Location:
    """The part of a location that exists in the file: pydantic adds names of its own to it."""
    found: list[str | int] = []
    for part in location:
        is_item = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if not is_item and not (isinstance(value, dict) and part in value):
            break
        value = value[part]
        found.append(part)
    return tuple(found)


def _message(details: ErrorDetails, location: Location, model: type[BaseModel]) -> str:
    name = location[-1] if location else ""
    inside = place(location[:-1])
    if details["type"] == "missing":
        return f"the key {name!r} is missing" + (f" in {inside}" if inside else "")
    if details["type"] == "extra_forbidden":
        keys = [key for found in _models_at(model, location[:-1]) for key in keys_of(found)]
        near = get_close_matches(str(name), keys, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"the keys here are {', '.join(keys)}"
        return f"unknown key {name!r}" + (f" in {inside}" if inside else "") + f"; {hint}"
    what = details["msg"].removeprefix("Value error, ")
    what = what[:1].lower() + what[1:]
    if details["type"] == "value_error":
        return f"{place(location)}: {what}"
    shown = repr(details["input"])
    shown = shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}…"
    return f"{place(location) or 'the file'}: {what}, not {shown}"


def keys_of(model: type[BaseModel]) -> list[str]:
    """The keys of a model as files write them."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _models_at(kind: Any, location: Location) -> list[type[BaseModel]]:
    """The models that may stand at `location` in something of type `kind`."""
    if get_origin(kind) in (Union, types.UnionType):
        return [model for member in get_args(kind) for model in _models_at(member, location)]
    if not location:
        return [kind] if _is_model(kind) else []
    if _is_model(kind):
        inner = {
            field.alias or name: field.annotation for name, field in kind.model_fields.items()
        }.get(str(location[0]))
        return _models_at(inner, location[1:])
    arguments = get_args(kind)
    return _models_at(arguments[-1], location[1:]) if arguments else []


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
