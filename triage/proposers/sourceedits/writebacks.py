"""What a function changes, and never saves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from triage.proposers.sourceedits.desk import Desk, desks
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.outline import bound_in, called, loaded, said
from triage.proposers.sourceedits.place import Words
from triage.proposers.sourceedits.rows import db_call, db_calls, keys_of
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.sourcecheck import MUTATORS

SURE = 0.9
LIKELY = 0.7
UNSURE = 0.4


def writebacks(source: SourceCode) -> Iterator[Edit]:
    """Rows changed in hand, changes laid over one or worked out for one, that nothing saves."""
    for desk in desks(source):
        yield from _changed(desk)
        yield from _merged(desk)
        yield from _unused_fields(desk)


# A row changed in hand


def _changed(desk: Desk) -> Iterator[Edit]:
    for name, table in sorted(desk.tables.items()):
        key, fields, last = desk.rows.key(table), *_mutations(desk, name)
        if last is None or not key or _saves_after(desk, name, last):
            continue
        top = sorted(fields & desk.rows.fields(table)) or sorted(fields)
        said_fields = ", ".join(f'"{each}": {name}["{each}"]' for each in top)
        update = f'db.update("{table}", {name}["{key}"], {{{said_fields}}})'
        put = f'db.put("{table}", {name})'
        puts = any(c.method == "put" for c in db_calls(desk.outline.tree))
        why = f"`{desk.place.name}` changes `{name}` in “{said(last)[:80]}”, and what db gives is a copy"
        for code, likelihood in (
            (update, LIKELY if puts else SURE),
            (put, SURE if puts else LIKELY),
        ):
            if code == update and not top:
                continue
            words = Words(f"Save `{name}` in `{desk.place.name}`", likelihood, why)
            anchor = _in_block_of_binding(desk, name, last)
            yield from desk.place.inserted(anchor, code, words, after=True)


def _mutations(desk: Desk, name: str) -> tuple[set[str], ast.stmt | None]:
    """The fields of a row that are changed in hand, and the last statement that does."""
    fields: set[str] = set()
    last: ast.stmt | None = None
    roots = _aliases(desk, name)
    for each in desk.place.statements:
        for target in _stored(each):
            root, field = _root(target)
            if root in roots and isinstance(target, (ast.Subscript, ast.Call)):
                fields |= {roots[root] or field} - {""}
                last = each
    return fields, last


def _aliases(desk: Desk, name: str) -> dict[str, str]:
    """The variables that stand for a row (with "") or for something inside one (with its field)."""
    found = {name: ""}
    for each in desk.place.statements:
        value = each.value if isinstance(each, ast.Assign) else getattr(each, "iter", None)
        target = each.targets[0] if isinstance(each, ast.Assign) else getattr(each, "target", None)
        if not isinstance(target, ast.Name) or not isinstance(value, (ast.Subscript, ast.Call)):
            continue
        value = value.args[0] if called(value) in desk.outline.names and value.args else value  # type: ignore[union-attr]
        root, field = _root(value)
        if root in found and field and target.id not in found:
            found[target.id] = found[root] or field
    return found


def _stored(statement: ast.stmt) -> Iterator[ast.expr]:
    """What a statement itself changes in place."""
    if isinstance(statement, ast.Assign):
        yield from statement.targets
    if isinstance(statement, ast.AugAssign):
        yield statement.target
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if isinstance(function, ast.Attribute) and function.attr in MUTATORS:
            yield statement.value


def _root(node: ast.expr) -> tuple[str, str]:
    """The variable that an expression reaches into, and the field of it by which."""
    field = ""
    while True:
        if isinstance(node, ast.Subscript):
            constant = node.slice.value if isinstance(node.slice, ast.Constant) else ""
            field = constant if isinstance(constant, str) else field
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "update" and node.args and len(keys_of(node.args[0])) == 1:
                field = field or next(iter(keys_of(node.args[0])))
            node = node.func.value
        else:
            return (node.id if isinstance(node, ast.Name) else ""), field


def _saves_after(desk: Desk, name: str, last: ast.stmt) -> bool:
    """Whether a row, or a field of it, is given to something that writes from its last change on."""
    names = set(_aliases(desk, name))
    for node in ast.walk(desk.place.node):
        later = isinstance(node, ast.Call) and node.lineno >= last.lineno and desk.writes(node)
        if later and any(loaded(each) & names for each in _given(node)):
            call = db_call(node)
            if call is None or (call.table in ("", desk.tables.get(name)) and call.last):
                return True
    return name in desk.place.parameters  # whoever handed it in may save it


def _given(call: ast.AST) -> list[ast.expr]:
    found = db_call(call)
    if found is not None and found.last is not None:
        return [found.last]
    if not isinstance(call, ast.Call):
        return []
    return [*call.args, *(each.value for each in call.keywords)]


def _in_block_of_binding(desk: Desk, name: str, last: ast.stmt) -> ast.stmt:
    """The statement after which a row is saved: in the block in which it was fetched, where that holds its change."""
    outline, best = desk.outline, last
    while True:
        block = outline.block(best)
        if any(
            name in bound_in(s) for s in block if not isinstance(s, (ast.For, ast.If, ast.While))
        ):
            return best
        around = outline.parents.get(best)
        if not isinstance(around, (ast.For, ast.If, ast.While, ast.Try, ast.With)):
            return best
        if isinstance(around, ast.For) and name in bound_in(around.target):
            return best
        best = around


# Changes laid over a row, and not saved


def _merged(desk: Desk) -> Iterator[Edit]:
    for node in ast.walk(desk.place.node):
        if isinstance(node, ast.Dict) and None in node.keys and not desk.is_saved(node):
            yield from _laid(desk, node)


def _laid(desk: Desk, node: ast.Dict) -> Iterator[Edit]:
    first = node.values[0] if node.keys[0] is None else None
    table = desk.rows.table(first, desk.tables) if first is not None else ""
    if (
        first is None
        or not table
        or not keys_of(node) <= desk.rows.fields(table)
        or len(node.keys) < 2
    ):
        return
    if any(c.table == table and c.writes for c in db_calls(desk.place.node)):
        return
    rest = _rest(desk, node)
    call = db_call(first)
    row = said(first)
    key = (
        said(call.node.args[1])
        if call and len(call.node.args) > 1
        else f'{row}["{desk.rows.key(table)}"]'
    )
    code = f'db.update("{table}", {key}, {rest})'
    authority = f"`{desk.place.name}` tells “{said(node)[:80]}”, which nothing saves"
    helped = list(_by_helper(desk, {row}, loaded(ast.parse(rest, mode="eval"))))
    sure = SURE if isinstance(desk.outline.around(node), ast.Return) else UNSURE
    says = f"Save in `{desk.place.name}` what it tells"
    words = Words(says, sure * 0.8 if helped else sure, authority)
    yield from desk.place.replaced(node, code, words)
    for helper in helped:
        words = Words(f"Save by `{helper}` what `{desk.place.name}` tells", sure, authority)
        yield from desk.place.replaced(node, helper, words)


def _rest(desk: Desk, node: ast.Dict) -> str:
    """What is laid over the row, as a dict."""
    pairs = list(zip(node.keys[1:], node.values[1:], strict=True))
    if len(pairs) == 1 and pairs[0][0] is None:
        return desk.outline.code(pairs[0][1])
    inner = [
        f"**{desk.outline.code(v)}"
        if k is None
        else f"{desk.outline.code(k)}: {desk.outline.code(v)}"
        for k, v in pairs
    ]
    return "{" + ", ".join(inner) + "}"


def _by_helper(desk: Desk, *wanted: set[str]) -> Iterator[str]:
    """Calls of a helper that writes, as another function makes them with the same names in hand."""
    found: dict[str, None] = {}
    for name, function in desk.outline.functions.items():
        for node in ast.walk(function) if name != desk.place.name else ():
            if isinstance(node, ast.Call) and called(node) in desk.outline.writers:
                names = {said(each) for each in node.args}
                if all(names & each for each in wanted) and loaded(node) <= desk.place.names:
                    found.setdefault(desk.outline.code(node))
    yield from list(found)[:3]


# Changes worked out and used by nobody


def _unused_fields(desk: Desk) -> Iterator[Edit]:
    for statement in desk.place.statements:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Dict):
            continue
        for name in sorted(bound_in(statement) & set(desk.place.unused)):
            yield from _update(desk, statement, name, keys_of(statement.value))


def _update(desk: Desk, statement: ast.stmt, name: str, fields: set[str]) -> Iterator[Edit]:
    for table in desk.rows.holding(fields)[:3]:
        key = desk.rows.key(table)
        for row in _rows_at(desk, statement, table)[:3]:
            code = f'db.update("{table}", {row}["{key}"], {name})'
            authority = f"`{name}` is worked out and used by nobody"
            words = Words(f"Save `{name}` in `{desk.place.name}`", SURE, authority)
            yield from desk.place.inserted(statement, code, words, after=True)


def _rows_at(desk: Desk, statement: ast.stmt, table: str) -> list[str]:
    """The variables that may hold the row meant, those of the loops around first."""
    around: list[str] = []
    node: ast.AST | None = statement
    while node is not None and node is not desk.place.node:
        node = desk.outline.parents.get(node)
        if isinstance(node, ast.For):
            around += sorted(bound_in(node.target) & _read_of(desk, table))
    typed = [name for name, each in desk.tables.items() if each == table]
    return list(dict.fromkeys([*around, *typed]))


def _read_of(desk: Desk, table: str) -> set[str]:
    """The variables of which fields of a table are read."""
    fields = desk.rows.fields(table)
    return {
        each.value.id
        for each in ast.walk(desk.place.node)
        if isinstance(each, ast.Subscript)
        and isinstance(each.value, ast.Name)
        and isinstance(each.slice, ast.Constant)
        and each.slice.value in fields
    }
