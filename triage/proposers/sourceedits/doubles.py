"""What a function writes twice."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.outline import blocks, bound_in, called, loaded, said
from triage.proposers.sourceedits.place import Place, Words, places
from triage.proposers.sourceedits.rows import DbCall, db_call, db_calls
from triage.proposers.sourceedits.sourcecode import SourceCode

SURE = 0.9
LIKELY = 0.6
PLAUSIBLE = 0.3
REARRANGING = frozenset({"append", "extend", "insert"})


def doubles(source: SourceCode) -> Iterator[Edit]:
    """Statements said twice, a write around a write, one that a helper has made, one for each of many."""
    for place in places(source):
        yield from _said_twice(place)
        yield from _nested(place)
        yield from _written_by_helper(place)
        yield from _in_a_loop(place)


def _matters(place: Place, node: ast.AST) -> bool:
    """Whether a statement does something each time that it is said."""
    for each in ast.walk(node):
        call = db_call(each)
        if (call and call.writes) or called(each) in place.outline.writers:
            return True
        function = each.func if isinstance(each, ast.Call) else None
        if isinstance(function, ast.Attribute) and function.attr in REARRANGING:
            return True
    return isinstance(node, ast.AugAssign)


def _said_twice(place: Place) -> Iterator[Edit]:
    for block in blocks(place.node):
        earlier: dict[str, int] = {}
        for at, statement in enumerate(block):
            code = said(statement)
            if code in earlier and _matters(place, statement):
                beside = at - earlier[code] == 1
                changed = any(
                    bound_in(s) & loaded(statement) for s in block[earlier[code] + 1 : at]
                )
                likelihood = PLAUSIBLE if changed else SURE if beside else LIKELY
                words = Words(
                    f"Say “{code[:80]}” in `{place.name}` once",
                    likelihood,
                    f"the same stands in line {block[earlier[code]].lineno}",
                )
                yield from place.rewritten(statement, "", words)
            earlier.setdefault(code, at)


def _nested(place: Place) -> Iterator[Edit]:
    """A write of what a write has just given, and a call of a helper around another."""
    for node in ast.walk(place.node):
        if not isinstance(node, ast.Call):
            continue
        outer = db_call(node)
        inner = [each for each in ast.walk(node) if each is not node and _is_like(node, each)]
        for each in inner[:2]:
            is_db = outer is not None and outer.writes
            if is_db or called(node) in place.outline.writers:
                words = Words(
                    f"Write “{said(each)[:60]}” in `{place.name}` once",
                    SURE if is_db else LIKELY,
                    f"“{said(node)[:80]}” writes what was written",
                )
                yield from place.replaced(node, place.outline.code(each), words)  # type: ignore[arg-type]
        if outer is not None and outer.writes and outer.last is not None:
            yield from _around_helper(place, outer)


def _is_like(node: ast.Call, other: ast.AST) -> bool:
    """Whether two calls write to the same table, or call the same helper."""
    one, two = db_call(node), db_call(other)
    if one is not None and two is not None:
        return one.writes and two.writes and one.table == two.table
    return bool(called(node)) and called(node) == called(other)


def _around_helper(place: Place, outer: DbCall) -> Iterator[Edit]:
    """`db.insert("t", _made(…))` where `_made` has inserted it."""
    value = outer.last
    name = called(value) if value is not None else ""
    if value is not None and outer.table and outer.table in _tables(place, name):
        words = Words(
            f"Leave to `{name}` what it writes, in `{place.name}`",
            SURE,
            f"`{name}` writes to {outer.table} itself",
        )
        yield from place.replaced(outer.node, place.outline.code(value), words)


def _tables(place: Place, function: str) -> set[str]:
    """The tables that a function of the module writes to by itself."""
    node = place.outline.functions.get(function)
    return {c.table for c in db_calls(node) if c.writes} if node is not None else set()


def _written_by_helper(place: Place) -> Iterator[Edit]:
    """A write that stands alone, to a table to which a helper writes that is called in the same function."""
    helped: dict[str, str] = {}
    for node in ast.walk(place.node):
        for table in sorted(_tables(place, called(node))) if called(node) != place.name else ():
            helped.setdefault(table, called(node))
    for statement in place.statements:
        call = db_call(statement.value) if isinstance(statement, ast.Expr) else None
        if call is not None and call.writes and call.table in helped:
            words = Words(
                f"Leave “{said(statement)[:60]}” out of `{place.name}`",
                PLAUSIBLE,
                f"`{helped[call.table]}` writes to {call.table} already",
            )
            yield from place.rewritten(statement, "", words)


def _in_a_loop(place: Place) -> Iterator[Edit]:
    for statement in place.statements:
        if isinstance(statement, (ast.For, ast.While)) and len(statement.body) > 1:
            yield from _out_of(place, statement, statement.body)


def _out_of(place: Place, loop: ast.stmt, body: Sequence[ast.stmt]) -> Iterator[Edit]:
    """A write at the end of a loop that has nothing of what the loop goes over."""
    last = body[-1]
    own = bound_in(loop)
    if isinstance(last, ast.Expr) and _matters(place, last) and not loaded(last) & own:
        code = place.outline.code(last)
        words = Words(f"Say “{said(last)[:60]}” in `{place.name}` once, after the loop", LIKELY)
        for edit in place.inserted(loop, code, words, after=True):
            lines = edit.source.split("\n")
            del lines[last.lineno - 1 : last.end_lineno]
            yield place.whole("\n".join(lines), words)
