"""Faults of tool servers in what agents meet: arguments, limits, and what is remembered between calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from benchmarks.faults.mutation import Original, Site, fault
from benchmarks.operators.development.python_text import (
    statements,
)
from benchmarks.operators.development.renaming import can_be_renamed, renamed
from benchmarks.operators.development.servers import Function, functions, plan_steps


def _tools(original: Original) -> Iterator[Function]:
    return (each for each in functions(original) if each.is_tool)


@fault("module-state", "toolserver", "A tool remembers between calls what it told before.")
def module_state(original: Original) -> Iterator[Site]:
    for each in _tools(original):
        last = each.node.body[-1]
        if not each.is_outside and isinstance(last, ast.Return) and last.value is not None:
            changed = partial(_remembering, each, last)
            yield Site(each.component, each.name, changed, each.touches)


def _remembering(function: Function, last: ast.Return) -> str:
    """The source in which a tool looks into a dict of the module before it looks anywhere else."""
    text, node = function.text, function.node
    store, said = f"_SEEN_{node.name.upper()}", text.said(last).removeprefix("return ")
    names = ", ".join(arg.arg for arg in node.args.args)
    first = statements(node)[0]
    here = text.lines_of(first)[0]
    top = text.lines_of(node)[0]
    return text.spliced(
        ((top, top), f"{store}: dict[str, Any] = {{}}\n\n\n"),
        (
            (here, here),
            f"    asked = str([{names}])\n    if asked in {store}:\n        return {store}[asked]\n",
        ),
        (text.span(last), f"{store}[asked] = {said}\n    return {store}[asked]"),
    )


@fault("parameter-renamed", "toolserver", "An argument of a tool has another name.")
def parameter_renamed(original: Original) -> Iterator[Site]:
    for each in _tools(original):
        given = _given(original, each.name)
        for arg in each.node.args.args:
            new = _other_name(arg.arg)
            if arg.arg in given and can_be_renamed(each.text, each.node, arg.arg, new):
                changed = partial(renamed, each.text, each.node, arg.arg, new)
                yield Site(each.component, f"{each.name}({arg.arg})", changed, each.touches)


def _other_name(name: str) -> str:
    first, *rest = name.split("_")
    return "".join([first, *(part.capitalize() for part in rest)]) if rest else f"{name}_value"


def _given(original: Original, tool: str) -> set[str]:
    return {
        name
        for step in plan_steps(original)
        if step.get("call") == tool
        for name in step.get("args", {})
    }
