"""What a tool gives back: under other keys than are read of it, as one where it says many, or not at all."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.outline import bound_in, called, said
from triage.proposers.sourceedits.place import Place, Words, places
from triage.proposers.sourceedits.rows import keys_of
from triage.proposers.sourceedits.sourcecode import SourceCode

TELLING = (ast.Subscript, ast.Call, ast.ListComp, ast.IfExp)
"""Values that say what they are, whatever the variables around are called."""
LOOSE = 0.4
"""From how like a name on it may stand for another."""
WORD = re.compile(r"[A-Za-z_]\w*")


def results(source: SourceCode) -> Iterator[Edit]:
    """Keys as plans read them and as siblings give them, results as the hint says, and what is not given at all."""
    wanted = {key for paths in source.read.values() for path in paths for key in WORD.findall(path)}
    said_of: dict[str, Counter[str]] | None = None
    for place in places(source):
        said_of = _elsewhere(place) if said_of is None else said_of
        for node in ast.walk(place.node):
            if isinstance(node, ast.Dict) and _is_told(place, node):
                yield from _keys_as_read(place, node, wanted)
                yield from _keys_as_read_of_it(place, node)
                yield from _keys_as_siblings(place, node, said_of)
        yield from _as_hinted(place)
        yield from _given_at_all(place)


def _is_told(place: Place, node: ast.Dict) -> bool:
    """Whether a dict is what is told, and not what is looked for or written."""
    around: ast.AST | None = node
    while around is not None and not isinstance(around, ast.stmt):
        if called(around).startswith("db."):
            return False
        around = place.outline.parents.get(around)
    return bool(keys_of(node))


# Keys


def _keys_as_read(place: Place, node: ast.Dict, wanted: set[str]) -> Iterator[Edit]:
    """A key that no plan reads under the name of one that plans read and nothing gives."""
    everywhere = {
        k.value
        for k in ast.walk(place.outline.tree)
        if isinstance(k, ast.Constant) and isinstance(k.value, str)
    }
    everywhere |= {name for n in place.source.domain.tables.values() for name in _fields(n)}
    missing = sorted(wanted - everywhere)
    for new in missing[:6]:
        for key in node.keys:
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                continue
            alike = SequenceMatcher(None, key.value, new, autojunk=False).ratio()
            if key.value not in wanted and alike > LOOSE:
                words = Words(
                    f"Call what `{place.name}` gives {new}, not {key.value}",
                    min(0.4 + alike / 2, 0.9),
                    f"plans read {new}",
                )
                yield from place.replaced(key, f'"{new}"', words)


def _keys_as_read_of_it(place: Place, node: ast.Dict) -> Iterator[Edit]:
    """A key that no plan reads of this tool, or of one that it helps, under the name of one that plans do read of it:
    `room_id` for `id`."""
    helped = {caller.name for caller, _ in place.outline.calls.get(place.name, ())}
    read = place.source.read
    paths = {path for name in (place.name, *helped) for path in read.get(name, ())}
    wanted = {key for path in paths for key in WORD.findall(path)}
    dicts = [each for each in ast.walk(place.node) if isinstance(each, ast.Dict)]
    given = set().union(*map(keys_of, dicts))
    for key in node.keys:
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            continue
        for new in sorted(wanted - given) if key.value not in wanted else ():
            if (fit := _fit(key.value, new)) > LOOSE:
                says = f"Call what `{place.name}` gives {new}, not {key.value}"
                words = Words(says, 0.9 * fit, f"plans read {new} of it")
                yield from place.replaced(key, f'"{new}"', words)
                yield from _everywhere(place, key.value, new, words)


def _everywhere(place: Place, old: str, new: str, words: Words) -> Iterator[Edit]:
    """The same where the function itself reads what it gives, too."""
    named = [
        each
        for each in ast.walk(place.node)
        if isinstance(each, ast.Constant)
        and each.value == old
        and not place.outline.is_in_text(each)
    ]
    if len(named) > 1:
        lines = place.source.text.split("\n")
        for each in sorted(named, key=lambda n: (n.lineno, n.col_offset), reverse=True):
            line, end = lines[each.lineno - 1].encode(), each.end_col_offset or 0
            lines[each.lineno - 1] = (
                f'{line[: each.col_offset].decode()}"{new}"{line[end:].decode()}'
            )
        yield place.whole("\n".join(lines), words)


def _fit(one: str, other: str) -> float:
    """How well one name stands for another, in [0, 1]: as its end or its beginning nearly surely."""
    a, b = one.lower(), other.lower()
    whole = any(x.startswith(f"{y}_") or x.endswith(f"_{y}") for x, y in ((a, b), (b, a)))
    return 0.9 if whole else SequenceMatcher(None, a, b, autojunk=False).ratio()


def _fields(table: object) -> set[str]:
    properties = getattr(table, "schema_", {}).get("properties")
    return set(properties) if isinstance(properties, dict) else set()


def _elsewhere(place: Place) -> dict[str, Counter[str]]:
    """Value, as plain Python → the keys under which other functions tell it."""
    found: dict[str, Counter[str]] = {}
    for function in place.outline.functions.values():
        for node in ast.walk(function):
            if isinstance(node, ast.Dict) and not _is_row(place, node):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(value, TELLING):
                        found.setdefault(said(value), Counter())[str(key.value)] += 1
    return found


def _keys_as_siblings(
    place: Place, node: ast.Dict, elsewhere: dict[str, Counter[str]]
) -> Iterator[Edit]:
    own = keys_of(node)
    if _is_row(place, node):
        return
    for key, value in zip(node.keys, node.values, strict=True):
        votes = Counter(elsewhere.get(said(value), {}))
        if not isinstance(key, ast.Constant) or not votes:
            continue
        votes[str(key.value)] -= 1
        if votes[str(key.value)] > 0 or len(votes) != 2:
            continue
        new, count = min(votes.items(), key=lambda v: (-v[1], v[0]))
        if new not in own and new.isidentifier():
            words = Words(
                f"Call what `{place.name}` gives {new}, not {key.value!s}",
                0.4 if count > 1 else 0.25,
                f"others tell “{said(value)[:60]}” as {new}",
            )
            yield from place.replaced(key, f'"{new}"', words)


def _is_row(place: Place, node: ast.Dict) -> bool:
    """Whether a dict is a row, or part of one, as its table has it."""
    keys = keys_of(node)
    tables = place.source.domain.tables.values()
    return any(keys <= {each.key, *_fields(each)} for each in tables)


# One or many


def _as_hinted(place: Place) -> Iterator[Edit]:
    hint = said(place.node.returns)
    for statement in place.statements:
        value = statement.value if isinstance(statement, ast.Return) else None
        if value is None:
            continue
        code, why = place.outline.code(value), f"it says that it gives {hint}"
        is_list = isinstance(value, (ast.List, ast.ListComp)) or called(value) in ("sorted", "list")
        if hint.startswith("list") and isinstance(value, ast.Dict):
            if len(value.values) == 1:
                inner = place.outline.code(value.values[0])
                words = Words(f"Give the list itself in `{place.name}`", 0.7, why)
                yield from place.replaced(value, inner, words)
            words = Words(f"Give a list in `{place.name}`", 0.5, why)
            yield from place.replaced(value, f"[{code}]", words)
        if hint.startswith("dict") and is_list:
            words = Words(f"Give one, not a list, in `{place.name}`", 0.5, why)
            if isinstance(value, ast.List) and len(value.elts) == 1:
                code = place.outline.code(value.elts[0])
                yield from place.replaced(value, code, words)
            else:
                yield from place.replaced(value, f"{code}[0]", words)
        if (
            hint.startswith("list")
            and isinstance(value, ast.Subscript)
            and said(value.slice) == "0"
        ):
            words = Words(f"Give all in `{place.name}`, not the first alone", 0.7, why)
            yield from place.replaced(value, place.outline.code(value.value), words)


# Nothing


def _given_at_all(place: Place) -> Iterator[Edit]:
    """A return for a function that says that it gives something, and ends without."""
    hint, body = said(place.node.returns), place.node.body
    last = body[-1]
    if hint in ("", "None") or isinstance(last, (ast.Raise, ast.If, ast.While, ast.Try, ast.With)):
        return
    why = f"`{place.name}` says that it gives {hint}"
    words = Words(f"Give what `{place.name}` made", 0.9, why)
    if isinstance(last, ast.Expr):
        yield from place.rewritten(last, f"return {place.outline.code(last)}", words)
    if isinstance(last, ast.Return) and last.value is not None:
        return
    for name in [n for s in reversed(body) for n in sorted(bound_in(s))][:4]:
        if isinstance(last, ast.Return):
            yield from place.rewritten(last, f"return {name}", words)
        else:
            low = Words(words.says, 0.7 if name in bound_in(last) else 0.5, why)
            yield from place.inserted(last, f"return {name}", low, after=True)
