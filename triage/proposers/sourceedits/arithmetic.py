"""Sums and differences, products and shares, units and rounding."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from triage.proposers.sourceedits.changed import changed, grouped, leaf, short
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.rowtypes import rowtypes
from triage.proposers.sourceedits.sourcecode import SourceCode

OTHERS = {
    "+": (("-", 0.18),),
    "-": (("+", 0.18),),
    "*": (("/", 0.12), ("+", 0.05)),
    "/": (("*", 0.14), ("//", 0.1)),
    "//": (("/", 0.1), ("%", 0.1)),
    "%": (("//", 0.15),),
    "+=": (("-=", 0.25), ("=", 0.05)),
    "-=": (("+=", 0.25), ("=", 0.05)),
    "*=": (("/=", 0.15),),
}
UNITS = ("days", "hours", "minutes", "seconds", "weeks")
OTHER_UNIT = 0.14
OPERAND_DROPPED = 0.09
ELSEWHERE = 0.4
EXCHANGED = 0.14
MONEY_ADDED = 0.12
MONEY_AS_OTHERS = 0.5


def arithmetic(source: SourceCode) -> Iterator[Edit]:
    """Other operators, operands exchanged or dropped, other units, amounts rounded as money."""
    elsewhere = _elsewhere(source)
    for node in source.suspects(cst.BinaryOperation):
        yield from _operation(source, node, elsewhere)
    for assigned in source.suspects(cst.AugAssign):
        yield from _operators(source, assigned.operator, frozenset())
    for argument in source.suspects(cst.Arg):
        if argument.keyword is not None and argument.keyword.value in UNITS:
            yield from _units(source, argument.keyword)
    yield from _rounded(source)


def _operation(
    source: SourceCode, node: cst.BinaryOperation, elsewhere: dict[tuple[str, str], str]
) -> Iterator[Edit]:
    left, right = source.code(node.left), source.code(node.right)
    if _is_text(node.left) or _is_text(node.right) or isinstance(node.operator, cst.BitOr):
        return
    used = elsewhere.get((leaf(left), leaf(right)), "") if leaf(left) and leaf(right) else ""
    yield from _operators(source, node.operator, frozenset(used and [used]))
    if isinstance(node.operator, (cst.Subtract, cst.Divide, cst.FloorDivide)):
        code = f"{grouped(right)} {source.code(node.operator).strip()} {grouped(left)}"
        yield changed(source, node, code, EXCHANGED)
    for kept, lost in ((node.left, right), (node.right, left)):
        code = source.code(kept)
        code = f"({code})" if kept.lpar else code
        yield changed(
            source,
            node,
            code,
            OPERAND_DROPPED,
            says=f"Leave `{short(lost)}` out of `{short(source.code(node))}`",
        )


def _is_text(node: cst.BaseExpression) -> bool:
    return isinstance(node, (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString))


def _operators(source: SourceCode, operator: cst.CSTNode, known: frozenset[str]) -> Iterator[Edit]:
    span = source.code(operator)
    token = span.strip()
    for other, usual in OTHERS.get(token, ()):
        likelihood, authority = usual, ""
        if other in known:
            likelihood, authority = ELSEWHERE, f"the same two are joined with `{other}` elsewhere"
        says = f"Calculate with `{other}` instead of `{token}`"
        yield changed(source, operator, span.replace(token, other), likelihood, authority, says)


def _elsewhere(source: SourceCode) -> dict[tuple[str, str], str]:
    symbols: dict[type[ast.operator], str] = {
        ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    }  # fmt: skip
    found: dict[tuple[str, str], str] = {}
    for text in (source.text, *source.neighbours):
        for name, function in rowtypes(text).functions.items():
            if text is source.text and name in source.focus:
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.BinOp) and type(node.op) in symbols:
                    sides = leaf(ast.unparse(node.left)), leaf(ast.unparse(node.right))
                    if all(sides):
                        found.setdefault(sides, symbols[type(node.op)])
    return found


def _units(source: SourceCode, keyword: cst.Name) -> Iterator[Edit]:
    around = source.parent(keyword)
    value = source.code(around.value).lower() if isinstance(around, cst.Arg) else ""
    for other in UNITS:
        if other != keyword.value:
            named = other in value or other.rstrip("s") in value
            is_named = keyword.value.rstrip("s") in value
            likelihood = 0.6 if named and not is_named else OTHER_UNIT - 0.02 * UNITS.index(other)
            authority = f"what is counted is called `{value}`" if named and not is_named else ""
            yield changed(source, keyword, other, likelihood, authority)


# Rounding


def _rounded(source: SourceCode) -> Iterator[Edit]:
    """Amounts as `money`, where others round what is kept under the same name."""
    known = _kept_as_money(source)
    if "money(" not in source.text and not known:
        return
    for call in source.suspects(cst.Call):
        if isinstance(call.func, cst.Name) and call.func.value in ("round", "int"):
            yield changed(source, call.func, "money", 0.2)
            if call.func.value == "round" and len(call.args) == 1:
                yield changed(
                    source, call.args[0].value, f"{source.code(call.args[0].value)}, 2", 0.15
                )
        if isinstance(call.func, cst.Name) and call.func.value == "money" and len(call.args) == 1:
            yield changed(source, call, source.code(call.args[0].value), 0.06)
    for node in source.suspects(cst.CSTNode):  # type: ignore[type-abstract]
        value = node.value if isinstance(node, (cst.DictElement, cst.Assign, cst.Return)) else None
        if value is not None and _is_amount(source, value):
            name = _kept_as(source, node)
            likelihood = MONEY_AS_OTHERS if name in known else MONEY_ADDED
            authority = f"`{name}` is rounded with `money` elsewhere" if name in known else ""
            yield changed(source, value, f"money({source.code(value)})", likelihood, authority)


def _is_amount(source: SourceCode, value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.BinaryOperation):
        return not _is_text(value.left) and isinstance(
            value.operator, (cst.Multiply, cst.Divide, cst.Add, cst.Subtract)
        )
    return isinstance(value, cst.Call) and source.code(value.func) in ("sum", "round")


def _kept_as(source: SourceCode, node: cst.CSTNode) -> str:
    if isinstance(node, cst.DictElement):
        return str(node.key.evaluated_value) if isinstance(node.key, cst.SimpleString) else ""
    if isinstance(node, cst.Assign):
        return leaf(source.code(node.targets[0].target))
    return ""


def _kept_as_money(source: SourceCode) -> set[str]:
    found: set[str] = set()
    for text in (source.text, *source.neighbours):
        for node in ast.walk(rowtypes(text).tree):
            match node:
                case ast.Dict(keys=keys, values=values):
                    pairs = zip(keys, values, strict=True)
                    found |= {
                        str(k.value) for k, v in pairs if isinstance(k, ast.Constant) and _rounds(v)
                    }
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if _rounds(value):
                    found.add(name)
    return found


def _rounds(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "money"
    )
