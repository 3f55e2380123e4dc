"""Which names an expression may use, and what each of them is for."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from triage.proposers.sourceedits.rowtypes import Held, RowTypes

BUILT_IN = frozenset(dir(builtins))
GIVEN = frozenset({"db", "clock", "money"})


@dataclass(frozen=True, eq=False)
class Scope:
    """Of a function."""

    function: str
    parameters: Sequence[str]
    locals: Sequence[str]
    """In the order of the text, with the line where each is first bound."""
    bound: dict[str, int]
    used: Counter[str]
    annotations: dict[str, str]
    """Of parameters and of locals that have one."""

    @staticmethod
    @lru_cache(maxsize=256)
    def of(types: RowTypes, name: str) -> Scope | None:
        """None where there is no such function."""
        node = types.functions.get(name)
        if node is None:
            return None
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        bound: dict[str, int] = {}
        used: Counter[str] = Counter()
        inner = _inner_names(node)
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                if not isinstance(each.ctx, ast.Store):
                    used[each.id] += 1
                elif each.id not in inner:
                    bound[each.id] = min(each.lineno, bound.get(each.id, each.lineno))
        annotations = {a.arg: ast.unparse(a.annotation) for a in arguments if a.annotation}
        names = [a.arg for a in arguments]
        kept = [n for n in bound if n not in names]
        return Scope(name, names, kept, bound, used, annotations)

    def visible(self, line: int) -> list[str]:
        """Parameters, and locals bound before a line."""
        return [*self.parameters, *[n for n in self.locals if self.bound[n] < line]]


def _inner_names(node: ast.AST) -> set[str]:
    """Names bound in comprehensions alone."""
    return {
        name.id
        for each in ast.walk(node)
        if isinstance(each, ast.comprehension)
        for name in ast.walk(each.target)
        if isinstance(name, ast.Name)
    }


@lru_cache(maxsize=2048)
def sort_of(types: RowTypes, scope: Scope, name: str) -> object:
    """What a name is for: the table of its rows, else its annotation, else what it is made with; None = not known."""
    held: Held = types.held(scope.function, name)
    if held:
        return held
    if name in scope.annotations:
        return scope.annotations[name]
    node = types.functions[scope.function]
    for each in ast.walk(node):
        match each:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                return _made(types, value)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                for index, one in enumerate(names):
                    if isinstance(one, ast.Name) and one.id == name:
                        if isinstance(value, ast.Tuple) and len(value.elts) == len(names):
                            return _made(types, value.elts[index])
                        return _made(types, value), "part"
    return None


def _made(types: RowTypes, value: ast.expr) -> object:
    match value:
        case ast.Constant():
            return type(value.value).__name__
        case ast.JoinedStr():
            return "str"
        case ast.Call(func=ast.Name(id=called)):
            function = types.functions.get(called)
            return ast.unparse(function.returns) if function and function.returns else called
        case ast.Call(func=ast.Attribute(attr=attr)):
            return {"isoformat": "str", "strip": "str", "lower": "str"}.get(attr, attr)
        case ast.List() | ast.ListComp():
            return "list"
        case ast.BinOp(left=left):
            return _made(types, left)
    return None
