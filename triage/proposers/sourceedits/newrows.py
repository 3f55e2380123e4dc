"""New rows that a function makes, and never inserts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from triage.proposers.sourceedits.desk import Desk, desks
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.outline import bound_in
from triage.proposers.sourceedits.place import Words
from triage.proposers.sourceedits.rows import db_call, keys_of
from triage.proposers.sourceedits.sourcecode import SourceCode

SURE = 0.9
LIKELY = 0.7


def newrows(source: SourceCode) -> Iterator[Edit]:
    """Rows under a key that is new, inserted."""
    for desk in desks(source):
        yield from _inserted(desk)


def _inserted(desk: Desk) -> Iterator[Edit]:
    for node in ast.walk(desk.place.node):
        table = _table_of_new(desk, node)
        if isinstance(node, ast.Dict) and table and not desk.is_saved(node):
            statement = desk.outline.around(node)
            authority = f"the key of the row is new: “{table}”, and nothing inserts it"
            words = Words(f"Insert the new row of {table} in `{desk.place.name}`", SURE, authority)
            names = bound_in(statement) if isinstance(statement, ast.Assign) else set()
            uses = [u for name in names for u in _uses(desk, name)]
            if len(uses) == 1:
                yield from desk.place.replaced(
                    uses[0], f'db.insert("{table}", {uses[0].id})', words
                )
            elif not names:
                code = f'db.insert("{table}", {desk.outline.code(node)})'
                yield from desk.place.replaced(node, code, words)
            if names and statement is not None:
                name = min(names)
                low = Words(words.says, LIKELY if uses else SURE, authority)
                code = f'db.insert("{table}", {name})'
                yield from desk.place.inserted(statement, code, low, after=True)


def _table_of_new(desk: Desk, node: ast.AST) -> str:
    """The table of a dict that is a whole new row: its key from `db.next_id`, or laid over a dict that has one."""
    if not isinstance(node, ast.Dict):
        return ""
    for value in node.values:
        call = db_call(value)
        if (
            call is not None
            and call.method == "next_id"
            and desk.rows.has(call.table, keys_of(node))
        ):
            return call.table
    return ""


def _uses(desk: Desk, name: str) -> list[ast.Name]:
    return [
        each
        for each in ast.walk(desk.place.node)
        if isinstance(each, ast.Name)
        and each.id == name
        and isinstance(each.ctx, ast.Load)
        and not isinstance(desk.outline.parents.get(each), ast.Subscript)
    ]
