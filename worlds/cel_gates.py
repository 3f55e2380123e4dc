"""The gates that a condition passes before it is ever evaluated: how deep it loops, and what it names.

Names are checked as far as shapes are known and never further: what a schema leaves open may be called anything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from worlds.cel_errors import ConditionInvalid, NameUnbound, NameUnknown
from worlds.cel_functions import (
    BOOLEAN,
    INTEGER,
    MANY,
    NUMBER,
    SIGNATURES,
    TEXT,
    TYPE_NAMES,
    Signature,
)
from worlds.cel_tree import Node, literal_text, walk
from worlds.cel_values import Shape
from worlds.contract import OPEN, Contract

LOOP_LIMIT = 2
TERM_LIMIT = 16
"""Terms of one sum, where they may be text or lists: each `+` copies what is to its left."""
ENTRY_LIMIT = 32
"""Entries of list and map literals, constants aside: what loops could multiply."""

_TABLE_FIRST = {"get", "start_get", "find", "start_find", "count", "changed"}
_SAME_AS_LIST = {"filter"}


def check_loops(root: Node, text: str) -> None:
    """Refuse comprehensions nested more than one inside another; raises ConditionInvalid."""
    for node in walk(root):
        if node.kind == "macro" and _loops(node) > LOOP_LIMIT:
            raise ConditionInvalid(
                "comprehensions (map, filter, all, exists, …) stand at most one inside another"
                " (one over a map that builds lists or objects counts as inside)",
                text,
                node.at,
            )
    entries = [part for node in walk(root) for part in _entries(node) if part.kind != "literal"]
    if len(entries) > ENTRY_LIMIT:
        raise ConditionInvalid(
            f"list and object literals hold at most {ENTRY_LIMIT} entries that are no constants, here {len(entries)}",
            text,
        )


def _loops(node: Node) -> int:
    """How many comprehensions stand inside one another, this one included."""
    if node.kind != "macro":
        return max((_loops(part) for part in node.parts), default=0)
    over, *bodies = node.parts
    again = 1 if _builds(over) else 0
    return max(_loops(over) + again, 1 + max(_loops(body) for body in bodies))


def _builds(node: Node) -> bool:
    """Whether a map in here makes lists or objects: looping over them again could double their size each time."""
    return any(
        each.kind == "macro"
        and each.text == "map"
        and any(_entries(inner) for body in each.parts[1:] for inner in walk(body))
        for each in walk(node)
    )


def _entries(node: Node) -> tuple[Node, ...]:
    return node.parts if node.kind in ("list", "map") else ()


class Names:
    """Walks a condition with the shapes of its names; afterwards knows what it uses and each node's shape."""

    def __init__(
        self, text: str, contract: Contract, names: Mapping[str, Shape], functions: Collection[str]
    ) -> None:
        self.text = text
        self.contract = contract
        self.given = names
        self.scope: dict[str, Shape] = dict(names)
        self.signatures = {**SIGNATURES, **dict.fromkeys(functions, Signature(0, MANY))}
        self.variables: set[str] = set()
        self.functions: set[str] = set()
        self.shapes: dict[int, Shape] = {}
        self._bound: list[str] = []

    def check(self, node: Node) -> Shape:
        """The node's shape, as far as it is known; raises NameUnknown or ConditionInvalid."""
        shape: Shape = getattr(self, f"_{node.kind}")(node)
        self.shapes[id(node)] = shape
        return shape

    def _all(self, nodes: tuple[Node, ...]) -> list[Shape]:
        return [self.check(node) for node in nodes]

    def _literal(self, node: Node) -> Shape:
        text = node.text
        if text[-1] in "\"'":
            return TEXT
        if text in ("true", "false"):
            return BOOLEAN
        if text == "null" or text[-1] in "uU":
            return None
        whole = text.lstrip("-").isdigit() or "x" in text.lower()
        return INTEGER if whole else NUMBER

    def _name(self, node: Node) -> Shape:
        name = node.text
        if name in self._bound:
            return self.scope[name]
        if name in self.given:
            self.variables.add(name)
            return self.given[name]
        if name in TYPE_NAMES:
            return None
        raise NameUnbound(name, {*self.given, *self._bound}, self.text, node.at)

    def _field(self, node: Node) -> Shape:
        return self._member(self.check(node.parts[0]), node.text, node.at)

    def _member(self, shape: Shape, name: str, at: int) -> Shape:
        if shape is None or any(word in shape for word in OPEN):
            return None
        properties = shape.get("properties") or {}
        if name in properties:
            return _shape(properties[name])
        extra = shape.get("additionalProperties")
        if isinstance(extra, Mapping):
            return extra
        if properties and extra is not True:
            raise NameUnknown(
                f"unknown field {name!r} (there are {', '.join(sorted(properties))})", self.text, at
            )
        return None

    def _index(self, node: Node) -> Shape:
        target, index = self._all(node.parts)
        name = literal_text(node.parts[1])
        if name is not None:
            return self._member(target, name, node.parts[1].at)
        if index == INTEGER:
            return _element(target)
        extra = (
            target.get("additionalProperties") if target and not target.get("properties") else None
        )
        return _shape(extra)

    def _list(self, node: Node) -> Shape:
        shapes = self._all(node.parts)
        alike = bool(shapes) and all(shape == shapes[0] for shape in shapes)
        return {"type": "array", **({"items": shapes[0]} if alike and shapes[0] else {})}

    def _map(self, node: Node) -> Shape:
        self._all(node.parts)
        return None

    def _sign(self, node: Node) -> Shape:
        shape = self.check(node.parts[0])
        return BOOLEAN if node.text == "!" else shape

    def _choice(self, node: Node) -> Shape:
        _, one, other = self._all(node.parts)
        return one if one == other else None

    def _chain(self, node: Node) -> Shape:
        shapes = self._all(node.parts)
        if not set(node.operators) & set("+-*/%"):
            return BOOLEAN
        if all(is_integer(shape) for shape in shapes):
            return INTEGER
        if (
            "+" in node.operators
            and len(node.parts) > TERM_LIMIT
            and not all(map(is_small, shapes))
        ):
            raise ConditionInvalid(
                f"a sum of text or lists has at most {TERM_LIMIT} terms, this one {len(node.parts)}",
                self.text,
                node.at,
            )
        numbers = [is_number(shape) or is_integer(shape) for shape in shapes]
        if all(numbers) or (any(map(is_number, shapes)) and "+" not in node.operators):
            return NUMBER
        return TEXT if any(shape == TEXT for shape in shapes) else None

    def _macro(self, node: Node) -> Shape:
        over = self.check(node.parts[0])
        outer = self.scope.get(node.variable)
        self.scope[node.variable] = _element(over)
        self._bound.append(node.variable)
        *_, body = self._all(node.parts[1:])
        self._bound.pop()
        self.scope[node.variable] = outer
        if node.text == "filter":
            return over
        return {"type": "array", "items": body or {}} if node.text == "map" else BOOLEAN

    def _call(self, node: Node) -> Shape:
        signature = self.signatures.get(node.text)
        if signature is None:
            raise NameUnknown(f"unknown function {node.text!r}", self.text, node.at)
        if not signature.fewest <= len(node.parts) <= signature.most:
            raise ConditionInvalid(
                f"{node.text} takes {_arity(signature)}, not {len(node.parts)}", self.text, node.at
            )
        self.functions.add(node.text)
        shapes = self._all(node.parts)
        if node.text in _TABLE_FIRST and node.text not in self._own():
            return self._on_table(node)
        return self._result(node, signature, shapes)

    def _own(self) -> set[str]:
        return self.signatures.keys() - SIGNATURES.keys()

    def _on_table(self, node: Node) -> Shape:
        gives = SIGNATURES[node.text].gives
        if (
            node.text in ("find", "start_find")
            and node.parts[1].kind == "map"
            and not node.parts[1].parts
        ):
            raise ConditionInvalid(f"{node.text} needs at least one field", self.text, node.at)
        table = literal_text(node.parts[0])
        if table is None:
            return gives
        row = self.table(table, node.parts[0].at)
        if node.text == "changed":
            self._fields(row, node.parts[2:])
        elif len(node.parts) > 1 and node.parts[1].kind == "map":
            self._fields(row, node.parts[1].parts[::2])
        if node.text in ("get", "start_get"):
            return row
        return gives or {"type": "array", "items": row or {}}

    def table(self, name: str, at: int) -> Shape:
        """The shape of a table's rows; raises NameUnknown."""
        if name not in self.contract.shapes:
            raise NameUnknown(
                f"unknown table {name!r} (there are {', '.join(self.contract.tables)})",
                self.text,
                at,
            )
        return self.contract.shapes[name]

    def _fields(self, row: Shape, fields: tuple[Node, ...]) -> None:
        """Check the first step of each path that is written out."""
        for node in fields:
            path = literal_text(node)
            if path is not None:
                self._member(row, path.partition(".")[0].removesuffix("[]"), node.at)

    def _result(self, node: Node, signature: Signature, shapes: list[Shape]) -> Shape:
        if node.text == "sort_by":
            self._fields(_element(shapes[0]), node.parts[1:])
            return shapes[0]
        if node.text in ("min", "max"):
            if len(shapes) == 1:
                return _element(shapes[0])
            return shapes[0] if all(shape == shapes[0] for shape in shapes) else None
        return signature.gives


