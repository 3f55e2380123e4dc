"""A Python function's signature, read from its source, as JSON Schema and as the code that calls it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Schema = dict[str, Any]

SIMPLE: dict[str, Schema] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "list": {"type": "array"},
    "List": {"type": "array"},
    "dict": {"type": "object"},
    "Dict": {"type": "object"},
    "Any": {},
    "None": {"type": "null"},
}
HINTS = (
    "str, int, float, bool, Literal, list, dict, Optional, Annotated, or a dataclass of this module"
)


class Unsupported(ValueError):
    """An annotation that has no JSON Schema; the message names it and the ones that have."""

    def __init__(self, node: ast.AST, reason: str = "") -> None:
        super().__init__(reason or f"the hint {ast.unparse(node)} has no schema: use {HINTS}")
        self.node = node


@dataclass(frozen=True)
class Hint:
    """A parameter's type: its schema, and how a JSON value becomes what the function expects."""

    schema: Schema
    build: Callable[[str], str] | None = None
    """Code that turns the expression of a JSON value into the value; None where it is the same."""


@dataclass
class Hints:
    """Reads annotations; knows the dataclasses of one module."""

    classes: Mapping[str, ast.ClassDef]
    _open: list[str] = field(default_factory=list)

    def read(self, node: ast.expr) -> Hint:
        """What an annotation says; raises Unsupported."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._quoted(node)
        if isinstance(node, ast.Constant) and node.value is None:
            return Hint(SIMPLE["None"])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._union(node, [node.left, node.right])
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        name = last_name(node)
        if name in self.classes:
            return self._dataclass(node, self.classes[name])
        if name in SIMPLE:
            return Hint(SIMPLE[name])
        raise Unsupported(node)

    def _quoted(self, node: ast.Constant) -> Hint:
        try:
            return self.read(ast.parse(str(node.value), mode="eval").body)
        except SyntaxError:
            raise Unsupported(node) from None

    def _subscript(self, node: ast.Subscript) -> Hint:
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        name = last_name(node.value)
        if name == "Literal":
            return _literal(node, inner)
        if name == "Annotated":
            return self._annotated(inner)
        if name == "Optional":
            return self._union(node, [*inner, ast.Constant(None)])
        if name == "Union":
            return self._union(node, inner)
        if name in ("list", "List") and len(inner) == 1:
            return self._list(inner[0])
        if name in ("dict", "Dict") and len(inner) == 2 and last_name(inner[0]) == "str":
            return self._dict(inner[1])
        raise Unsupported(node)

    def _annotated(self, inner: list[ast.expr]) -> Hint:
        hint = self.read(inner[0])
        words = [note.value for note in inner[1:] if isinstance(note, ast.Constant)]
        texts = [word for word in words if isinstance(word, str)]
        return Hint({**hint.schema, "description": texts[0]}, hint.build) if texts else hint

    def _list(self, inner: ast.expr) -> Hint:
        hint = self.read(inner)
        schema = {"type": "array", "items": hint.schema}
        build = hint.build
        if build is None:
            return Hint(schema)
        return Hint(schema, lambda value: f"[{build('__item')} for __item in {value}]")

    def _dict(self, inner: ast.expr) -> Hint:
        hint = self.read(inner)
        schema = {"type": "object", "additionalProperties": hint.schema}
        build = hint.build
        if build is None:
            return Hint(schema)
        return Hint(
            schema, lambda value: f"{{__k: {build('__v')} for __k, __v in {value}.items()}}"
        )

    def _union(self, node: ast.expr, members: list[ast.expr]) -> Hint:
        hints = [self.read(member) for member in members]
        schemas: list[Schema] = []
        for hint in hints:
            options = hint.schema["anyOf"] if set(hint.schema) == {"anyOf"} else [hint.schema]
            schemas += [option for option in options if option not in schemas]
        built = [hint.build for hint in hints if hint.build]
        others = [schema for schema in schemas if schema != SIMPLE["None"]]
        if not built:
            return Hint({"anyOf": schemas})
        if len(others) > 1:
            raise Unsupported(
                node, f"{ast.unparse(node)}: a dataclass can be united only with None"
            )
        return Hint(
            {"anyOf": schemas}, lambda value: f"(None if {value} is None else {built[0](value)})"
        )

    def _dataclass(self, node: ast.expr, class_: ast.ClassDef) -> Hint:
        if class_.name in self._open:
            raise Unsupported(
                node, f"the dataclass {class_.name} holds itself, which has no schema"
            )
        self._open.append(class_.name)
        try:
            schema = object_schema(
                {
                    name: (self.read(member.annotation), default)
                    for name, (member, default) in _fields(class_).items()
                }
            )
        finally:
            self._open.pop()
        return Hint(schema, lambda value: f"{maker(class_.name)}({value})")

    def makers(self) -> str:
        """Code that makes the dataclasses from JSON objects, and `__plain`, which gives their members."""
        lines = ["def __plain(value):"]
        for name, class_ in self.classes.items():
            members = ", ".join(f"{field!r}: value.{field}" for field in _fields(class_))
            lines.append(f"    if isinstance(value, {name}): return {{{members}}}")
        lines.append("    return None")
        return "\n".join([*(self._maker(class_) for class_ in self.classes.values()), *lines])

    def _maker(self, class_: ast.ClassDef) -> str:
        lines = [f"def {maker(class_.name)}(__given):", "    __fields = {**__given}"]
        for name, (member, _) in _fields(class_).items():
            try:
                build = self.read(member.annotation).build
            except Unsupported:
                continue
            if build is not None:
                place = f"__fields[{name!r}]"
                lines.append(f"    if {name!r} in __fields: {place} = {build(place)}")
        return "\n".join([*lines, f"    return {class_.name}(**__fields)"])


def maker(name: str) -> str:
    """The name of the function that makes a dataclass; tool code may not begin a name so."""
    return f"__make_{name}"


def object_schema(members: Mapping[str, tuple[Hint, ast.expr | None]]) -> Schema:
    """The schema of an object with these members; one with a default is optional."""
    properties = {}
    for name, (hint, default) in members.items():
        properties[name] = {**hint.schema, **_default(default)}
    required = [name for name, (_, default) in members.items() if default is None]
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _default(node: ast.expr | None) -> Schema:
    try:
        value = ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {}
    return {"default": value} if isinstance(value, (str, int, float, bool)) else {}


def last_name(node: ast.AST) -> str:
    """`dt.datetime` → `datetime`; empty for anything that is no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def dataclasses_of(tree: ast.Module) -> dict[str, ast.ClassDef]:
    """The module's dataclasses by name."""
    return {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(
            last_name(mark.func if isinstance(mark, ast.Call) else mark) == "dataclass"
            for mark in node.decorator_list
        )
    }


def _fields(class_: ast.ClassDef) -> dict[str, tuple[ast.AnnAssign, ast.expr | None]]:
    return {
        node.target.id: (node, _field_default(node.value))
        for node in class_.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }


def _field_default(node: ast.expr | None) -> ast.expr | None:
    if isinstance(node, ast.Call) and last_name(node.func) == "field":
        given = {word.arg: word.value for word in node.keywords}
        return given.get("default") or given.get("default_factory")
    return node


def _literal(node: ast.expr, inner: list[ast.expr]) -> Hint:
    try:
        values = [ast.literal_eval(item) for item in inner]
    except (ValueError, TypeError):
        raise Unsupported(node) from None
    if not all(value is None or isinstance(value, (str, int)) for value in values):
        raise Unsupported(node)
    kind: Schema = {"type": "string"} if all(isinstance(value, str) for value in values) else {}
    return Hint({**kind, "enum": values})
