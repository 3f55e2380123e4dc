"""What a function should refuse, or refuses without need."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from triage.proposers.sourceedits.adapting import adapted
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.likeness import likeness
from triage.proposers.sourceedits.outline import (
    Outline,
    bound_in,
    called,
    loaded,
    locals_of,
    said,
    statements,
)
from triage.proposers.sourceedits.place import BUILTINS, Place, Words, donors, places
from triage.proposers.sourceedits.rows import DbCall, db_call
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.sourcecheck import GIVEN

MOST = 4
"""Guards that one function is offered from others."""


@dataclass(eq=False)
class Guard:
    """A refusal, and the functions that make it."""

    outline: Outline
    node: ast.If
    function: ast.FunctionDef
    is_neighbour: bool
    others: list[str] = field(default_factory=list)

    @cached_property
    def names(self) -> set[str]:
        """What it reads of its function's own."""
        return (
            loaded(self.node) - BUILTINS - GIVEN - (self.outline.names - locals_of(self.function))
        )

    @cached_property
    def asks(self) -> set[str]:
        """What its test reads of its function's own."""
        return loaded(self.node.test) & self.names

    @property
    def cited(self) -> str:
        where = " of another tool server" if self.is_neighbour else ""
        return f"`{self.function.name}`{where} refuses “if {said(self.node.test)[:100]}”"


def guards(source: SourceCode) -> Iterator[Edit]:
    """Refusals that others make, rows that may be missing, and refusals loosened."""
    known = _guards(source)
    for place in places(source):
        yield from _missing_rows(place, known)
        yield from _missing(place, known)
        yield from _calls_of_checks(place)
        yield from _loosened(place)


def is_guard(node: ast.stmt) -> bool:
    """Whether a statement refuses, and does nothing else."""
    return isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], ast.Raise)


def _guards(source: SourceCode) -> dict[str, Guard]:
    """By what they ask, as plain Python."""
    found: dict[str, Guard] = {}
    for outline, is_neighbour in donors(source):
        for function in outline.functions.values():
            for node in statements(function):
                if is_guard(node) and isinstance(node, ast.If):
                    guard = Guard(outline, node, function, is_neighbour)
                    found.setdefault(said(node.test), guard).others.append(function.name)
    return found


# Refusals that others make


def _missing(place: Place, known: dict[str, Guard]) -> Iterator[Edit]:
    own = {
        said(each.test) for each in ast.walk(place.node) if isinstance(each, (ast.If, ast.IfExp))
    }
    ranked: dict[str, float] = {}
    for test, guard in known.items():
        if test in own or not guard.asks or guard.names - place.own:
            continue
        if guard.function is not place.node and loaded(guard.node) <= place.names:
            ranked[test] = _likelihood(place, guard)
    for test in sorted(ranked, key=lambda each: (-ranked[each], each))[:MOST]:
        yield from _guarded(place, known[test], ranked[test])


def _likelihood(place: Place, guard: Guard) -> float:
    """How likely a refusal belongs here: the more alike whoever makes it, and the more do, the likelier."""
    alike = likeness(place.node, guard.function)
    same = guard.is_neighbour and guard.function.name == place.name
    shared = min(len(set(guard.others)) - 1, 3) * 0.08
    return 0.75 if same else min(0.12 + 0.5 * alike + shared, 0.6)


def _guarded(place: Place, guard: Guard, likelihood: float) -> Iterator[Edit]:
    code = adapted(guard.outline, guard.node, {}, place.names)
    anchor = _first_without(place, loaded(guard.node))
    if code is None or anchor is None:
        return
    words = Words(
        f"Refuse in `{place.name}` when “{said(guard.node.test)[:80]}”", likelihood, guard.cited
    )
    yield from place.inserted(anchor, code, words)


def _first_without(place: Place, names: set[str]) -> ast.stmt | None:
    """The first statement of a function's own block at which all names stand for something, after its refusals."""
    body = [each for each in place.node.body if each in place.statements]
    known = {*place.parameters, *place.outline.names, *BUILTINS, *GIVEN}
    at = 0
    while at < len(body) and not names <= known:
        known |= bound_in(body[at])
        at += 1
    if not names <= known:
        return None
    while at < len(body) - 1 and is_guard(body[at]):
        at += 1
    return body[at] if at < len(body) else None


# Rows that may be missing


def _missing_rows(place: Place, known: dict[str, Guard]) -> Iterator[Edit]:
    helpers = _refusing_helpers(place.outline)
    for statement in place.statements:
        if not isinstance(statement, ast.Assign):
            continue
        for name, value in _named_values(statement):
            call = db_call(value)
            if call is None or call.method != "get" or _is_tested(place, name):
                continue
            yield from _by_helper(place, call, helpers)
            yield from _by_guard(place, statement, name, call, known)
    for node in ast.walk(place.node):
        call = db_call(node)
        around = place.outline.parents.get(node)
        if call and call.method == "get" and isinstance(node, ast.Call):
            mine = place.name in helpers.get(call.table, [])
            if isinstance(around, (ast.Subscript, ast.Return)) and not mine:
                yield from _by_helper(place, call, helpers, 0.35)


