"""Rewrites of tool servers that mean the same: how functions are cut and statements are put."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from functools import partial

from benchmarks.faults.mutation import Original, Site, rewrite
from benchmarks.operators.heldout.pysource import (
    Edit,
    Module,
    Spot,
    blocks,
    mentioned,
    parameters,
    spots,
    stored,
    walk,
)


def _at_end(module: Module, text: str) -> Edit:
    return len(module.data), len(module.data), text


def _one_line(node: ast.stmt) -> bool:
    """Whether no text in a statement runs over lines, so that it can be indented anew."""
    return not any(
        isinstance(each, ast.Constant | ast.JoinedStr) and each.lineno != each.end_lineno
        for each in walk(node)
    )


def _indented(spot: Spot, node: ast.stmt, by: int) -> str:
    """A statement's lines, moved to the right or left."""
    start, end = spot.module.lines(node)
    said = textwrap.dedent(spot.module.data[start:end].decode())
    return textwrap.indent(said, " " * (node.col_offset + by))


@rewrite(
    "helper-extracted",
    "toolserver",
    "What a function returns is put together by a helper of its own.",
)
def helper_extracted(original: Original) -> Iterator[Site]:
    for spot in spots(original):
        for node in spot.nodes():
            if not isinstance(node, ast.Return) or not isinstance(
                node.value, ast.Dict | ast.ListComp | ast.Call
            ):
                continue
            inner = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & stored(node)
            own = _kept(spot) | set(parameters(spot.node))
            wanted = sorted(mentioned(node) & own)
            odd = any(isinstance(n, ast.NamedExpr | ast.Lambda) for n in ast.walk(node))
            if not odd and not inner & own:
                name = f"_result_of_{spot.name.lstrip('_')}_{node.lineno}"
                call = spot.module.put(node.value, f"{name}({', '.join(wanted)})")
                body = f"    return {spot.module.said(node.value)}"
                text = f"\n\ndef {name}({', '.join(wanted)}):\n{body}\n"
                yield spot.site(node, "extracted", call, _at_end(spot.module, text))


def _written_out(module: Module, call: ast.Call, own: set[str]) -> str:
    helper = module.names.get(call.func.id) if isinstance(call.func, ast.Name) else None
    if not isinstance(helper, ast.FunctionDef) or helper.decorator_list or call.keywords:
        return ""
    said = [s for s in helper.body if not isinstance(getattr(s, "value", None), ast.Constant)]
    names = list(parameters(helper))
    simple = all(isinstance(a, ast.Name | ast.Constant) for a in call.args)
    if len(said) != 1 or not isinstance(said[0], ast.Return) or said[0].value is None:
        return ""
    if not simple or len(names) != len(call.args) or stored(said[0]) & mentioned(*call.args):
        return ""
    if (mentioned(said[0]) - set(names) - stored(said[0])) & own:
        return ""
    given = {name: ast.unparse(a) for name, a in zip(names, call.args, strict=True)}
    body = ast.parse(ast.unparse(said[0].value), mode="eval").body
    for each in ast.walk(body):
        if isinstance(each, ast.Name) and each.id in given:
            each.id = given[each.id]
    return ast.unparse(body)


@rewrite(
    "loop-for-comprehension",
    "toolserver",
    "A list is filled in a loop in place of a comprehension.",
)
def loop_for_comprehension(original: Original) -> Iterator[Site]:
    for spot in spots(original):
        for block in blocks(spot):
            for node in block:
                value = node.value if isinstance(node, ast.Assign | ast.Return) else None
                if isinstance(value, ast.ListComp):
                    name = _target(node)
                    text = _loop(spot, value, name, node.col_offset) if name else None
                    if text and isinstance(node, ast.Return):
                        text += f"\n{' ' * node.col_offset}return {name}"
                    if text:
                        yield spot.site(node, "loop", spot.module.put(node, text))


def _target(node: ast.stmt) -> str:
    if isinstance(node, ast.Return):
        return "gathered"
    targets = node.targets if isinstance(node, ast.Assign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _loop(spot: Spot, value: ast.ListComp, name: str, indent: int) -> str | None:
    own = stored(*(g.target for g in value.generators))
    taken = set(parameters(spot.node)) | _kept(spot) | set(spot.module.names)
    late = any(isinstance(n, ast.Lambda | ast.GeneratorExp) for n in ast.walk(value.elt))
    if late or own & taken or name in mentioned(value) or name in own:
        return None
    lines, depth = [f"{name} = []"], 0
    for loop in value.generators:
        lines.append(
            "    " * depth + f"for {ast.unparse(loop.target)} in {ast.unparse(loop.iter)}:"
        )
        depth += 1
        for test in loop.ifs:
            lines.append("    " * depth + f"if {ast.unparse(test)}:")
            depth += 1
    lines.append("    " * depth + f"{name}.append({ast.unparse(value.elt)})")
    return ("\n" + " " * indent).join(lines)


def _kept(spot: Spot) -> set[str]:
    """The names of a function's own variables, those of comprehensions left out."""
    inner = {
        id(n)
        for node in spot.nodes()
        if isinstance(node, ast.comprehension)
        for n in ast.walk(node.target)
    }
    return {
        n.id
        for n in spot.nodes()
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in inner
    }


@rewrite("guard-other-way", "toolserver", "A guard before the end is put the other way round.")
def guard_other_way(original: Original) -> Iterator[Site]:
    for spot in spots(original):
        for block in blocks(spot):
            if len(block) < 2 or not isinstance(block[-2], ast.If):
                continue
            guard, last = block[-2], block[-1]
            ends = isinstance(guard.body[0], ast.Raise | ast.Return) and isinstance(
                last, ast.Return
            )
            ends = ends and len(guard.body) == 1
            if ends and not guard.orelse and _one_line(guard) and _one_line(last):
                text = f"if {_negated(guard.test)}:\n{_indented(spot, last, 4)}" + _indented(
                    spot, guard.body[0], -4
                )
                cut = spot.module.cut(last)
                put = spot.module.put(guard, text.rstrip("\n"))
                if spot.module.lines(guard)[1] == cut[0]:
                    yield spot.site(guard, "other way", put, cut)


def _negated(test: ast.expr) -> str:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.unparse(test.operand)
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and len(test.ops) == 1:
        return f"{ast.unparse(test.left)} is not {ast.unparse(test.comparators[0])}"
    return f"not ({ast.unparse(test)})"


@rewrite("unparsed", "toolserver", "The whole file is laid out anew; comments are gone.")
def unparsed(original: Original) -> Iterator[Site]:
    for name, text in original.sources.items():
        if ast.parse(text).body[1:]:
            yield Site(name, "all", partial(_unparsed, text))


def _unparsed(text: str) -> str:
    return ast.unparse(ast.parse(text)) + "\n"
