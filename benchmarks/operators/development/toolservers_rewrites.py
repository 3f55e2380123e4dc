"""Tool servers that do the same and are written another way: names, order, comments, expressions, branches."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from benchmarks.faults.mutation import Original, Site, rewrite
from benchmarks.operators.development.python_text import (
    SAFE_ALONE,
    PythonText,
    docstring_of,
    has_call,
    inside,
    names_in,
    negated,
    statements,
)
from benchmarks.operators.development.renaming import can_be_renamed, renamed
from benchmarks.operators.development.servers import Function, functions


@rewrite("locals-renamed", "toolserver", "A local has another name.")
def locals_renamed(original: Original) -> Iterator[Site]:
    for each in functions(original):
        args = {arg.arg for arg in ast.walk(each.node.args) if isinstance(arg, ast.arg)}
        for name in sorted(_stored(each.node) - args):
            new = f"{name}_here"
            if len(name) > 2 and can_be_renamed(each.text, each.node, name, new):
                changed = partial(renamed, each.text, each.node, name, new)
                place = f"{each.name} {each.node.lineno} {name}"
                yield Site(each.component, place, changed, each.touches)


def _stored(node: ast.AST) -> set[str]:
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


@rewrite("functions-reordered", "toolserver", "Two helpers stand in another order.")
def functions_reordered(original: Original) -> Iterator[Site]:
    for each in functions(original):
        block = each.text.block_of(each.node)
        other = next(iter(block[block.index(each.node) + 1 :]), None)
        if isinstance(other, ast.FunctionDef) and not (
            _is_bound(each.node, each) or _is_bound(other, each)
        ):
            changed = partial(_exchanged, each.text, each.node, other)
            yield Site(each.component, f"{each.name}, {other.name}", changed, each.touches)


def _is_bound(node: ast.FunctionDef, function: Function) -> bool:
    """Whether a function is a tool, whose order agents see, or has a decorator."""
    is_helper = node.name.startswith("_") or not isinstance(function.text.parents[node], ast.Module)
    return bool(node.decorator_list) or not is_helper


def _exchanged(text: PythonText, one: ast.stmt, other: ast.stmt) -> str:
    return text.spliced((text.span(one), text.said(other)), (text.span(other), text.said(one)))


VERBS = (
    "Add", "Answer", "Apply", "Ask", "Cancel", "Close", "Create", "End", "Enter", "Escalate", "Find",
    "Give", "Hand", "Invite", "List", "Mark", "Merge", "Move", "Open", "Put", "Register", "Reset", "Save",
    "Say", "Search", "Show", "Take", "Unlock", "Withdraw", "Resolve", "Update", "Look", "Query",
)  # fmt: skip


@rewrite("docstring-reworded", "toolserver", "A docstring says the same in another voice.")
def docstring_reworded(original: Original) -> Iterator[Site]:
    for each in functions(original):
        docstring = docstring_of(each.node)
        if docstring is not None:
            said = each.text.said(docstring)
            verb = said.strip('"').split(" ")[0]
            if verb in VERBS:
                changed = partial(each.text.replaced, docstring, said.replace(verb, _does(verb), 1))
                yield Site(each.component, f"{each.name} docstring", changed, each.touches)


def _does(verb: str) -> str:
    if verb.endswith(("ly", "ry")):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("ch", "sh")) else f"{verb}s"


@rewrite("result-in-local", "toolserver", "What is returned is first kept in a local.")
def result_in_local(original: Original) -> Iterator[Site]:
    for each in functions(original):
        for node in inside(each.node):
            if isinstance(node, ast.Return) and isinstance(
                node.value, (ast.Call, ast.Dict, ast.ListComp, ast.BinOp, ast.BoolOp)
            ):
                changed = partial(_kept, each.text, node, node.value, "return {}", "outcome_told")
                yield Site(each.component, each.place(node), changed, each.touches)


def _kept(text: PythonText, line: ast.stmt, value: ast.expr, again: str, name: str) -> str:
    """The source in which a statement works on a local, which is set right before."""
    joined = text.said(value)
    said = f"({joined})" if "\n" in joined and not isinstance(value, SAFE_ALONE[2:]) else joined
    if isinstance(value, (ast.JoinedStr, ast.Constant)) and "\n" in joined:
        said = f"({joined})"
    return text.replaced(line, f"{name} = {said}\n{text.indent(line)}{again.format(name)}")


@rewrite(
    "branches-swapped",
    "toolserver",
    "A choice asks for the opposite and has its branches exchanged.",
)
def branches_swapped(original: Original) -> Iterator[Site]:
    for each in functions(original):
        for node in inside(each.node):
            if isinstance(node, ast.IfExp):
                changed = partial(_other_choice, each.text, node)
                yield Site(each.component, each.place(node), changed, each.touches)
            elif isinstance(node, ast.If) and node.orelse and not _is_elif(each.text, node):
                changed = partial(_other_branches, each.text, node)
                yield Site(each.component, each.place(node), changed, each.touches)


def _other_choice(text: PythonText, node: ast.IfExp) -> str:
    parts = [
        f"({text.said(part)})" if isinstance(part, (ast.IfExp, ast.Lambda)) else text.said(part)
        for part in (node.orelse, node.body)
    ]
    test = negated(text, node.test)
    return text.replaced(node, f"{parts[0]} if {test} else {parts[1]}")


def _is_elif(text: PythonText, node: ast.If) -> bool:
    """Whether a statement is one of a chain of questions, which stay as they are."""
    beside = [*node.orelse, text.parents[node]]
    return any(isinstance(each, ast.If) and each.col_offset == node.col_offset for each in beside)


def _other_branches(text: PythonText, node: ast.If) -> str:
    body = text.lines_of(node.body[0], node.body[-1])
    other = text.lines_of(node.orelse[0], node.orelse[-1])
    return text.spliced(
        (text.span(node.test), negated(text, node.test)),
        (body, text.between(*other)),
        (other, text.between(*body)),
    )


@rewrite("comment-added", "toolserver", "There is a comment, and an empty line before it.")
def comment_added(original: Original) -> Iterator[Site]:
    for each in functions(original):
        for line in statements(each.node)[1:]:
            remark = f"\n{each.text.indent(line)}# {_remark(line)}\n"
            changed = partial(each.text.before, line, remark)
            yield Site(each.component, each.place(line), changed, each.touches)


def _remark(line: ast.stmt) -> str:
    match line:
        case ast.Return():
            return "What the caller is told."
        case ast.If():
            return "This decides how it goes on."
        case ast.For():
            return "One after the other."
        case _:
            return "Needed further down."


@rewrite(
    "keywords-reordered", "toolserver", "Arguments that are given by name stand in another order."
)
def keywords_reordered(original: Original) -> Iterator[Site]:
    for each in functions(original):
        for node in inside(each.node):
            if isinstance(node, ast.Call) and len(node.keywords) > 1:
                one, other = node.keywords[:2]
                if one.arg and other.arg and not (has_call(one) and has_call(other)):
                    spans = (
                        (each.text.span(one), each.text.said(other)),
                        (
                            each.text.span(other),
                            each.text.said(one),
                        ),
                    )
                    changed = partial(each.text.spliced, *spans)
                    yield Site(each.component, each.place(node), changed, each.touches)


@rewrite(
    "value-in-local", "toolserver", "A part of an expression is worked out in a line of its own."
)
def value_in_local(original: Original) -> Iterator[Site]:
    for each in functions(original):
        for line in statements(each.node):
            value = getattr(line, "value", None)
            if isinstance(line, (ast.Assign, ast.Return)) and isinstance(value, ast.Call):
                first = value.args[0] if value.args else None
                if isinstance(first, (ast.Call, ast.ListComp)) and _is_plain(value.func):
                    changed = partial(_first_apart, each.text, line, first)
                    yield Site(each.component, each.place(first), changed, each.touches)


def _is_plain(function: ast.expr) -> bool:
    """Whether naming a function does nothing that could come after its first argument."""
    return not has_call(function) and bool(names_in(function))


def _first_apart(text: PythonText, line: ast.stmt, value: ast.expr) -> str:
    start = text.lines_of(line)[0]
    return text.spliced(
        ((start, start), f"{text.indent(line)}given_first = {text.said(value)}\n"),
        (text.span(value), "given_first"),
    )
