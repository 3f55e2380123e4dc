"""The same value written another way: texts and numbers, dates and texts, case and blanks, clocks and zones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from triage.proposers.sourceedits.changed import changed, grouped, leaf, short, text_index
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.rowtypes import RowTypes, rowtypes
from triage.proposers.sourceedits.scope import Scope
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.vocabulary import Vocabulary

HALF_FOLDED = 0.75
HALF_STRIPPED = 0.3
DATE_AMONG_TEXTS = 0.7
NUMBER_AMONG_TEXTS = 0.4
DROPPED = 0.09
ZONE_OF_ROW = 0.4
ZONE_IN_SCOPE = 0.3
FOLDS = ("lower", "upper", "casefold")


def spellings(source: SourceCode) -> Iterator[Edit]:
    """One side of a comparison written as the other, moments on the clocks of a zone, conversions left out."""
    types = rowtypes(source.text)
    folded = _Folded(source, types)
    for comparison in source.suspects(cst.Comparison):
        yield from _sides(source, types, comparison, folded)
    for call in source.suspects(cst.Call):
        yield from _converted(source, call)
        yield from _on_the_clock(source, types, call)
    yield from _written(source, types)


class _Folded:
    """Which names of functions hold texts in one case or without blanks."""

    def __init__(self, source: SourceCode, types: RowTypes) -> None:
        self.names: dict[tuple[str, str], str] = {}
        for name in source.focus:
            function = types.functions.get(name)
            for node in ast.walk(function) if function else ():
                if isinstance(node, ast.Assign) and len(node.targets) == 1:
                    for target, value in _bindings(node.targets[0], node.value):
                        found = _fold_of(ast.unparse(value))
                        if isinstance(target, ast.Name) and found:
                            self.names[name, target.id] = found

    def of(self, function: str, code: str) -> str:
        return _fold_of(code) or self.names.get((function, code), "")


def _bindings(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def _fold_of(code: str) -> str:
    found = re.search(r"\.(lower|upper|casefold)\(\)(?:\.strip\(\))?$", code)
    return found[1] if found else ""


def _sides(
    source: SourceCode, types: RowTypes, node: cst.Comparison, folded: _Folded
) -> Iterator[Edit]:
    if len(node.comparisons) != 1:
        return
    target, function = node.comparisons[0], source.function(node)
    sides = (node.left, target.comparator)
    folds = [folded.of(function, source.code(each)) for each in sides]
    for side, own, other in ((0, folds[0], folds[1]), (1, folds[1], folds[0])):
        code = source.code(sides[side])
        if other and not own and _may_be_text(sides[side]):
            authority = f"the other side is in one case: `{short(source.code(sides[1 - side]))}`"
            yield changed(source, sides[side], f"{grouped(code)}.{other}()", HALF_FOLDED, authority)
        elif own and not other and code.endswith(f".{own}()"):
            yield changed(source, sides[side], code.removesuffix(f".{own}()"), 0.2)
    yield from _dates(source, types, node, sides)
    if not any(folds) and isinstance(target.operator, (cst.Equal, cst.In)):
        texts = [
            each for each in sides if text_index(each) is not None or isinstance(each, cst.Name)
        ]
        if len(texts) == 2 and any(
            f.endswith(("name", "email", "title", "city"))
            for f in map(leaf, map(source.code, sides))
        ):
            one, two = (f"{source.code(each)}.lower()" for each in sides)
            whole = f"{one} {source.code(target.operator).strip()} {two}"
            yield changed(source, node, whole, 0.15)


def _may_be_text(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.SimpleString):
        value = node.evaluated_value
        return isinstance(value, str) and value != value.lower()
    return isinstance(node, (cst.Subscript, cst.Name, cst.FormattedString, cst.Attribute, cst.Call))


def _dates(
    source: SourceCode,
    types: RowTypes,
    node: cst.Comparison,
    sides: tuple[cst.BaseExpression, cst.BaseExpression],
) -> Iterator[Edit]:
    """A date compared with a field of texts, or a number kept as a text with a number."""
    function = source.function(node)
    for one, other in (sides, sides[::-1]):
        if text_index(other) is None:
            continue
        kind = _kind(types, function, one)
        code = grouped(source.code(one))
        if kind in ("date", "datetime"):
            authority = (
                f"`{text_index(other)}` is kept as text, `{short(source.code(one))}` is a {kind}"
            )
            yield changed(source, one, f"{code}.isoformat()", DATE_AMONG_TEXTS, authority)
        declared = _declared(source, types, function, other)
        if declared == "string" and kind in ("int", "float"):
            authority = f"`{text_index(other)}` is a text by the contract"
            yield changed(source, one, f"str({source.code(one)})", NUMBER_AMONG_TEXTS, authority)
        elif declared in ("integer", "number") and kind == "str":
            turned = "int" if declared == "integer" else "float"
            authority = f"`{text_index(other)}` is a number by the contract"
            yield changed(
                source, one, f"{turned}({source.code(one)})", NUMBER_AMONG_TEXTS, authority
            )


def _kind(types: RowTypes, function: str, node: cst.BaseExpression) -> str:
    scope = Scope.of(types, function)
    if isinstance(node, cst.Name) and scope is not None:
        if node.value in scope.annotations:
            return scope.annotations[node.value]
        return _made(types.functions[function], types, node.value)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return {"date": "date", "today": "date", "now": "datetime"}.get(node.func.attr.value, "")
    return ""


def _made(function: ast.FunctionDef, types: RowTypes, name: str) -> str:
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call(func=func)) if (
                target == name
            ):
                if isinstance(func, ast.Attribute):
                    kinds = {
                        "date": "date",
                        "today": "date",
                        "now": "datetime",
                        "fromisoformat": "",
                        "local": "datetime",
                        "utc": "datetime",
                    }
                    owner = ast.unparse(func.value)
                    return (
                        owner
                        if func.attr == "fromisoformat" and owner in ("date", "datetime")
                        else kinds.get(func.attr, "")
                    )
                called = types.functions.get(ast.unparse(func))
                return ast.unparse(called.returns) if called and called.returns else ""
    return ""


def _declared(source: SourceCode, types: RowTypes, function: str, node: cst.BaseExpression) -> str:
    if not isinstance(node, cst.Subscript):
        return ""
    fields = Vocabulary(source.domain).fields
    for table in sorted(types.tables(function, source.code(node.value))):
        given = fields.get(table, {}).get(text_index(node) or "", {}).get("type")
        return given if isinstance(given, str) else ""
    return ""


# Conversions


def _converted(source: SourceCode, call: cst.Call) -> Iterator[Edit]:
    """Conversions left out."""
    func = call.func
    if isinstance(func, cst.Attribute) and not call.args:
        if func.attr.value in (*FOLDS, "strip", "isoformat", "date"):
            yield changed(source, call, source.code(func.value), DROPPED)
        if func.attr.value in FOLDS and ".strip()" in source.text:
            yield changed(source, func.value, f"{source.code(func.value)}.strip()", 0.06)
    elif (
        isinstance(func, cst.Name)
        and func.value in ("str", "int", "float", "abs", "set")
        and len(call.args) == 1
    ):
        yield changed(source, call, grouped(source.code(call.args[0].value)), DROPPED)


def _on_the_clock(source: SourceCode, types: RowTypes, call: cst.Call) -> Iterator[Edit]:
    """Moments on the clocks of a zone that is at hand."""
    name = source.code(call.func)
    if name not in ("clock.now", "clock.today", "clock.utc", "clock.local"):
        return
    zones = _zones(source, types, call)
    moment = "clock.now()" if not call.args else source.code(call.args[0].value)
    for zone, likelihood in zones:
        given = len(call.args) > 1 and source.code(call.args[1].value) == zone
        says = f"Read the clock in `{short(zone)}`"
        authority = f"the contract keeps a zone there: `{short(zone)}`" if "[" in zone else ""
        if name in ("clock.now", "clock.today") or (name == "clock.utc" and len(call.args) == 1):
            code = f"clock.local({moment}, {zone})"
            code = f"{code}.date()" if name == "clock.today" else code
            unread = name != "clock.utc"
            yield changed(source, call, code, likelihood * (0.5 if unread else 1), authority, says)
        elif name == "clock.local" and not given and len(call.args) > 1:
            yield changed(source, call.args[1].value, zone, likelihood * 0.6, authority)
    if name == "clock.local" and call.args:
        yield changed(source, call, f"clock.utc({moment})", 0.08)


def _zones(source: SourceCode, types: RowTypes, call: cst.Call) -> list[tuple[str, float]]:
    scope = Scope.of(types, source.function(call))
    fields = Vocabulary(source.domain).fields
    if scope is None:
        return []
    found: list[tuple[str, float]] = []
    for name in scope.visible(source.line(call)):
        for table in sorted(types.tables(scope.function, name)):
            zones = [
                f for f in fields.get(table, {}) if f in ("tz", "zone", "timezone", "time_zone")
            ]
            found += [(f'{name}["{zone}"]', ZONE_OF_ROW) for zone in zones]
        if name in ("tz", "zone", "timezone", "time_zone"):
            found.append((name, ZONE_IN_SCOPE))
    return list(dict(found).items())[:4]


# Written to the records


def _written(source: SourceCode, types: RowTypes) -> Iterator[Edit]:
    """Dates handed to the records as they are, where the contract has texts, and numbers as texts."""
    fields = Vocabulary(source.domain)
    for entry in source.suspects(cst.DictElement):
        name = str(entry.key.evaluated_value) if isinstance(entry.key, cst.SimpleString) else ""
        kind = _kind(types, source.function(entry), entry.value)
        if name in fields.nested and kind in ("date", "datetime"):
            code = f"{grouped(source.code(entry.value))}.isoformat()"
            authority = f"`{name}` is a text by the contract"
            yield changed(source, entry.value, code, DATE_AMONG_TEXTS, authority)
