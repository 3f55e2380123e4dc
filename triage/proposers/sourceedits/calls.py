"""The wrong one of several like functions called, a call left out, or one too many."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import libcst as cst

from triage.proposers.sourceedits.changed import changed, leaf, short
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.quoting import quoted
from triage.proposers.sourceedits.rowtypes import RowTypes, rowtypes
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.vocabulary import closest, likeness

UNDEFINED = 0.9
OF_KIND = {
    "any": ("all",), "all": ("any",), "sum": ("len", "max"), "len": ("sum",), "round": ("int",),
    "floor": ("ceil",), "ceil": ("floor",), "append": ("extend",), "extend": ("append",),
    "startswith": ("endswith",), "endswith": ("startswith",), "lower": ("upper",), "upper": ("lower",),
    "lstrip": ("strip",), "rstrip": ("strip",), "weekday": ("isoweekday",), "isoweekday": ("weekday",),
    "keys": ("values",), "values": ("keys",), "setdefault": ("get",), "update": ("put",),
    "issubset": ("issuperset",), "union": ("intersection",), "intersection": ("union",),
    "days": ("total_seconds",), "today": ("now",), "local": ("utc",), "utc": ("local",),
    "remove": ("append",), "date": ("datetime",), "insert": ("put",),
}  # fmt: skip
OF_KIND_LIKELY = 0.14
SIBLING = 0.14
UNWRAPPED = 0.08
WRAPPED_ELSEWHERE = 0.4
MOST = 3


def calls(source: SourceCode) -> Iterator[Edit]:
    """Other functions of the kind, and values wrapped as they are elsewhere."""
    types = rowtypes(source.text)
    for call in source.suspects(cst.Call):
        yield from _of_kind(source, call)
        if isinstance(call.func, cst.Name):
            yield from _siblings(source, types, call, call.func)
        yield from _unwrapped(source, types, call)
    yield from _wrapped(source, types)
    yield from _undefined(source)


def _of_kind(source: SourceCode, call: cst.Call) -> Iterator[Edit]:
    func = call.func
    name = func.attr if isinstance(func, cst.Attribute) else func
    if not isinstance(name, cst.Name):
        return
    for index, other in enumerate(OF_KIND.get(name.value, ())):
        yield changed(source, name, other, OF_KIND_LIKELY - 0.04 * index)


def _siblings(
    source: SourceCode, types: RowTypes, call: cst.Call, func: cst.Name
) -> Iterator[Edit]:
    """Functions of the module that take as much and give the like."""
    own = types.functions.get(func.value)
    if own is None:
        return
    wanted = _signature(own)
    others = [
        name
        for name, each in types.functions.items()
        if name not in (func.value, source.function(call)) and _signature(each) == wanted
    ]
    others = [name for name in others if name.startswith("_") == func.value.startswith("_")]
    others.sort(key=lambda name: (-likeness(name, func.value), name))
    for index, other in enumerate(others[:MOST]):
        meant = _is_told(source, call, other)
        likelihood = 0.3 if meant else SIBLING * (0.4 + likeness(other, func.value)) - 0.02 * index
        yield changed(source, func, other, max(0.04, likelihood))


def _signature(function: ast.FunctionDef) -> tuple[object, ...]:
    returns = ast.unparse(function.returns) if function.returns else ""
    kinds = [ast.unparse(a.annotation) if a.annotation else "" for a in function.args.args]
    return (returns, *kinds)


def _is_told(source: SourceCode, call: cst.Call, other: str) -> bool:
    """Whether what a value is kept as, or what it is made from, is called as another function is."""
    around = source.parent(call)
    kept = ""
    if isinstance(around, cst.Assign):
        kept = leaf(source.code(around.targets[0].target))
    elif isinstance(around, cst.DictElement) and isinstance(around.key, cst.SimpleString):
        kept = str(around.key.evaluated_value)
    given = leaf(source.code(call.args[0].value)) if len(call.args) == 1 else ""
    bare = other.strip("_")
    own = source.code(call.func).strip("_")
    words = [w for w in (kept, given.removesuffix("_id")) if w]
    return any(_about(w, bare) and not _about(w, own) for w in words)


def _about(word: str, function: str) -> bool:
    return len(word) > 2 and (
        word == function or function.endswith(f"_{word}") or word == f"{function}s"
    )


def _unwrapped(source: SourceCode, types: RowTypes, call: cst.Call) -> Iterator[Edit]:
    """A value as it is, where a helper turns it into another of its sort."""
    if len(call.args) != 1 or call.args[0].star or not isinstance(call.func, cst.Name):
        return
    function = types.functions.get(call.func.value)
    if function is None or not function.returns or not function.args.args:
        return
    taken = function.args.args[0].annotation
    if taken is not None and ast.unparse(taken) == ast.unparse(function.returns):
        argument = call.args[0].value
        yield changed(source, call, source.code(argument), UNWRAPPED)


# Wrapped elsewhere


def _wrapped(source: SourceCode, types: RowTypes) -> Iterator[Edit]:
    """Fields and variables that are handed through a helper elsewhere before they are used the like."""
    known = _wrappers(types)
    for kind in (cst.Subscript, cst.Name):
        for node in source.suspects(kind):
            around = source.parent(node)
            name = leaf(source.code(node))
            if name not in known or not _is_value(node, around):
                continue
            for (wrapper, example), count in known[name].most_common(2):
                code = f"{wrapper}({source.code(node)})"
                share = count / max(1, source.text.count(f'["{name}"]'))
                likelihood = max(0.03, WRAPPED_ELSEWHERE * share)
                authority = f"elsewhere it is `{short(quoted(example))}`"
                likelihood *= 1 if isinstance(node, cst.Subscript) else 0.5
                yield changed(source, node, code, likelihood, authority)
    yield from _turned(source, types)


def _wrappers(types: RowTypes) -> Mapping[str, Counter[tuple[str, str]]]:
    """Field → helper with an example, where the helper gives the sort that it takes."""
    found: dict[str, Counter[tuple[str, str]]] = {}
    examples: dict[tuple[str, str], str] = {}
    for node in ast.walk(types.tree):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Subscript() as value], keywords=[]):
                field = leaf(ast.unparse(value))
                if field and name in types.functions:
                    example = examples.setdefault((field, name), ast.unparse(node))
                    found.setdefault(field, Counter())[name, example] += 1
    return found


def _is_value(node: cst.CSTNode, around: cst.CSTNode | None) -> bool:
    """Whether an expression is kept or compared as it is."""
    if isinstance(around, (cst.DictElement, cst.Assign, cst.Return)):
        return around.value is node
    if isinstance(around, (cst.Comparison, cst.ComparisonTarget)):
        return True
    return isinstance(around, cst.BooleanOperation)


def _turned(source: SourceCode, types: RowTypes) -> Iterator[Edit]:
    """Values written to the records through a helper that takes and gives their sort: the day before, a mail in small
    letters."""
    helpers = [
        name
        for name, function in types.functions.items()
        if name.startswith("_") and len(function.args.args) == 1 and _keeps_sort(function)
    ]
    if not helpers:
        return
    for entry in source.suspects(cst.DictElement):
        if isinstance(entry.value, cst.Name) and isinstance(entry.key, cst.SimpleString):
            for helper in helpers[: 2 * MOST]:
                taken = types.functions[helper].args.args[0].arg
                named = taken in (entry.value.value, str(entry.key.evaluated_value))
                likelihood = 0.12 if named else 0.06
                yield changed(source, entry.value, f"{helper}({entry.value.value})", likelihood)


def _keeps_sort(function: ast.FunctionDef) -> bool:
    taken = function.args.args[0].annotation
    return bool(
        taken is not None
        and function.returns is not None
        and ast.unparse(taken) == ast.unparse(function.returns)
    )


def _undefined(source: SourceCode) -> Iterator[Edit]:
    """Functions that are called and stand nowhere."""
    types = rowtypes(source.text)
    bound = set(re.findall(r"\b(\w+)\b\s*(?:=|:)|import (\w+)|class (\w+)|def (\w+)", source.text))
    names = {each for group in bound for each in group if each}
    for call in source.suspects(cst.Call):
        func = call.func
        if not isinstance(func, cst.Name) or func.value in names or hasattr(builtins, func.value):
            continue
        if (
            re.search(rf"import .*\b{re.escape(func.value)}\b", source.text)
            or func.value == "money"
        ):
            continue
        for index, (other, score) in enumerate(closest(func.value, types.functions)):
            authority = f"there is no function `{func.value}`"
            yield changed(source, func, other, UNDEFINED * score - 0.2 * index, authority)
