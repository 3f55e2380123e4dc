"""Which tables the rows come from that a tool server's functions handle, as far as its text tells."""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

ROUNDS = 4
"""In which what one function hands to another gets known."""
KEPT = 16


class Rows(NamedTuple):
    """What an expression may hold."""

    table: str
    many: bool = False
    """A list of rows rather than one."""


Held = frozenset[Rows]
NOTHING: Held = frozenset()
ONE = frozenset({"get", "insert", "update", "put"})
SAME = frozenset({"sorted", "list", "reversed", "tuple"})
ONE_OF = frozenset({"min", "max", "next"})


class RowTypes:
    """Knows nothing of a source that cannot be parsed."""

    def __init__(self, text: str) -> None:
        self.tree = _parsed(text)
        self.functions = {n.name: n for n in self.tree.body if isinstance(n, ast.FunctionDef)}
        self._names: dict[tuple[str, str], Held] = {}
        self._returns: dict[str, Held] = {}
        for _ in range(ROUNDS):
            before = dict(self._names), dict(self._returns)
            for name, function in self.functions.items():
                for node in ast.walk(function):
                    self._learn(name, node)
            if before == (self._names, self._returns):
                break

    def tables(self, function: str, code: str) -> frozenset[str]:
        """Of which tables an expression of a function may be a row."""
        return frozenset(each.table for each in self.held(function, code) if not each.many)

    def held(self, function: str, code: str) -> Held:
        """What an expression of a function may hold."""
        try:
            return self.of(function, ast.parse(code.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return NOTHING

    def of(self, function: str, node: ast.expr | None) -> Held:
        """As `held`, of an expression that is parsed."""
        match node:
            case ast.Name(id=name):
                return self._names.get((function, name), NOTHING)
            case ast.Call():
                return self._called(function, node)
            case ast.Subscript(value=value, slice=place):
                return self._part(self.of(function, value), place)
            case ast.BoolOp(values=values):
                return NOTHING.union(*[self.of(function, each) for each in values])
            case ast.IfExp(body=body, orelse=other):
                return self.of(function, body) | self.of(function, other)
            case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt):
                return _many(self.of(function, elt))
            case ast.Dict(keys=[None, *_], values=[first, *_]):
                return self.of(function, first)
            case ast.NamedExpr(value=value):
                return self.of(function, value)
        return NOTHING

    def _called(self, function: str, node: ast.Call) -> Held:
        first = node.args[0] if node.args else None
        match node.func:
            case ast.Attribute(value=ast.Name(id="db"), attr=attr):
                table = first.value if isinstance(first, ast.Constant) else None
                if isinstance(table, str) and (attr in ONE or attr == "find"):
                    return frozenset({Rows(table, attr == "find")})
            case ast.Name(id=name) if name in SAME:
                return self.of(function, first)
            case ast.Name(id=name) if name in ONE_OF:
                return _one(self.of(function, first))
            case ast.Name(id=name):
                return self._returns.get(name, NOTHING)
        return NOTHING

    @staticmethod
    def _part(held: Held, place: ast.expr) -> Held:
        if isinstance(place, ast.Slice):
            return frozenset(each for each in held if each.many)
        is_text = isinstance(place, ast.Constant) and isinstance(place.value, str)
        return NOTHING if is_text else _one(held)

    # Learning

    def _learn(self, function: str, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._bind(function, target, value)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self._bind(function, target, value)
            case ast.NamedExpr(target=target, value=value):
                self._bind(function, target, value)
            case ast.For(target=target, iter=it) | ast.comprehension(target=target, iter=it):
                self._note(function, target, _one(self.of(function, it)))
            case ast.Return(value=value) if value is not None:
                self._returns[function] = self._returns.get(function, NOTHING) | self.of(
                    function, value
                )
            case ast.Call():
                self._hand_over(function, node)

    def _bind(self, function: str, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=False):
                self._note(function, one, self.of(function, other))
        else:
            self._note(function, target, self.of(function, value))

    def _note(self, function: str, target: ast.expr, held: Held) -> None:
        if isinstance(target, ast.Name) and held:
            key = function, target.id
            self._names[key] = self._names.get(key, NOTHING) | held

    def _hand_over(self, function: str, call: ast.Call) -> None:
        if not isinstance(call.func, ast.Name):
            return
        if call.func.id in SAME | ONE_OF and call.args:
            self._look_at_key(function, call)
        called = self.functions.get(call.func.id)
        if called is not None:
            for parameter, value in arguments(called, call):
                self._note(called.name, ast.Name(parameter), self.of(function, value))

    def _look_at_key(self, function: str, call: ast.Call) -> None:
        for keyword in call.keywords:
            match keyword.value:
                case ast.Lambda(args=ast.arguments(args=[only]), body=_):
                    self._note(function, ast.Name(only.arg), _one(self.of(function, call.args[0])))


def arguments(called: ast.FunctionDef, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Parameter and value of what a call hands over, as far as it is told without stars."""
    for parameter, value in zip(called.args.args, call.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        yield parameter.arg, value
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value


def _one(held: Held) -> Held:
    return frozenset(Rows(each.table) for each in held if each.many)


def _many(held: Held) -> Held:
    return frozenset(Rows(each.table, True) for each in held if not each.many)


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


_KNOWN: OrderedDict[str, RowTypes] = OrderedDict()


def rowtypes(text: str) -> RowTypes:
    """What is known of a source, found once."""
    known = _KNOWN.pop(text, None) or RowTypes(text)
    _KNOWN[text] = known
    if len(_KNOWN) > KEPT:
        _KNOWN.popitem(last=False)
    return known
