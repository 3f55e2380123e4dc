"""The order of statements: what is written before it is checked, used before it is made, or told as it was before."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.guards import is_guard
from triage.proposers.sourceedits.outline import blocks, bound_in, called, loaded, said
from triage.proposers.sourceedits.place import Place, Words, places
from triage.proposers.sourceedits.rows import Rows, db_call, db_calls
from triage.proposers.sourceedits.sourcecode import SourceCode

LONGEST = 60


def orders(source: SourceCode) -> Iterator[Edit]:
    """Writes moved below what may refuse, statements exchanged, rows read again once they were written."""
    rows = None
    for place in places(source):
        rows = rows or Rows(place.outline, source.domain)
        for block in blocks(place.node):
            if len(block) <= LONGEST:
                yield from _checked_first(place, block)
                yield from _exchanged(place, block)
        yield from _stale(place, rows)


def _writes(place: Place, node: ast.AST) -> bool:
    return any(c.writes for c in db_calls(node)) or any(
        called(each) in place.outline.writers for each in ast.walk(node)
    )


def _may_refuse(place: Place, statement: ast.stmt) -> bool:
    if is_guard(statement):
        return True
    function = place.outline.functions.get(
        called(statement.value) if isinstance(statement, ast.Expr) else ""
    )
    return function is not None and any(isinstance(n, ast.Raise) for n in ast.walk(function))


def _checked_first(place: Place, block: Sequence[ast.stmt]) -> Iterator[Edit]:
    """A write moved below the refusals that follow it, as far as nothing between needs what it gives."""
    for at, statement in enumerate(block):
        if not isinstance(statement, (ast.Expr, ast.Assign)) or not _writes(place, statement):
            continue
        last = at
        for n in range(at + 1, len(block)):
            if bound_in(statement) & loaded(block[n]):
                break
            if _may_refuse(place, block[n]) and not _writes(place, block[n]):
                last = n
        if last > at:
            words = Words(
                f"Write “{said(statement)[:60]}” in `{place.name}` only after all is checked",
                0.6,
                f"“{said(block[last])[:80]}” may still refuse",
            )
            yield from place.moved(statement, block[last], words)


def _exchanged(place: Place, block: Sequence[ast.stmt]) -> Iterator[Edit]:
    """Two neighbours exchanged, where one is a write and the other reads, or gives a name that the first one reads."""
    for one, two in pairwise(block):
        if bound_in(one) & loaded(two) or isinstance(one, (ast.Return, ast.Raise)):
            continue
        early = (bound_in(two) & loaded(one)) - place.before(one)
        reads = any(not c.writes for c in db_calls(one)) or any(not c.writes for c in db_calls(two))
        touches = _writes(place, one) != _writes(place, two)
        if early or (touches and reads):
            words = Words(
                f"Say “{said(two)[:50]}” before “{said(one)[:50]}” in `{place.name}`",
                0.8 if early else 0.12,
            )
            yield from place.moved(one, two, words)


def _stale(place: Place, rows: Rows) -> Iterator[Edit]:
    """A row that was fetched before something wrote it, and is told or used after."""
    tables = rows.variables(place.node)
    for at, statement in enumerate(place.statements):
        written = _written(place, statement)
        if not written or isinstance(statement, (ast.Return, ast.If, ast.Try, ast.While)):
            continue
        after = place.statements[at + 1 :]
        for name in sorted(loaded(statement) | set(tables)):
            table = tables.get(name, "")
            used = any(name in loaded(each) for each in after if isinstance(each, ast.Return))
            again = any(name in bound_in(each) for each in after) or name in bound_in(statement)
            if table in written and used and not again:
                yield from _read_again(place, statement, name, table, rows.key(table))


def _written(place: Place, statement: ast.stmt) -> set[str]:
    """The tables that a statement writes to, itself or by the helpers it calls."""
    found = {c.table for c in db_calls(statement) if c.writes}
    for node in ast.walk(statement):
        helper = place.outline.functions.get(called(node))
        if helper is not None and helper is not place.node:
            found |= {c.table for c in db_calls(helper) if c.writes}
    return found - {""}


def _read_again(
    place: Place, statement: ast.stmt, name: str, table: str, key: str
) -> Iterator[Edit]:
    if not key:
        return
    authority = f"“{said(statement)[:70]}” writes to {table}, and what db gave before is a copy"
    words = Words(f"Read `{name}` again in `{place.name}` once it is written", 0.3, authority)
    call = db_call(statement.value) if isinstance(statement, ast.Expr) else None
    if call is not None and call.method in ("update", "put", "insert") and call.table == table:
        yield from place.rewritten(
            statement,
            f"{name} = {place.outline.code(call.node)}",
            Words(words.says, 0.35, authority),
        )
    else:
        code = f'{name} = db.get("{table}", {name}["{key}"])'
        yield from place.inserted(statement, code, words, after=True)
