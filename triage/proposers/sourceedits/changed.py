"""An edit that puts other code in the place of one node."""

from __future__ import annotations

import libcst as cst

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.sourcecode import SourceCode

MOST_SAID = 60
"""Characters of code in a sentence."""


def changed(
    source: SourceCode,
    node: cst.CSTNode,
    code: str,
    likelihood: float,
    authority: str = "",
    says: str = "",
) -> Edit:
    """Other code in the place of a node, told by what it was and what it is where `says` is empty."""
    function = source.function(node)
    code = _as_written(source, node, code)
    said = says or f"Write `{short(code)}` instead of `{short(source.code(node))}`"
    return Edit(
        source=source.replaced(node, code),
        function=function,
        line=source.line(node),
        says=f"{said} in `{function}`" if function else said,
        likelihood=likelihood,
        authority=authority,
    )


def _as_written(source: SourceCode, node: cst.CSTNode, code: str) -> str:
    """With the quotes that can stand there: those of the text that is replaced, and inside of an f-string others than
    its own."""
    around = source.parent(node)
    while isinstance(around, cst.CSTNode) and not isinstance(
        around, (cst.FormattedString, cst.FunctionDef)
    ):
        around = source.parent(around)
    inside = around.start[-1] if isinstance(around, cst.FormattedString) else ""
    single = isinstance(node, cst.SimpleString) and node.quote == "'" and code.startswith('"')
    return code.replace('"', "'") if (inside == '"' or single) and "'" not in code else code


def short(code: str) -> str:
    """Code on one line, cut where it is long."""
    line = " ".join(code.split())
    return line if len(line) <= MOST_SAID else line[: MOST_SAID - 1] + "…"


def grouped(code: str) -> str:
    """Code that can stand as an operand of anything."""
    try:
        node = cst.parse_expression(code)
    except cst.ParserSyntaxError:
        return f"({code})"
    loose = (
        cst.BooleanOperation,
        cst.Comparison,
        cst.IfExp,
        cst.Lambda,
        cst.BinaryOperation,
        cst.UnaryOperation,
        cst.NamedExpr,
        cst.GeneratorExp,
        cst.Await,
        cst.Yield,
    )
    bare = isinstance(node, loose) and not node.lpar
    return f"({code})" if bare or "\n" in code else code


def leaf(code: str) -> str:
    """What a field or variable at the end of an expression is called: `start` of `row["start"]`; empty where it is
    something else."""
    try:
        node: cst.BaseExpression = cst.parse_expression(code)
    except cst.ParserSyntaxError:
        return ""
    while isinstance(node, cst.Subscript) and _text_index(node) is None:
        node = node.value
    if isinstance(node, cst.Subscript):
        return _text_index(node) or ""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def _text_index(node: cst.Subscript) -> str | None:
    inner = node.slice[0].slice if len(node.slice) == 1 else None
    if isinstance(inner, cst.Index) and isinstance(inner.value, cst.SimpleString):
        value = inner.value.evaluated_value
        return value if isinstance(value, str) else None
    return None


def text_index(node: cst.CSTNode | None) -> str | None:
    """The field of `row["field"]`; None for all else."""
    return _text_index(node) if isinstance(node, cst.Subscript) else None
