"""Rewrites of tool servers that mean the same: how expressions are put."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.faults.mutation import Original, Site, rewrite
from benchmarks.operators.heldout.pysource import Spot, blocks, mentioned, spots


@rewrite("text-concatenated", "toolserver", "An f-string is put together with `+`.")
def text_concatenated(original: Original) -> Iterator[Site]:
    for spot in spots(original):
        for node in spot.nodes():
            if isinstance(node, ast.JoinedStr) and (text := _concatenated(node)):
                yield spot.site(node, "concatenated", spot.module.put(node, text))


def _concatenated(node: ast.JoinedStr) -> str:
    found = []
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            if value.format_spec is not None or value.conversion != -1:
                return ""
            found.append(f"str({ast.unparse(value.value)})")
        else:
            found.append(ast.unparse(value))
    return f"({' + '.join(found)})" if found else ""


@rewrite("dict-by-steps", "toolserver", "A dict is filled key by key.")
def dict_by_steps(original: Original) -> Iterator[Site]:
    for spot in spots(original):
        for block in blocks(spot):
            for node in block:
                if isinstance(node, ast.Assign | ast.Return) and isinstance(node.value, ast.Dict):
                    name = _name_for(spot, node)
                    if name and name not in mentioned(node.value):
                        lines = [f"{name} = {{}}", *_steps(name, node.value)]
                        lines += [f"return {name}"] if isinstance(node, ast.Return) else []
                        text = ("\n" + " " * node.col_offset).join(lines)
                        yield spot.site(node, "by steps", spot.module.put(node, text))


def _name_for(spot: Spot, node: ast.Assign | ast.Return) -> str:
    if isinstance(node, ast.Return):
        return "answer" if "answer" not in mentioned(*spot.body) else ""
    target = node.targets[0]
    return target.id if len(node.targets) == 1 and isinstance(target, ast.Name) else ""


def _steps(name: str, value: ast.Dict) -> Iterator[str]:
    for key, each in zip(value.keys, value.values, strict=True):
        if key is None:
            yield f"{name}.update({ast.unparse(each)})"
        else:
            yield f"{name}[{ast.unparse(key)}] = {ast.unparse(each)}"
