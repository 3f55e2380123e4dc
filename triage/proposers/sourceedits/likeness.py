"""How like two functions are, and where they part: statements compared without the names of their variables."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from triage.proposers.sourceedits.outline import (
    BLOCKS,
    is_text,
    locals_of,
    statements,
)

LONGEST = 200
"""Statements of a function that is compared."""


@dataclass(frozen=True)
class Part:
    """Where two functions part: in one stand `here`, in the other `there`; either may be none."""

    block: Sequence[ast.stmt]
    at: int
    """Where in the block of the one `here` begins."""
    here: Sequence[ast.stmt]
    there: Sequence[ast.stmt]


@lru_cache(maxsize=4096)
def forms(function: ast.FunctionDef) -> tuple[str, ...]:
    """Each statement of a function without the names of variables, without what stands inside it."""
    own = locals_of(function)
    found = statements(function)
    return tuple(form(each, own) for each in found) if len(found) <= LONGEST else ()


def likeness(one: ast.FunctionDef, other: ast.FunctionDef) -> float:
    """The share of statements that two functions have in common, in [0, 1]."""
    a, b = forms(one), forms(other)
    if not a or not b:
        return 0.0
    common = sum((Counter(a) & Counter(b)).values())
    return 2 * common / (len(a) + len(b))


def form(statement: ast.stmt, own: set[str]) -> str:
    """A statement without the names of variables and without what stands inside it."""
    if isinstance(statement, ast.Raise) and isinstance(statement.exc, ast.Call):
        return f"Raise {_form(statement.exc.func, own)}"  # each server words its refusals in its own way
    parts = [type(statement).__name__]
    for name, value in ast.iter_fields(statement):
        if name not in (*BLOCKS, "handlers", "type_comment"):
            each = value if isinstance(value, list) else [value]
            parts += [_form(node, own) for node in each if isinstance(node, ast.AST)]
    return " ".join(parts)


def _form(node: ast.AST, own: set[str]) -> str:
    if isinstance(node, ast.Name):
        return "§" if node.id in own else node.id
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.expr_context):
        return ""
    inner = []
    for _, value in ast.iter_fields(node):
        each = value if isinstance(value, list) else [value]
        inner += [_form(v, own) if isinstance(v, ast.AST) else repr(v) for v in each]
    return f"{type(node).__name__}({','.join(inner)})"


def parts(one: ast.FunctionDef, other: ast.FunctionDef) -> list[Part]:
    """Where two functions part, in the order of the text."""
    found: list[Part] = []
    _compare(one.body, other.body, (locals_of(one), locals_of(other)), found)
    return found


def _compare(
    here: Sequence[ast.stmt],
    there: Sequence[ast.stmt],
    own: tuple[set[str], set[str]],
    found: list[Part],
) -> None:
    here = [each for each in here if not is_text(each)]
    there = [each for each in there if not is_text(each)]
    a, b = [form(s, own[0]) for s in here], [form(s, own[1]) for s in there]
    for what, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if what == "equal":
            for mine, theirs in zip(here[i:j], there[k:m], strict=True):
                _compare_inside(mine, theirs, own, found)
        elif j - i == m - k:
            for n in range(j - i):
                _part(here, i + n, there[k + n], own, found)
        else:
            found.append(Part(here, i, here[i:j], there[k:m]))


def _part(
    here: Sequence[ast.stmt],
    at: int,
    theirs: ast.stmt,
    own: tuple[set[str], set[str]],
    found: list[Part],
) -> None:
    mine = here[at]
    found.append(Part(here, at, [mine], [theirs]))
    if type(mine) is type(theirs):
        _compare_inside(mine, theirs, own, found)


def _compare_inside(
    mine: ast.stmt, theirs: ast.stmt, own: tuple[set[str], set[str]], found: list[Part]
) -> None:
    for name in BLOCKS:
        one, other = getattr(mine, name, []), getattr(theirs, name, [])
        if isinstance(one, list) and isinstance(other, list) and (one or other):
            _compare(one, other, own, found)


def counterparts(one: ast.FunctionDef, other: ast.FunctionDef) -> dict[str, str]:
    """Variable of the other function → that of the one which stands where it does, as most statements have it."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    mine, theirs = locals_of(one), locals_of(other)
    for a, b in _pairs(one, other):
        for here, there in zip(_names(a, mine), _names(b, theirs), strict=False):
            votes[there][here] += 1
    for name in theirs & mine:
        votes[name][name] += 1
    return {name: min(v, key=lambda n: (-v[n], n)) for name, v in votes.items()}


def _pairs(one: ast.FunctionDef, other: ast.FunctionDef) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    a, b = statements(one), statements(other)
    matcher = SequenceMatcher(None, forms(one), forms(other), autojunk=False)
    for block in matcher.get_matching_blocks():
        for n in range(block.size):
            yield a[block.a + n], b[block.b + n]


def _names(statement: ast.stmt, own: set[str]) -> list[str]:
    """The variables of a statement's own line, in a fixed order."""
    found: list[str] = []
    for name, value in ast.iter_fields(statement):
        if name not in (*BLOCKS, "handlers"):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    found += [n.id for n in ast.walk(each) if isinstance(n, ast.Name)]
    return [name for name in found if name in own]
