"""Calls that a function should make and does not: what its siblings call, with what it has in hand and never uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.likeness import likeness
from triage.proposers.sourceedits.outline import bound_in, called, loaded, parameters, said
from triage.proposers.sourceedits.place import Place, Words, places
from triage.proposers.sourceedits.sourcecode import SourceCode

MOST = 5
MOST_CALLS = 20


def missing_calls(source: SourceCode) -> Iterator[Edit]:
    """Calls of helpers that write, where a `pass` stands, after what nobody uses, and before the end."""
    for place in places(source):
        if not _wants(place):
            continue
        offered = _offered(place)
        for statement in place.statements:
            if isinstance(statement, ast.Pass):
                yield from _instead_of_pass(place, statement, offered)
        yield from _with_unused(place, offered)
        yield from _as_siblings(place, offered)


def _wants(place: Place) -> bool:
    """Whether a function is worth the search: something in it has no use, or it is the chief suspect."""
    weight = place.source.focus.get(place.name, 0.0)
    idle = any(isinstance(each, ast.Pass) for each in place.statements)
    return bool(idle or place.unused or weight >= max(place.source.focus.values()))


def _offered(place: Place) -> dict[str, tuple[float, str]]:
    """Calls of writing helpers with names that a function has, each with how likely it is there, and who makes it."""
    own = {said(node) for node in ast.walk(place.node) if isinstance(node, ast.Call)}
    alike = {f: likeness(place.node, n) for f, n in place.outline.functions.items()}
    found: dict[str, tuple[float, str]] = {}
    for name in sorted(place.outline.writers & set(place.outline.functions)):
        helper = place.outline.functions[name]
        if name == place.name or name[0] != "_":
            continue
        for caller, node in place.outline.calls.get(name, ())[:MOST_CALLS]:
            for code in _variants(place, helper, node):
                if code not in own and caller.name != place.name:
                    like = alike[caller.name]
                    if like >= found.get(code, (-1.0, ""))[0]:
                        found[code] = like, caller.name
        if name not in place.outline.calls:
            code = _by_names(place, helper)
            if code:
                found[code] = 1.0, ""
    return found


def _variants(place: Place, helper: ast.FunctionDef, node: ast.Call) -> Iterator[str]:
    """A call as it stands elsewhere, and with arguments under the names of the helper's parameters."""
    if loaded(node) <= place.names:
        yield said(node)
    given = []
    for parameter, value in zip(parameters(helper), node.args, strict=False):
        if parameter in place.own:
            given.append(parameter)
        elif not loaded(value) - place.names:
            given.append(said(value))
        else:
            return
    if len(given) == len(node.args):
        yield f"{helper.name}({', '.join(given)})"


def _by_names(place: Place, helper: ast.FunctionDef) -> str:
    names = parameters(helper)
    return f"{helper.name}({', '.join(names)})" if names and set(names) <= place.own else ""


def _words(place: Place, code: str, likelihood: float, who: str, why: str = "") -> Words:
    authority = why or (f"`{who}` does so" if who else f"nothing else calls “{code[:60]}”")
    return Words(f"Call “{code[:80]}” in `{place.name}`", likelihood, authority)


def _ranked(offered: dict[str, tuple[float, str]]) -> list[tuple[str, float, str]]:
    found = [(code, like, who) for code, (like, who) in offered.items()]
    return sorted(found, key=lambda f: (-f[1], f[0]))[: 4 * MOST]


def _instead_of_pass(
    place: Place, statement: ast.Pass, offered: dict[str, tuple[float, str]]
) -> Iterator[Edit]:
    around = place.outline.parents.get(statement)
    asked = loaded(around.test) if isinstance(around, ast.If) else set()
    if isinstance(around, ast.For):
        asked = bound_in(around.target)
    for code, like, who in _ranked(offered):
        names = loaded(ast.parse(code))
        if names - place.outline.names <= place.before(statement):
            likelihood = 0.75 if asked and asked & names else 0.3
            words = _words(place, code, likelihood * (0.7 + 0.3 * like), who)
            yield from place.rewritten(statement, code, words)


def _with_unused(place: Place, offered: dict[str, tuple[float, str]]) -> Iterator[Edit]:
    """After what gives a value that nobody uses, the call that would."""
    for name in place.unused[:4]:
        giver = next((s for s in place.statements if name in bound_in(s)), None)
        if giver is None or isinstance(giver, (ast.For, ast.If, ast.While, ast.Try, ast.With)):
            continue
        why = f"`{name}` is worked out and used by nobody"
        kind = _kind(place, giver.value) if isinstance(giver, ast.Assign) else ""
        whole = [code for code, _, _ in _ranked(offered) if name in loaded(ast.parse(code))]
        for code in islice(dict.fromkeys([*whole, *_taking(place, name, kind)]), 3 * MOST):
            names = loaded(ast.parse(code))
            if names <= place.before(giver) | bound_in(giver):
                words = _words(place, code, 0.7, "", why)
                yield from place.inserted(giver, code, words, after=True)


def _taking(place: Place, name: str, kind: str) -> list[str]:
    """Calls of writing helpers with a value in the place that another of its kind has elsewhere: first where that one
    alone is not at hand here, then where functions much alike call so."""
    found: list[tuple[bool, float, str]] = []
    for function in sorted(place.outline.writers & set(place.outline.functions)):
        hints = _hints(place, function)
        for caller, node in place.outline.calls.get(function, ())[:MOST_CALLS]:
            for at, value in enumerate(node.args):
                hint = hints[at] if at < len(hints) else ""
                others = [said(each) for each in node.args]
                others[at] = name
                rest = set().union(*(loaded(v) for v in node.args if v is not value))
                fits = kind == hint or not (kind and hint)
                if fits and rest <= place.names and not isinstance(value, ast.Constant):
                    is_at_hand = loaded(value) <= place.names
                    like = -likeness(place.node, caller)
                    found.append((is_at_hand, like, f"{function}({', '.join(others)})"))
                    found += [
                        (is_at_hand, like, code) for code in _of_another(place, function, others)
                    ]
    return [code for _, _, code in sorted(found, key=lambda each: each[:2])]


def _of_another(place: Place, function: str, given: list[str]) -> Iterator[str]:
    """The call with a parameter that it does not name yet instead of one that it does."""
    hints = _hints(place, place.name)
    taken = dict(zip(place.parameters, hints, strict=False))
    for new, hint in taken.items():
        for at, old in enumerate(given):
            if new not in given and taken.get(old) == hint:
                yield f"{function}({', '.join([*given[:at], new, *given[at + 1 :]])})"


def _hints(place: Place, function: str) -> list[str]:
    """How a function of the module annotates what it takes."""
    node = place.outline.functions.get(function)
    return [said(each.annotation) for each in node.args.args] if node is not None else []


def _kind(place: Place, value: ast.expr) -> str:
    """The annotation that a value would have; empty where nothing tells."""
    if isinstance(value, ast.JoinedStr):
        return "str"
    if isinstance(value, ast.Constant):
        return type(value.value).__name__
    node = place.outline.functions.get(called(value))
    return said(node.returns) if node is not None else ""


def _as_siblings(place: Place, offered: dict[str, tuple[float, str]]) -> Iterator[Edit]:
    """Before the end, what functions much alike call."""
    last = place.node.body[-1]
    for code, like, who in _ranked(offered)[:MOST]:
        if loaded(ast.parse(code)) <= place.before(last) and like > 0.2:
            words = _words(place, code, min(0.1 + 0.4 * like, 0.5), who)
            is_end = isinstance(last, (ast.Return, ast.Raise))
            yield from place.inserted(last, code, words, after=not is_end)
