"""Which rows a function takes: filters lost, filters too many, arguments that are taken and forgotten."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from triage.proposers.sourceedits.adapting import renamed
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.likeness import likeness
from triage.proposers.sourceedits.outline import bound_in, loaded, said
from triage.proposers.sourceedits.place import Place, Words, donors, places
from triage.proposers.sourceedits.rows import DbCall, Rows, db_call, db_calls, keys_of
from triage.proposers.sourceedits.sourcecode import SourceCode

MOST = 5
ALIKE = 0.4
"""From where on a variable of the same name is taken to hold the same."""


def filters(source: SourceCode) -> Iterator[Edit]:
    """Conditions that siblings have, arguments used, conditions left out."""
    rows = None
    for place in places(source):
        rows = rows or Rows(place.outline, source.domain)
        for call in db_calls(place.node):
            if call.method == "find" and isinstance(call.last, ast.Dict):
                yield from _narrowed(place, call, call.last)
                yield from _by_argument(place, call, call.last, rows)
                yield from _widened(place, call.last)
        for node in ast.walk(place.node):
            if isinstance(node, ast.comprehension):
                yield from _conditions(place, node)


def _pairs(node: ast.Dict) -> Iterator[tuple[str, ast.expr]]:
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, value


def _narrowed(place: Place, call: DbCall, match: ast.Dict) -> Iterator[Edit]:
    """With a field more, as another look-up in the same table has it."""
    own, found = keys_of(match), dict[str, tuple[str, float]]()
    for outline, _ in donors(place.source):
        for _, node in outline.calls.get("db.find", ()):
            other = db_call(node)
            if other is None or other.table != call.table or node is call.node:
                continue
            if not isinstance(other.last, ast.Dict):
                continue
            trust = 0.55 if own and own < keys_of(other.last) else 0.2
            for field, value in _pairs(other.last):
                usable = loaded(value) <= place.names
                if field not in own and usable and trust > found.get(field, ("", 0.0))[1]:
                    found[field] = f'"{field}": {outline.code(value)}', trust
    for field, (pair, trust) in sorted(found.items(), key=lambda f: (-f[1][1], f[0]))[:MOST]:
        words = Words(
            f"Look in `{place.name}` only for {call.table} with {pair}",
            trust,
            f"other look-ups of {call.table} have {field}",
        )
        yield from place.replaced(match, _with(place, match, pair), words)


def _with(place: Place, match: ast.Dict, pair: str) -> str:
    code = place.outline.code(match).rstrip()
    inner = code[1:-1].rstrip().rstrip(",")
    return f"{{{inner}, {pair}}}" if inner.strip() else f"{{{pair}}}"


def _by_argument(place: Place, call: DbCall, match: ast.Dict, rows: Rows) -> Iterator[Edit]:
    """With an argument that is taken and never read."""
    for name in [each for each in place.unused if each in place.parameters][:3]:
        fields = rows.fields(call.table) - keys_of(match)
        for field in [f for f in sorted(fields) if f == name or f.endswith(f"_{name}")][:2]:
            authority = f"`{place.name}` takes {name} and never reads it"
            pair = f'"{field}": {name}'
            words = Words(f"Look in `{place.name}` for {field} too", 0.7, authority)
            yield from place.replaced(match, _with(place, match, pair), words)
            around = place.outline.around(call.node)
            if isinstance(around, ast.Assign) and isinstance(around.targets[0], ast.Name):
                rows_name = around.targets[0].id
                code = (
                    f"if {name}:\n    {rows_name} = "
                    f'[each for each in {rows_name} if each["{field}"] == {name}]'
                )
                yield from place.inserted(around, code, words, after=True)


def _widened(place: Place, match: ast.Dict) -> Iterator[Edit]:
    for at in range(len(match.keys)) if len(match.keys) > 1 else ():
        rest = [n for n in range(len(match.keys)) if n != at]
        code = ", ".join(
            f"**{place.outline.code(match.values[n])}"
            if (key := match.keys[n]) is None
            else f"{place.outline.code(key)}: {place.outline.code(match.values[n])}"
            for n in rest
        )
        words = Words(f"Do not look for {said(match.keys[at])} in `{place.name}`", 0.08)
        yield from place.replaced(match, f"{{{code}}}", words)


# Comprehensions


def _conditions(place: Place, node: ast.comprehension) -> Iterator[Edit]:
    """With a condition that another comprehension over the same has, or without one."""
    target = sorted(bound_in(node.target))
    source = said(node.iter)
    own = {said(each) for each in node.ifs}
    found: dict[str, str] = {}
    for outline, _ in donors(place.source):
        for function, other in outline.comprehensions.get(source, ()):
            if isinstance(node.iter, ast.Name) and likeness(place.node, function) < ALIKE:
                continue
            theirs = sorted(bound_in(other.target))
            for each in other.ifs if len(theirs) == len(target) else ():
                code = renamed(said(each), dict(zip(theirs, target, strict=True)))
                if (
                    code
                    and code not in own
                    and loaded(ast.parse(code)) - set(target) <= place.names
                ):
                    found.setdefault(code, "")
    for code in sorted(found)[:MOST]:
        words = Words(
            f"Take in `{place.name}` only those with “{code[:80]}”",
            0.4,
            f"others go through “{source[:60]}” so",
        )
        if node.ifs:
            last = node.ifs[-1]
            text = f"{_closed(last, place)} and {code}"
            yield from place.replaced(last, text, words)
        else:
            yield from place.replaced(
                node.iter, f"{place.outline.code(node.iter)} if {code}", words
            )
    if len(node.ifs) == 1:
        yield from _parts_left_out(place, node.ifs[0])


def _closed(node: ast.expr, place: Place) -> str:
    code = place.outline.code(node)
    return f"({code})" if isinstance(node, (ast.BoolOp, ast.IfExp)) else code


def _parts_left_out(place: Place, test: ast.expr) -> Iterator[Edit]:
    if isinstance(test, ast.BoolOp):
        for part in test.values[:4]:
            rest = [place.outline.code(v) for v in test.values if v is not part]
            joined = (" and " if isinstance(test.op, ast.And) else " or ").join(rest)
            words = Words(f"Leave “{said(part)[:60]}” out in `{place.name}`", 0.1)
            yield from place.replaced(test, joined, words)
    else:
        words = Words(f"Take all in `{place.name}`, without “{said(test)[:60]}”", 0.06)
        yield from place.replaced(test, "True", words)
