"""What is not there: rows that are missing, fields that are null, lists that are empty."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from triage.proposers.sourceedits.changed import changed, grouped, short, text_index
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.quoting import quoted
from triage.proposers.sourceedits.rowtypes import RowTypes, rowtypes
from triage.proposers.sourceedits.sourcecode import SourceCode, Statement
from triage.proposers.sourceedits.vocabulary import Vocabulary

NULLABLE = 0.5
UNGUARDED = 0.6
EMPTY = 0.3
NO_DEFAULT = 0.25
BY_GET = 0.1
DEFAULT_OTHERWISE = 0.08


def nones(source: SourceCode) -> Iterator[Edit]:
    """Guards and defaults where something may be missing."""
    words, types = Vocabulary(source.domain), rowtypes(source.text)
    for part in source.suspects(cst.Subscript):
        yield from _of_missing_row(source, part)
        yield from _of_empty_list(source, part)
        yield from _by_get(source, part)
    for call in source.suspects(cst.Call):
        yield from _of_null_field(source, words, types, call)
        yield from _without_default(source, call)
    for small in source.suspects(cst.SimpleStatementLine):
        yield from _unguarded(source, small)
    for either in source.suspects(cst.BooleanOperation):
        if isinstance(either.operator, cst.Or) and _is_default(either.right):
            left, right = source.code(either.left), source.code(either.right)
            code = f"{left} if {grouped(left)} is not None else {right}"
            yield changed(source, either, code, DEFAULT_OTHERWISE)


# Null fields


def _of_null_field(
    source: SourceCode, words: Vocabulary, types: RowTypes, call: cst.Call
) -> Iterator[Edit]:
    """What is made of a field that may be null, only where it is not."""
    for each in call.args:
        field, value = _innermost_field(each.value)
        if value is None or _is_guarded(source, call, source.code(value)):
            continue
        tables = types.tables(source.function(call), source.code(value.value))
        if tables and words.is_nullable(field, tables):
            whole = _chain(source, call)
            code = source.code(whole)
            test = source.code(value)
            authority = f"`{field}` of {' and '.join(sorted(tables))} may be null by the contract"
            guarded = f"{code} if {test} else None"
            around = source.parent(whole)
            loose = isinstance(around, (cst.DictElement, cst.Return, cst.Assign, cst.Arg))
            if _takes_none(types, call, each):
                continue
            likelihood = NULLABLE / 4 if _is_asked_before(source, call, test) else NULLABLE
            yield changed(
                source, whole, guarded if loose else f"({guarded})", likelihood, authority
            )


def _takes_none(types: RowTypes, call: cst.Call, given: cst.Arg) -> bool:
    called = types.functions.get(call.func.value) if isinstance(call.func, cst.Name) else None
    place = list(call.args).index(given)
    if called is None or given.keyword is not None or place >= len(called.args.args):
        return False
    taken = called.args.args[place].annotation
    return taken is not None and ("None" in ast.unparse(taken) or "Optional" in ast.unparse(taken))


def _is_asked_before(source: SourceCode, node: cst.CSTNode, code: str) -> bool:
    function, line = source.functions.get(source.function(node)), source.line(node)
    return function is not None and any(
        code in source.code(each.test) and source.line(each) < line
        for each in source.all(cst.If, function)
    )


def _innermost_field(node: cst.BaseExpression) -> tuple[str, cst.Subscript | None]:
    if isinstance(node, cst.Subscript) and (name := text_index(node)) is not None:
        return name, node
    return "", None


def _chain(source: SourceCode, call: cst.BaseExpression) -> cst.BaseExpression:
    """A call with the fields and methods asked of what it gives."""
    node: cst.BaseExpression = call
    around = source.parent(node)
    while (isinstance(around, (cst.Subscript, cst.Attribute)) and around.value is node) or (
        isinstance(around, cst.Call) and around.func is node
    ):
        node, around = around, source.parent(around)
    return node


def _is_guarded(source: SourceCode, node: cst.CSTNode, code: str) -> bool:
    """Whether a test around a node, or before it in its function, asks for the same expression."""
    around = source.parent(node)
    while around is not None and not isinstance(around, cst.FunctionDef):
        if isinstance(
            around, (cst.IfExp, cst.If, cst.BooleanOperation, cst.ListComp, cst.GeneratorExp)
        ):
            test = getattr(around, "test", None) or getattr(around, "left", None)
            tests = [test] if test is not None else [c.test for c in around.for_in.ifs]  # type: ignore[union-attr]
            if any(code in source.code(each) for each in tests):
                return True
        around = source.parent(around)
    return False


# Missing rows


def _of_missing_row(source: SourceCode, part: cst.Subscript) -> Iterator[Edit]:
    """`db.get(…)["field"]`, where there may be no such row."""
    inner = part.value
    if text_index(part) is None or not isinstance(inner, cst.Call):
        return
    code = source.code(inner.func)
    if code != "db.get" or len(inner.args) < 2:
        return
    key = source.code(inner.args[1].value)
    if not _is_guarded(source, part, key):
        loose = isinstance(source.parent(part), (cst.DictElement, cst.Return, cst.Assign, cst.Arg))
        for code, likelihood in (
            (f"{source.code(part)} if {key} else None", 0.2),
            (f"({source.code(inner)} or {{}}).get({source.code(part.slice[0])})", 0.12),
        ):
            bare = loose or code.endswith(")")
            yield changed(source, part, code if bare else f"({code})", likelihood)


def _of_empty_list(source: SourceCode, part: cst.Subscript) -> Iterator[Edit]:
    """`found[0]`, where nothing may have been found."""
    place = source.code(part.slice[0]) if len(part.slice) == 1 else ""
    if place not in ("0", "-1") or not isinstance(part.value, cst.Name):
        return
    name = part.value.value
    if not _is_guarded(source, part, name):
        function = source.functions.get(source.function(part))
        checked = function is not None and f"if not {name}" in source.code(function)
        whole = _chain(source, part)
        code = f"{source.code(whole)} if {name} else None"
        around = source.parent(whole)
        loose = isinstance(around, (cst.DictElement, cst.Return, cst.Assign, cst.Arg))
        likelihood = 0.05 if checked else EMPTY
        yield changed(source, whole, code if loose else f"({code})", likelihood)


def _by_get(source: SourceCode, part: cst.Subscript) -> Iterator[Edit]:
    around = source.parent(part)
    if text_index(part) is None or isinstance(around, (cst.AssignTarget, cst.AugAssign, cst.Del)):
        return
    if isinstance(part.value, cst.Name) and f"{part.value.value}.get(" in source.text:
        code = f"{part.value.value}.get({source.code(part.slice[0])})"
        yield changed(source, part, code, BY_GET / 2)


def _without_default(source: SourceCode, call: cst.Call) -> Iterator[Edit]:
    name = source.code(call.func)
    if name in ("min", "max") and len(call.args) == 1:
        for default in ("None", "0"):
            used = f"default={default}" in source.text
            code = source.code(call.args[0].value)
            if isinstance(call.args[0].value, cst.GeneratorExp):
                code = f"({code})"
            likelihood = NO_DEFAULT if used else NO_DEFAULT / 2
            yield changed(source, call, f"{name}({code}, default={default})", likelihood)
    elif (
        name == "next" and len(call.args) == 1 and isinstance(call.args[0].value, cst.GeneratorExp)
    ):
        code = source.code(call.args[0].value)
        code = code if code.startswith("(") and code.endswith(")") else f"({code})"
        yield changed(source, call, f"next({code}, None)", NO_DEFAULT)


def _is_default(node: cst.CSTNode) -> bool:
    return isinstance(node, (cst.SimpleString, cst.Integer, cst.Float, cst.List, cst.Dict))


# Guards


def _unguarded(source: SourceCode, line: cst.SimpleStatementLine) -> Iterator[Edit]:
    """A row kept without a look whether there is one."""
    small = line.body[0]
    if not isinstance(small, cst.Assign) or not isinstance(small.targets[0].target, cst.Name):
        return
    call, name = small.value, small.targets[0].target.value
    if not isinstance(call, cst.Call) or source.code(call.func) != "db.get" or len(call.args) < 2:
        return
    function = source.functions.get(source.function(line))
    if function is None or _is_asked(source.code(function), name):
        return
    table, key = source.code(call.args[0].value).strip("'\""), source.code(call.args[1].value)
    for refusal, likelihood, authority in _refusals(source, table, name, key):
        code = f"if {name} is None:\n    {refusal}"
        yield Edit(
            source=source.inserted(_statement(line), code, after=True),
            function=source.function(line),
            line=source.line(line),
            says=f"Refuse where there is no such row of {table} in `{source.function(line)}`",
            likelihood=likelihood,
            authority=authority,
        )


def _statement(line: cst.SimpleStatementLine) -> Statement:
    return line


def _is_asked(code: str, name: str) -> bool:
    asked = (
        f"if {name} is None",
        f"if not {name}",
        f"{name} is not None",
        f"if {name}:",
        f"if {name} ",
        f"{name} or ",
    )
    return any(each in code for each in asked)


def _refusals(
    source: SourceCode, table: str, name: str, key: str
) -> Iterator[tuple[str, float, str]]:
    """As another function or server refuses a missing row of the table, then of any."""
    last = ""
    for text in (*source.neighbours, source.text):
        for function in rowtypes(text).functions.values():
            found = _refusal(function, table)
            if found is not None:
                raised, theirs, is_same = found
                code = (
                    quoted(raised).replace(theirs, key)
                    if theirs.isidentifier() and key.isidentifier() and theirs != key
                    else quoted(raised)
                )
                if is_same:
                    yield code, UNGUARDED, f"`{function.name}` refuses so: `{short(code)}`"
                elif text is source.text:
                    last = last or code.split("(")[0]
    thing = name.replace("_", " ")
    error = last.removeprefix("raise ") or "ValueError"
    if error.isidentifier() and key.isidentifier():
        yield (
            f'raise {error}(f"There is no {thing} {{{key}!r}}.")',
            UNGUARDED * 0.8,
            "other rows that are missing are refused" if last else "",
        )


def _refusal(function: ast.FunctionDef, table: str) -> tuple[str, str, bool] | None:
    """How a function refuses a row that is missing: the code, the name of the key, whether the table is the same."""
    rows: dict[str, tuple[str, str]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=row)],
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id="db"), attr="get"),
                    args=[ast.Constant(value=str(of)), key, *_],
                ),
            ):
                rows[row] = (of, ast.unparse(key))
    for node in ast.walk(function):
        match node:
            case ast.If(
                test=ast.Compare(left=ast.Name(id=row), ops=[ast.Is()]),
                body=[ast.Raise() as raised],
            ) if row in rows:
                return ast.unparse(raised), rows[row][1], rows[row][0] == table
    return None