def _is_tested(place: Place, name: str) -> bool:
    nodes = list(ast.walk(place.node))
    tests: list[ast.expr] = [n.test for n in nodes if isinstance(n, (ast.If, ast.IfExp))]
    tests += [n for n in nodes if isinstance(n, ast.BoolOp)]
    return any(
        (isinstance(each, ast.Name) and each.id == name)
        or (isinstance(each, ast.Compare) and said(each.left) == name)
        for test in tests
        for each in ast.walk(test)
        if not isinstance(each, ast.Subscript)
    )


def _named_values(statement: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Name):
        yield target.id, value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for name, each in zip(target.elts, value.elts, strict=False):
            if isinstance(name, ast.Name):
                yield name.id, each


def _refusing_helpers(outline: Outline) -> dict[str, list[str]]:
    """Table → helpers of a key that give its row or refuse; under the empty one those of table and key."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, node in outline.functions.items():
        gets = [c for n in ast.walk(node) if (c := db_call(n)) and c.method == "get"]
        refuses = any(isinstance(n, ast.Raise) for n in ast.walk(node))
        arguments = [a.arg for a in node.args.args]
        if len(node.body) <= 4 and len(gets) == 1 and refuses:
            given = [said(each) for each in gets[0].node.args]
            if given[-1:] == arguments or (given == arguments and not gets[0].table):
                found[gets[0].table].append(name)
    return found


def _by_helper(
    place: Place, call: DbCall, helpers: dict[str, list[str]], likelihood: float = 0.6
) -> Iterator[Edit]:
    for helper in [*helpers.get(call.table, [])[:2], *helpers.get("", [])[:1]]:
        if helper != place.name and len(call.node.args) == 2 and call.table:
            given = call.node.args if helper in helpers.get("", []) else call.node.args[1:]
            words = Words(
                f"Get the row by `{helper}` in `{place.name}`",
                likelihood,
                f"`{helper}` refuses where there is none",
            )
            code = ", ".join(place.outline.code(each) for each in given)
            yield from place.replaced(call.node, f"{helper}({code})", words)


def _by_guard(
    place: Place, statement: ast.Assign, name: str, call: DbCall, known: dict[str, Guard]
) -> Iterator[Edit]:
    says = f"Refuse in `{place.name}` where `{name}` is missing"
    guard = known.get(f"{name} is None")
    borrowed = None
    if guard is not None and guard.function is not place.node:
        borrowed = adapted(guard.outline, guard.node, {}, place.names)
    if guard is not None and borrowed is not None:
        yield from place.inserted(statement, borrowed, Words(says, 0.8, guard.cited), after=True)
    code = f"if {name} is None:\n    raise ValueError({_not_there(call)})"
    yield from place.inserted(statement, code, Words(says, 0.4), after=True)


def _not_there(call: DbCall) -> str:
    """The text of a refusal."""
    shown = ["{" + said(a) + "}" for a in call.node.args if isinstance(a, ast.Name)]
    if len(shown) == 2:
        return f'f"there is no {shown[0]} {shown[1]}"'
    table = call.table.rstrip("s")
    return f'f"there is no {table} {shown[0]}"' if shown else f'"there is no such {table}"'


# Checks that others call


def _calls_of_checks(place: Place) -> Iterator[Edit]:
    """`_refuse_closed(ticket)`, as other functions call it with the same names in hand."""
    own = {called(each) for each in ast.walk(place.node)}
    found: dict[str, tuple[ast.Expr, float, str]] = {}
    for name, function in place.outline.functions.items():
        for node in statements(function) if name != place.name else ():
            if not isinstance(node, ast.Expr) or not _is_check(place, called(node.value)):
                continue
            if called(node.value) not in own and loaded(node) <= place.names:
                likelihood = min(0.12 + 0.5 * likeness(place.node, function), 0.55)
                if likelihood > found.get(said(node), (node, 0.0, ""))[1]:
                    found[said(node)] = node, likelihood, name
    for code, (node, likelihood, name) in sorted(found.items(), key=lambda f: -f[1][1])[:MOST]:
        anchor = _first_without(place, loaded(node))
        if anchor is not None:
            words = Words(f"Check “{code[:80]}” in `{place.name}`", likelihood, f"`{name}` does")
            yield from place.inserted(anchor, place.outline.code(node), words)


def _is_check(place: Place, name: str) -> bool:
    """Whether a function of the module refuses and gives nothing."""
    node = place.outline.functions.get(name)
    if node is None or name == place.name or name in place.outline.writers:
        return False
    raises = any(isinstance(each, ast.Raise) for each in ast.walk(node))
    gives = any(isinstance(each, ast.Return) and each.value for each in ast.walk(node))
    return raises and not gives


# Refusals loosened


def _loosened(place: Place) -> Iterator[Edit]:
    for node in place.statements:
        if not is_guard(node) or not isinstance(node, ast.If):
            continue
        says = f"“if {said(node.test)[:70]}” in `{place.name}`"
        yield from place.rewritten(node, "", Words(f"Do not refuse {says}", 0.08))
        if isinstance(node.test, ast.BoolOp):
            for part in node.test.values[:4]:
                rest = [place.outline.code(v) for v in node.test.values if v is not part]
                joined = (" and " if isinstance(node.test.op, ast.And) else " or ").join(rest)
                words = Words(f"Leave “{said(part)[:60]}” out of {says}", 0.12)
                yield from place.replaced(node.test, joined, words)
