"""What a function keeps between calls in names of the module, where only `db` may keep anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.outline import blocks, called, loaded, parameters, said
from triage.proposers.sourceedits.place import Place, Words, places
from triage.proposers.sourceedits.rows import db_calls
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.bindings import is_container, mutable_defaults
from worlds.sourcecheck import MUTATORS

SURE = 0.92
LIKELY = 0.5
WHY = "module-level names are constants, what must last goes through db"
KEEPERS = frozenset({"cache", "lru_cache", "cached_property"})
Block = list[ast.stmt]


def state(source: SourceCode) -> Iterator[Edit]:
    """A memory taken out, made the function's own, or copied before it is changed."""
    for place in places(source):
        for name in _kept(place):
            yield from _forgotten(place, name)
            yield from _own(place, name)
            yield from _counted(place, name)
        yield from _copied(place)
        yield from _uncached(place)
        yield from _fresh_defaults(place)


def _kept(place: Place) -> list[str]:
    """The module-level names that a function changes."""
    found: dict[str, None] = {}
    declared = {n for g in ast.walk(place.node) if isinstance(g, ast.Global) for n in g.names}
    for node in ast.walk(place.node):
        name = _changes(node)
        if name in place.outline.constants and (name in declared or name not in _locals(place)):
            found.setdefault(name)
    return list(found)


