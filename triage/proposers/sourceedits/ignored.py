"""Parameters that a function takes and never reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.sourcecode import SourceCode

DESCRIBED = re.compile(r"description\s*=\s*[\"'](.{1,160}?)[\"']\s*[),]", re.DOTALL)
SIMPLE = (cst.SimpleString, cst.Integer, cst.Float, cst.Name, cst.Attribute)
"""What somebody writes down instead of a parameter."""


def ignored(source: SourceCode) -> Iterator[Edit]:
    """Use such a parameter where something of its name, or of its kind, is wanted."""
    for function in source.suspects(cst.FunctionDef):
        read = _read(source, function)
        for param in _params(function):
            name = param.name.value
            if name not in read and not name.startswith("_") and name not in ("self", "cls"):
                yield from _uses(source, function, param)


def _params(function: cst.FunctionDef) -> list[cst.Param]:
    given = function.params
    return [*given.posonly_params, *given.params, *given.kwonly_params]


def _read(source: SourceCode, function: cst.FunctionDef) -> set[str]:
    """Names that its body reads; keywords of calls and attributes are none."""
    found = set()
    for node in source.all(cst.Name, function.body):
        around = source.parent(node)
        is_keyword = isinstance(around, cst.Arg) and around.keyword is node
        if not is_keyword and not (isinstance(around, cst.Attribute) and around.attr is node):
            found.add(node.value)
    return found


def _uses(source: SourceCode, function: cst.FunctionDef, param: cst.Param) -> Iterator[Edit]:
    authority = _authority(source, function, param)
    for node, likelihood in _places(source, function, param):
        where = source.function(node)
        yield Edit(
            source.replaced(node, param.name.value),
            where,
            source.line(node),
            f"Use `{param.name.value}`, which `{function.name.value}` takes and never reads, "
            f"instead of `{source.code(node)[:60]}`",
            likelihood,
            authority,
        )


def _places(
    source: SourceCode, function: cst.FunctionDef, param: cst.Param
) -> Iterator[tuple[cst.BaseExpression, float]]:
    name = param.name.value
    for arg in source.all(cst.Arg, function.body):
        if arg.keyword is not None and arg.keyword.value == name:
            yield arg.value, 0.85 if isinstance(arg.value, SIMPLE) else 0.5
    for element in source.all(cst.DictElement, function.body):
        if _text(element.key) == name:
            yield element.value, 0.85 if isinstance(element.value, SIMPLE) else 0.5
    for assign in source.all(cst.Assign, function.body):
        target = assign.targets[0].target
        index = target.slice[0].slice if isinstance(target, cst.Subscript) else None
        is_named = isinstance(index, cst.Index) and _text(index.value) == name
        if is_named or (isinstance(target, cst.Attribute) and target.attr.value == name):
            yield assign.value, 0.8 if isinstance(assign.value, SIMPLE) else 0.45
    hint = source.code(param.annotation.annotation) if param.annotation else ""
    for node in source.all(cst.Attribute, function.body):
        kind = node.value.value if isinstance(node.value, cst.Name) else ""
        if kind[:1].isupper() and re.search(rf"\b{re.escape(kind)}\b", hint):
            yield node, 0.4


def _text(node: cst.BaseExpression) -> str:
    value = node.evaluated_value if isinstance(node, cst.SimpleString) else ""
    return value if isinstance(value, str) else ""


def _authority(source: SourceCode, function: cst.FunctionDef, param: cst.Param) -> str:
    """What is said of the parameter, in its hint or in the docstring."""
    name = param.name.value
    hint = source.code(param.annotation.annotation) if param.annotation else ""
    if found := DESCRIBED.search(hint):
        return f"{name}: {' '.join(found[1].split())}"
    lines = (function.get_docstring() or "").split("\n")
    told = [line.strip() for line in lines if re.match(rf"\s*{re.escape(name)}\s*(\(.*\))?:", line)]
    return told[0][:160] if told else ""
