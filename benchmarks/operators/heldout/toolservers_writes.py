"""Faults of tool servers on the way of what is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.faults.mutation import Original, Site, fault
from benchmarks.operators.heldout.pysource import (
    Spot,
    blocks,
    is_write,
    loaded,
    mentioned,
    spots,
    stored,
    writes,
)
from benchmarks.operators.heldout.rows import links


@fault("write-partial", "toolserver", "One of several fields or rows is not saved.")
def write_partial(original: Original) -> Iterator[Site]:
    for spot in spots(original):
        yield from _rows_not_saved(spot)
        for row in _dicts_written(spot):
            for index, key in enumerate(row.keys):
                if isinstance(key, ast.Constant) and len(row.keys) > 1:
                    kept = [i for i in range(len(row.keys)) if i != index]
                    less = ast.Dict([row.keys[i] for i in kept], [row.values[i] for i in kept])
                    edit = spot.module.put(row, ast.unparse(less))
                    yield spot.site(row, f"without {key.value!s}", edit)


def _rows_not_saved(spot: Spot) -> Iterator[Site]:
    """Statements that do nothing but write, in functions that do more."""
    for block in blocks(spot):
        for statement in block:
            if isinstance(statement, ast.Expr) and is_write(statement.value) and len(block) > 1:
                yield spot.site(statement, "not written", spot.module.cut(statement))


def _dicts_written(spot: Spot) -> Iterator[ast.Dict]:
    """The fields given to an update, where they stand or where they were put together; and the columns that SQL is
    made from."""
    for node in spot.nodes():
        if is_write(node, "update") and isinstance(node, ast.Call):
            last = node.args[-1]
            if isinstance(last, ast.Dict):
                yield last
            elif isinstance(last, ast.Name):
                yield from _assigned(spot, last.id)
        if isinstance(node, ast.Return) and spot.name == "fields_of":
            yield from _dicts(node)


def _dicts(node: ast.AST) -> Iterator[ast.Dict]:
    """The dicts in a statement."""
    yield from (each for each in ast.walk(node) if isinstance(each, ast.Dict))


def _assigned(spot: Spot, name: str) -> Iterator[ast.Dict]:
    for node in spot.nodes():
        targets = node.targets if isinstance(node, ast.Assign) else []
        named = any(isinstance(t, ast.Name) and t.id == name for t in targets)
        if named and isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            yield node.value


@fault(
    "write-to-wrong-row",
    "toolserver",
    "A write goes to another row: the first or last that is found.",
)
def write_to_wrong_row(original: Original) -> Iterator[Site]:
    for spot in spots(original):
        for node in spot.nodes():
            if not is_write(node, "update", "delete") or not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr == "execute":
                yield from _sql_wide(original, spot, node.args[0])
            else:
                yield from _wrong_key(original, spot, node)


def _wrong_key(original: Original, spot: Spot, call: ast.Call) -> Iterator[Site]:
    table, key = call.args[0], call.args[1]
    name = table.value if isinstance(table, ast.Constant) else None
    if not isinstance(name, str) or name not in original.domain["tables"]:
        return
    field = original.key_field(name)
    same = ""
    if isinstance(key, ast.Subscript) and isinstance(key.value, ast.Name):
        row = key.value.id
        same = next((f"'{f}': {row}['{f}']" for f, _ in links(original, name)), "")
    for end in (0, -1):
        text = f"db.find('{name}', {{{same}}})[{end}]['{field}']"
        yield spot.site(key, f"row {end}", spot.module.put(key, text))


def _sql_wide(original: Original, spot: Spot, query: ast.expr) -> Iterator[Site]:
    """`WHERE id = ?` that finds all rows of the same owner, or all later ones."""
    said = spot.module.said(query)
    match = re.search(r"UPDATE (\w+).*WHERE (id = (\?|:id))", said, re.DOTALL)
    if match:
        table, where, mark = match.groups()
        owners = [field for field, _ in links(original, table)][:1]
        ways = [f"{f} = (SELECT {f} FROM {table} WHERE id = {mark})" for f in owners]  # noqa: S608 - a text
        for way in [*ways, f"id >= {mark}"]:
            yield spot.site(query, way, spot.module.put(query, said.replace(where, way)))


@fault("effects-out-of-order", "toolserver", "What must be done before a write is done after it.")
def effects_out_of_order(original: Original) -> Iterator[Site]:
    for spot in spots(original):
        for block in blocks(spot):
            for index, statement in enumerate(block):
                if writes(original, statement):
                    yield from _checks_late(original, spot, block, index)
                    yield from _result_early(original, spot, block, index)


def _checks_late(
    original: Original, spot: Spot, block: list[ast.stmt], index: int
) -> Iterator[Site]:
    """A refusal that comes after the write which it should have stopped."""
    write = block[index]
    for earlier in range(max(0, index - 4), index):
        check = block[earlier]
        between = block[earlier + 1 : index + 1]
        if not _is_check(original, check) or stored(check) & mentioned(*between):
            continue
        if _is_taken_back(spot) and "db" not in mentioned(check):
            continue
        if isinstance(write, ast.Return) and write.value:
            check_text = spot.module.data[slice(*spot.module.lines(check))].decode().strip()
            said = f"written = {spot.module.said(write.value)}"
            new = [said, *check_text.splitlines()[:1]]
            rest = "\n".join(check_text.splitlines()[1:])
            pad = " " * write.col_offset
            text = f"{new[0]}\n{pad}{new[1]}\n" + (f"{rest}\n" if rest else "")
            edits = [spot.module.cut(check), spot.module.put(write, f"{text}{pad}return written")]
            yield spot.site(check, f"after line {write.lineno}", *edits)
        elif not isinstance(write, ast.Return):
            yield spot.site(
                check, f"after line {write.lineno}", *spot.module.moved_after(check, write)
            )


def _is_taken_back(spot: Spot) -> bool:
    """Whether a refusal undoes what was written: where a call is one transaction, a late check does harm only when it
    looks at what was written."""
    return "with session()" in spot.module.text


def _is_check(original: Original, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        return not statement.orelse and isinstance(statement.body[-1], ast.Raise)
    is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return is_call and not writes(original, statement)


def _result_early(
    original: Original, spot: Spot, block: list[ast.stmt], index: int
) -> Iterator[Site]:
    """A result that was looked up before the write that it should show."""
    last = block[-1]
    if not isinstance(last, ast.Return) or last.value is None or last is block[index]:
        return
    between = block[index:-1]
    has_call = any(isinstance(node, ast.Call) for node in ast.walk(last.value))
    if has_call and not writes(original, last) and not stored(*between) & loaded(last):
        said = f"shown = {spot.module.said(last.value)}"
        edits = [spot.module.before(block[index], said), spot.module.put(last, "return shown")]
        yield spot.site(last, f"before line {block[index].lineno}", *edits)
