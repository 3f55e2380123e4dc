"""Conditions put together wrongly: negated, `and` for `or`, one part too many or too few, branches exchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import libcst as cst

from triage.proposers.sourceedits.changed import changed, grouped, short
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.idioms import ROW, Idioms, idioms
from triage.proposers.sourceedits.quoting import quoted
from triage.proposers.sourceedits.rowtypes import RowTypes, rowtypes
from triage.proposers.sourceedits.sourcecode import SourceCode

OTHER_JOIN = 0.16
PART_DROPPED = 0.17
GUARD_PART_DROPPED = 0.12
NOT_DROPPED = 0.18
NEGATED = 0.1
EXCHANGED = 0.1
ASKED_TWICE = 0.3
ASKED_ONCE = 0.15
MOST_ADDED = 3


def conditions(source: SourceCode) -> Iterator[Edit]:
    """Other ways to put together what is there, and parts that others ask of such rows."""
    for node in source.suspects(cst.BooleanOperation):
        yield from _joined(source, node)
    for negation in source.suspects(cst.UnaryOperation):
        if isinstance(negation.operator, cst.Not):
            code = source.code(negation.expression)
            yield changed(source, negation, code, NOT_DROPPED)
    yield from _tests(source)
    for choice in source.suspects(cst.IfExp):
        body, other = source.code(choice.body), source.code(choice.orelse)
        code = f"{grouped(other)} if {source.code(choice.test)} else {grouped(body)}"
        yield changed(source, choice, code, EXCHANGED)
    yield from _parts_added(source)


def _joined(source: SourceCode, node: cst.BooleanOperation) -> Iterator[Edit]:
    left, right = source.code(node.left), source.code(node.right)
    is_and = isinstance(node.operator, cst.And)
    around = source.parent(node)
    is_value = not _is_test(source, node)
    likelihood = PART_DROPPED if is_and else GUARD_PART_DROPPED
    for code in (left, right):
        part = _whole(source, node.left if code is left else node.right)
        yield changed(source, node, part, likelihood * (0.6 if is_value else 1))
    for operand in (node.left, node.right) if not is_value else ():
        if isinstance(operand, (cst.Name, cst.Subscript, cst.Call)):
            yield changed(source, operand, f"not {source.code(operand)}", NEGATED)
    span = source.code(node.operator)
    other = "or" if is_and else "and"
    if not isinstance(around, cst.BooleanOperation) and not is_value:
        says = f"Join `{short(left)}` and `{short(right)}` with `{other}`"
        code = span.replace(span.strip(), other)
        yield changed(source, node.operator, code, OTHER_JOIN, says=says)


def _whole(source: SourceCode, node: cst.BaseExpression) -> str:
    """With the parentheses that the text of a node leaves out."""
    return f"({source.code(node)})" if node.lpar else source.code(node)


def _is_test(source: SourceCode, node: cst.CSTNode) -> bool:
    around = source.parent(node)
    while isinstance(around, (cst.BooleanOperation, cst.UnaryOperation)):
        node, around = around, source.parent(around)
    if isinstance(around, (cst.If, cst.IfExp, cst.While, cst.Assert)):
        return around.test is node
    return isinstance(around, (cst.CompIf, cst.Return, cst.Arg, cst.Assign))


def _tests(source: SourceCode) -> Iterator[Edit]:
    for node in source.suspects(cst.CSTNode):  # type: ignore[type-abstract]
        if isinstance(node, (cst.If, cst.IfExp, cst.CompIf)):
            test = node.test
            if not isinstance(test, (cst.Comparison, cst.UnaryOperation)):
                yield changed(source, test, f"not {grouped(source.code(test))}", NEGATED)
            if isinstance(node, cst.CompIf) and not isinstance(test, cst.BooleanOperation):
                yield changed(
                    source,
                    test,
                    "True",
                    0.02,
                    says=f"Ask for all, not only `{short(source.code(test))}`,",
                )


# What others ask


def _parts_added(source: SourceCode) -> Iterator[Edit]:
    known, types = idioms(source), rowtypes(source.text)
    for loop in source.suspects(cst.CompFor):
        if isinstance(loop.target, cst.Name):
            yield from _filtered(source, loop, known, types)
    for branch in source.suspects(cst.If):
        yield from _narrowed(source, branch.test, known, types)
    for call in source.suspects(cst.Call):
        yield from _matched(source, call, known)


def _filtered(
    source: SourceCode, loop: cst.CompFor, known: Idioms, types: RowTypes
) -> Iterator[Edit]:
    row = source.code(loop.target)
    there = " ".join(source.code(each.test) for each in loop.ifs)
    function = source.function(loop)
    tables = {each.table for each in types.held(function, source.code(loop.iter)) if each.many}
    for condition, count, authority in _asked(known, known.filtered, tables, function):
        code = condition.replace(ROW, row)
        if quoted(code) in there:
            continue
        likelihood = ASKED_TWICE if count > 1 else ASKED_ONCE
        says = f"Ask for `{short(quoted(code))}` too"
        if loop.ifs:
            test = loop.ifs[-1].test
            whole = f"{_operand(source, test)} and {quoted(code)}"
            yield changed(source, test, whole, likelihood, authority, says)
        elif loop.inner_for_in is None:
            whole = f"{_whole(source, loop.iter)} if {quoted(code)}"
            yield changed(source, loop.iter, whole, likelihood, authority, says)


def _operand(source: SourceCode, test: cst.BaseExpression) -> str:
    code = source.code(test)
    loose = isinstance(test, (cst.IfExp, cst.Lambda)) or (
        isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or)
    )
    return f"({code})" if loose else code


def _narrowed(
    source: SourceCode, test: cst.BaseExpression, known: Idioms, types: RowTypes
) -> Iterator[Edit]:
    """Conditions about a row with one more that others ask of such rows beside a like one."""
    function = source.function(test)
    names = dict.fromkeys(n.value for n in source.all(cst.Name, test))
    code = source.code(test)
    for name in names:
        for condition, count, authority in _asked(
            known, known.asked, types.tables(function, name), function
        ):
            part = quoted(condition.replace(ROW, name))
            if part in code:
                continue
            likelihood = 0.08 if count > 1 else 0.05
            says = f"Ask for `{short(part)}` too"
            yield changed(
                source, test, f"{_operand(source, test)} and {part}", likelihood, authority, says
            )


def _asked(
    known: Idioms,
    counts: Mapping[str, Counter[str]],
    tables: set[str] | frozenset[str],
    function: str,
) -> Iterator[tuple[str, int, str]]:
    if len(tables) != 1:
        return
    (table,) = tables
    given = 0
    for condition, count in counts.get(table, Counter()).most_common():
        where = known.where[table, condition]
        if where != function and given < MOST_ADDED:
            given += 1
            yield (
                condition,
                count,
                f"`{where}` asks `{short(quoted(condition.replace(ROW, 'row')))}` of {table}",
            )


def _matched(source: SourceCode, call: cst.Call, known: Idioms) -> Iterator[Edit]:
    """Rows looked for with one more field, or with one fewer."""
    if source.code(call.func) != "db.find" or len(call.args) < 2:
        return
    table, match = source.code(call.args[0].value).strip("'\""), call.args[1].value
    if not isinstance(match, cst.Dict):
        return
    there = [source.code(each) for each in match.elements]
    fields = {entry.split(":")[0].strip().strip("'\"") for entry in there}
    most = known.matched.get(table, Counter()).most_common(MOST_ADDED + 2)
    for (field, value), count in most:
        if field not in fields:
            entry = quoted(f"{field!r}: {value}")
            authority = f"`{known.where[table, (field, value)]}` looks for {table} with `{entry}`"
            likelihood = ASKED_TWICE if count > 1 else ASKED_ONCE
            says = f"Look only for {table} with `{entry}`"
            yield _with_entry(source, match, entry, likelihood, authority, says)
    for index, entry in enumerate(there if 1 < len(there) < 6 else ()):
        code = "{" + ", ".join([*there[:index], *there[index + 1 :]]) + "}"
        yield changed(source, match, code, 0.08, says=f"Look for {table} whatever `{short(entry)}`")


def _with_entry(
    source: SourceCode, match: cst.Dict, entry: str, likelihood: float, authority: str, says: str
) -> Edit:
    if not match.elements:
        return changed(source, match, f"{{{entry}}}", likelihood, authority, says)
    last = match.elements[-1].value
    return changed(source, last, f"{_whole(source, last)}, {entry}", likelihood, authority, says)