def _shape(schema: Any) -> Shape:
    return schema if isinstance(schema, Mapping) else None


def _element(shape: Shape) -> Shape:
    """The shape of what a list holds; of a map, a comprehension sees the keys."""
    if shape is None or any(word in shape for word in OPEN) or "prefixItems" in shape:
        return None
    return _shape(shape.get("items"))


def _types(shape: Shape) -> set[str]:
    """The types that a value of this shape may have, null aside; empty when unknown."""
    types = shape.get("type", ()) if shape is not None else ()
    return {types} if isinstance(types, str) else set(types) - {"null"}


def is_number(shape: Shape) -> bool:
    """Whether a value of this shape is a double, if there is one."""
    return _types(shape) == {"number"}


def is_integer(shape: Shape) -> bool:
    """Whether a value of this shape is an int, if there is one."""
    return _types(shape) == {"integer"}


def is_small(shape: Shape) -> bool:
    """Whether a value of this shape is a single number or truth."""
    return bool(_types(shape)) and _types(shape) <= {"number", "integer", "boolean"}


def is_list(shape: Shape) -> bool:
    """Whether a value of this shape is a list, if there is one."""
    return _types(shape) == {"array"}


def _arity(signature: Signature) -> str:
    if signature.most == MANY:
        return f"at least {signature.fewest} arguments"
    if signature.fewest == signature.most:
        return f"{signature.most} argument{'' if signature.most == 1 else 's'}"
    return f"{signature.fewest} or {signature.most} arguments"
