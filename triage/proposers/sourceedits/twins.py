"""Expressions that stand elsewhere almost the same: in a function of the same name in a neighbour, or in another one.

What differs is put in the place of what stands here, where all its names are known here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

import libcst as cst

from triage.proposers.sourceedits.changed import changed, grouped, short
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.idioms import module_names
from triage.proposers.sourceedits.quoting import quoted
from triage.proposers.sourceedits.rowtypes import rowtypes
from triage.proposers.sourceedits.scope import BUILT_IN, GIVEN, Scope
from triage.proposers.sourceedits.sourcecode import SourceCode

SAME_FUNCTION = 0.75
OTHER_FUNCTION = 0.4
LEAF = 0.35
"""Of what it would be, where a name or constant alone differs: like lines differ in just that."""
LEAST_ALIKE = 0.6
LEAST_ALIKE_WHOLE = 0.85
SHORTEST = 12
LONGEST = 400
MOST = 2
MOST_COMPARED = 400
KEEPING = (cst.Assign, cst.AugAssign, cst.Return, cst.Expr, cst.AnnAssign, cst.DictElement)


@dataclass(frozen=True)
class Expression:
    """One that stands elsewhere."""

    function: str
    is_neighbour: bool
    node: ast.expr
    code: str

    @cached_property
    def tokens(self) -> list[str]:
        return _tokens(self.code)


def twins(source: SourceCode) -> Iterator[Edit]:
    """What others write almost so, as they write it."""
    known = _elsewhere(source)
    module = set(module_names(source.text)) | BUILT_IN | GIVEN
    types = rowtypes(source.text)
    for node in _expressions(source):
        own = _read(source.code(node))
        if own is None or not SHORTEST <= len(own[1]) <= LONGEST:
            continue
        function = source.function(node)
        scope = Scope.of(types, function)
        names = module | set(scope.visible(source.line(node)) if scope else ())
        others = [e for e in known if e.function != function or e.is_neighbour]
        is_usual = any(e.code == own[1] for e in others)
        yield from _as_others(source, node, own, others, names, is_usual)


def _expressions(source: SourceCode) -> Iterator[cst.BaseExpression]:
    for node in source.suspects(cst.CSTNode):  # type: ignore[type-abstract]
        if isinstance(node, (cst.If, cst.CompIf)):
            yield node.test
        elif isinstance(node, KEEPING) and isinstance(node.value, cst.BaseExpression):
            if isinstance(node.value, cst.SimpleString):
                continue
            yield node.value


def _elsewhere(source: SourceCode) -> list[Expression]:
    found = []
    for text in (*source.neighbours, source.text):
        for name, function in rowtypes(text).functions.items():
            for node in ast.walk(function):
                for value in _values(node):
                    code = quoted(ast.unparse(value))
                    if SHORTEST <= len(code) <= LONGEST:
                        found.append(Expression(name, text is not source.text, value, code))
    return found


def _values(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Assign(value=value) | ast.Expr(value=value) | ast.AugAssign(value=value):
            yield value
        case ast.Return(value=value) | ast.AnnAssign(value=value) if value is not None:
            yield value
        case ast.If(test=test):
            yield test
        case ast.comprehension(ifs=ifs):
            yield from ifs
        case ast.Dict(keys=keys, values=values):
            yield from (v for k, v in zip(keys, values, strict=True) if k is not None)


def _read(code: str) -> tuple[ast.expr, str] | None:
    try:
        node = ast.parse(f"({code}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return node, quoted(ast.unparse(node))


def _as_others(
    source: SourceCode,
    node: cst.BaseExpression,
    own: tuple[ast.expr, str],
    others: list[Expression],
    names: set[str],
    is_usual: bool,
) -> Iterator[Edit]:
    tokens, function = _tokens(own[1]), source.function(node)
    scored = []
    for each in _near(tokens, others):
        twin = each.is_neighbour and each.function == function
        if each.code == own[1] and twin:
            return
        alike = SequenceMatcher(None, tokens, each.tokens, autojunk=False).ratio()
        if each.code == own[1] or alike < LEAST_ALIKE or (is_usual and not twin):
            continue
        scored.append((not twin, -alike, each.code, each))
    given: set[str] = set()
    for not_twin, alike, _, each in sorted(scored, key=lambda s: s[:3]):
        made = _put(source.code(node), own[0], each.node, names)
        if made is not None and not_twin and made[0] == made[2] and -alike < LEAST_ALIKE_WHOLE:
            continue  # another expression rather than the same one with a slip
        if made is None or made[0] in given or len(given) >= MOST:
            continue
        given.add(made[0])
        base = OTHER_FUNCTION if not_twin else SAME_FUNCTION
        likelihood = base * alike * alike * (LEAF if made[1] and not_twin else 1)
        whose = " of another tool server" if each.is_neighbour else ""
        authority = f"`{each.function}`{whose} has `{short(each.code)}`"
        yield changed(
            source,
            node,
            made[0],
            likelihood,
            authority,
            f"Write `{short(made[2])}` as `{each.function}` does",
        )


def _near(tokens: list[str], others: list[Expression]) -> list[Expression]:
    """Those with enough tokens in common to be worth a comparison."""
    wanted = set(tokens)
    scored = []
    for index, each in enumerate(others):
        theirs = set(each.tokens)
        common = len(wanted & theirs) / max(1, len(wanted | theirs))
        if common >= 0.45:
            scored.append((-common, index))
    return [others[index] for _, index in sorted(scored)[:MOST_COMPARED]]


def _put(
    code: str, own: ast.expr, other: ast.expr, names: set[str]
) -> tuple[str, bool, str] | None:
    """The code with what differs as the other has it, whether that is a leaf, and what was put in; None where it
    names what is not known here."""
    one, two = _difference(own, other)
    if not isinstance(one, ast.expr) or not isinstance(two, ast.expr):
        return None
    bound = {n.id for n in ast.walk(own) if isinstance(n, ast.Name)}
    bound |= {
        n.id for n in ast.walk(two) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    bound |= {a.arg for a in ast.walk(two) if isinstance(a, ast.arg)}
    if {n.id for n in ast.walk(two) if isinstance(n, ast.Name)} - names - bound:
        return None
    start, end = _offsets(f"({code}\n)", one)
    new = quoted(ast.unparse(two))
    whole = one is own
    new = new if whole else grouped(new)
    made = (f"({code}\n)".encode()[:start] + new.encode() + f"({code}\n)".encode()[end:]).decode()
    is_leaf = isinstance(one, (ast.Name, ast.Constant)) and isinstance(
        two, (ast.Name, ast.Constant)
    )
    return made[1:-2] if not whole else new, is_leaf, new


def _difference(one: ast.AST, other: ast.AST) -> tuple[ast.AST, ast.AST]:
    """The smallest expressions in which two differ."""
    if type(one) is not type(other):
        return one, other
    pairs: list[tuple[ast.AST, ast.AST]] = []
    for name in one._fields:
        mine, theirs = getattr(one, name, None), getattr(other, name, None)
        if isinstance(mine, list) and isinstance(theirs, list):
            if len(mine) != len(theirs):
                return one, other
            pairs += zip(mine, theirs, strict=True)
        elif isinstance(mine, ast.AST) and isinstance(theirs, ast.AST):
            pairs.append((mine, theirs))
        elif mine != theirs:
            return one, other
    apart = [(a, b) for a, b in pairs if _dump(a) != _dump(b)]
    if len(apart) != 1 or not all(
        isinstance(e, (ast.expr, ast.keyword, ast.comprehension)) for e in apart[0]
    ):
        return one, other
    inner = _difference(*apart[0])
    return (
        inner if isinstance(inner[0], ast.expr) and isinstance(inner[1], ast.expr) else (one, other)
    )


def _dump(node: ast.AST | None) -> str:
    return ast.dump(node) if isinstance(node, ast.AST) else repr(node)


def _offsets(text: str, node: ast.expr) -> tuple[int, int]:
    lines = text.encode().split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    last, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return starts[node.lineno - 1] + node.col_offset, starts[last - 1] + end


def _tokens(code: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", code)
