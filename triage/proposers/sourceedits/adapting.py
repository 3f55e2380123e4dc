"""Code of one function as it would stand in another: names exchanged, and whether all of them mean something there."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

import libcst as cst

from triage.proposers.sourceedits.outline import Outline, bound_in, loaded


def adapted(
    donor: Outline,
    node: ast.expr | ast.stmt,
    names: Mapping[str, str],
    known: Collection[str],
) -> str | None:
    """The text of a node with names exchanged; None where it would read a name that means nothing there."""
    read = loaded(node) - _bound_before_read(node)
    if any(names.get(name, name) not in known for name in read):
        return None
    return renamed(donor.code(node), {a: b for a, b in names.items() if a != b})


def renamed(code: str, names: Mapping[str, str]) -> str | None:
    """Code with other names for its variables, all else as it was."""
    if not names:
        return code
    try:
        return cst.parse_module(code).visit(_Renaming(names)).code
    except (cst.ParserSyntaxError, RecursionError):
        return None


def _bound_before_read(node: ast.AST) -> set[str]:
    """What a compound statement binds for itself: its loop's variable, what its first lines assign."""
    return bound_in(node) if isinstance(node, (ast.For, ast.With, ast.Try, ast.If)) else set()


class _Renaming(cst.CSTTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self._names = names

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.Attribute:  # noqa: N802 (libcst's name)
        return updated.with_changes(attr=original.attr)

    def leave_Arg(self, original: cst.Arg, updated: cst.Arg) -> cst.Arg:  # noqa: N802 (libcst's name)
        return updated.with_changes(keyword=original.keyword)

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.Name:  # noqa: N802 (libcst's name)
        return updated.with_changes(value=self._names.get(original.value, original.value))