def _locals(place: Place) -> set[str]:
    stored = {
        n.id
        for n in ast.walk(place.node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return stored | set(parameters(place.node))


def _changes(node: ast.AST) -> str:
    """The variable that a node changes in place or, where it is global, binds; else empty."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return _root(node)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _root(node.func.value) if node.func.attr in MUTATORS else ""
    return ""


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


# Out of the function altogether


def _forgotten(place: Place, name: str) -> Iterator[Edit]:
    """Without looking anything up in a memory and without putting anything in."""
    made = _Forgetting(name, place)
    text = made.text()
    if text is not None:
        says = f"Let `{place.name}` keep nothing in `{name}`"
        yield place.whole(text, Words(says, SURE, WHY))


class _Forgetting:
    """The lines of a function without what has to do with a memory."""

    def __init__(self, name: str, place: Place) -> None:
        self._name, self._place = name, place
        self._out: dict[int, int] = {}
        """First line → last line, of what is left out."""
        self._instead: dict[int, str] = {}
        """First line of it → what stands there instead."""
        self._stored: dict[str, str] = {}
        """How the memory is asked → what was put there."""
        self._done = True

    def text(self) -> str | None:
        for block in blocks(self._place.node):
            for each in block:
                if self._name in _mentioned(each) and not self._is_inside(each):
                    self._take(each)
        self._unused_keys()
        self._constant()
        if not self._done or not self._out:
            return None
        lines = self._place.source.text.split("\n")
        for first in sorted(self._out, reverse=True):
            instead = self._instead.get(first)
            lines[first - 1 : self._out[first]] = instead.split("\n") if instead else []
        return "\n".join(lines)

    def _is_inside(self, statement: ast.stmt) -> bool:
        return any(first <= statement.lineno <= last for first, last in self._out.items())

    def _take(self, statement: ast.stmt) -> None:
        code, name = self._place.outline.code, self._name
        if isinstance(statement, (ast.Global, ast.Delete)) or _is_look_up(statement, name):
            self._leave_out(statement)
        elif isinstance(statement, ast.Assign) and _root(statement.targets[0]) == name:
            target = statement.targets[-1] if len(statement.targets) > 1 else statement.targets[0]
            self._stored[said(statement.targets[0])] = code(statement.value)
            if target is not statement.targets[0]:
                self._leave_out(statement, f"{code(target)} = {code(statement.value)}")
            else:
                self._leave_out(statement)
        elif isinstance(statement, ast.Expr) and _changes(statement.value) == name:
            self._leave_out(statement)
        elif isinstance(statement, ast.Return) and said(statement.value) in self._stored:
            self._leave_out(statement, f"return {self._stored[said(statement.value)]}")
        elif isinstance(statement, ast.If) and _is_filling(statement, name):
            self._filled(statement)
        else:
            self._done = False

    def _filled(self, statement: ast.If) -> None:
        """`if key not in MEMORY: … MEMORY[key] = …`: done each time."""
        lines = []
        for each in statement.body:
            if isinstance(each, ast.Assign) and _root(each.targets[0]) == self._name:
                self._stored[said(each.targets[0])] = self._place.outline.code(each.value)
            elif self._name in _mentioned(each):
                self._done = False
            else:
                lines.append(self._place.outline.code(each))
        self._leave_out(statement, "\n".join(lines))

    def _leave_out(self, statement: ast.stmt, instead: str = "") -> None:
        self._out[statement.lineno] = statement.end_lineno or statement.lineno
        if instead:
            margin = " " * statement.col_offset
            self._instead[statement.lineno] = "\n".join(
                margin + line if line.strip() else line for line in instead.split("\n")
            )
        elif len(self._place.outline.block(statement)) == 1:
            self._done = False  # its block would be empty

    def _unused_keys(self) -> None:
        """What was worked out only to ask the memory."""
        left: set[str] = set()
        for each in self._place.statements:
            if not self._is_inside(each) and not isinstance(each, (ast.If, ast.For, ast.While)):
                left |= loaded(each)
            elif not self._is_inside(each):
                left |= loaded(getattr(each, "test", None) or getattr(each, "iter", None) or each)
        instead = " ".join(self._instead.values())
        for each in self._place.statements:
            if isinstance(each, ast.Assign) and not self._is_inside(each):
                names = {said(target) for target in each.targets}
                asked = any(n in s for n in names for s in self._asked())
                if asked and not names & left and not any(n in instead for n in names):
                    self._leave_out(each)

    def _asked(self) -> list[str]:
        return [
            each.id
            for first, last in self._out.items()
            for each in ast.walk(self._place.node)
            if isinstance(each, ast.Name) and first <= each.lineno <= last
        ]

    def _constant(self) -> None:
        """The memory itself, where nobody else has to do with it."""
        outline, statement = self._place.outline, self._place.outline.constants[self._name]
        others = [n for n in outline.tree.body if n is not self._place.node and n is not statement]
        if any(self._name in _mentioned(each) for each in others):
            return
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        lines = self._place.source.text.split("\n")
        above = first == 1 or not lines[first - 2].strip()
        while above and last < len(lines) and not lines[last].strip():
            last += 1
        self._out[first] = last


def _mentioned(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {n for g in ast.walk(node) if isinstance(g, ast.Global) for n in g.names}


def _is_look_up(statement: ast.stmt, name: str) -> bool:
    """`if key in MEMORY: return MEMORY[key]`, or the like by `get`."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    ends = statement.body[-1]
    asks = name in _mentioned(statement.test)
    return asks and isinstance(ends, ast.Return) and name in _mentioned(ends)


def _is_filling(statement: ast.If, name: str) -> bool:
    return (
        not statement.orelse
        and isinstance(statement.test, ast.Compare)
        and isinstance(statement.test.ops[0], ast.NotIn)
        and said(statement.test.comparators[0]) == name
    )


# The function's own


def _own(place: Place, name: str) -> Iterator[Edit]:
    """With a new one for each call, where calls only collect in it."""
    value = place.outline.constants[name].value
    if value is None or not place.statements:
        return
    code = place.outline.code(value)
    says = f"Begin `{name}` anew in each call of `{place.name}`"
    declared = [s for s in place.statements if isinstance(s, ast.Global) and s.names == [name]]
    words = Words(says, LIKELY, WHY)
    if declared:
        yield from place.rewritten(declared[0], f"{name} = {code}", words)
    elif is_container(value):
        yield from place.inserted(place.statements[0], f"{name} = {code}", words)


def _counted(place: Place, name: str) -> Iterator[Edit]:
    """A key from `db.next_id` where a counter of the module made one."""
    inserted = [c for c in db_calls(place.node) if c.method in ("insert", "put") and c.table]
    for node in ast.walk(place.node):
        if isinstance(node, ast.JoinedStr) and name in loaded(node) and inserted:
            first = node.values[0]
            prefix = str(first.value) if isinstance(first, ast.Constant) else ""
            code = f'db.next_id("{inserted[0].table}", "{prefix}")'
            words = Words(f"Take the new key in `{place.name}` from db", SURE, WHY)
            for edit in place.replaced(node, code, words):
                yield place.whole(_without_count(place, name, edit.source), words)


def _without_count(place: Place, name: str, text: str) -> str:
    lines = text.split("\n")
    for each in reversed(place.statements):
        counts = isinstance(each, ast.AugAssign) and said(each.target) == name
        declares = isinstance(each, ast.Global) and each.names == [name]
        if (counts or declares) and len(place.outline.block(each)) > 1:
            del lines[each.lineno - 1 : each.end_lineno]
    return "\n".join(lines)


# A copy of a constant


def _copied(place: Place) -> Iterator[Edit]:
    """A copy where a variable stands for a list or dict of the module and is changed."""
    changed = {_changes(n) for n in ast.walk(place.node) if not isinstance(n, ast.Name)}
    for statement in place.statements:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        root = _root(statement.value)
        constant = place.outline.constants.get(root)
        if statement.targets[0].id in changed and constant is not None and constant.value:
            whole = isinstance(statement.value, ast.Name)
            is_list = whole and isinstance(constant.value, (ast.List, ast.ListComp))
            code = place.outline.code(statement.value)
            copy = f"[*{code}]" if is_list else f"{{**{code}}}"
            words = Words(f"Copy `{root}` in `{place.name}` before it is changed", SURE, WHY)
            yield from place.replaced(statement.value, copy, words)


# Decorators and defaults that keep


def _uncached(place: Place) -> Iterator[Edit]:
    for mark in place.node.decorator_list:
        name = called(mark) or said(mark)
        if name.rpartition(".")[2] in KEEPERS:
            lines = place.source.text.split("\n")
            del lines[mark.lineno - 1 : mark.end_lineno]
            words = Words(f"Let `{place.name}` look each time", SURE, WHY)
            yield place.whole("\n".join(lines), words)


def _fresh_defaults(place: Place) -> Iterator[Edit]:
    """A default that all calls share, made anew in each."""
    for name in sorted(mutable_defaults(place.node.args)):
        pairs = zip(place.node.args.args[::-1], place.node.args.defaults[::-1], strict=False)
        default = next((d for a, d in pairs if a.arg == name), None)
        if default is not None and place.statements:
            copy = (
                f"{name} = {{**{name}}}" if isinstance(default, ast.Dict) else f"{name} = [*{name}]"
            )
            words = Words(f"Copy `{name}` in `{place.name}`, all calls share it", SURE, WHY)
            yield from place.inserted(place.statements[0], copy, words)
