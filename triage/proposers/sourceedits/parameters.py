"""What a tool takes: names, defaults and hints that plans, docstrings and sibling tools say otherwise."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.outline import said
from triage.proposers.sourceedits.place import Place, Words, places
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.domain import Domain

TOLD = re.compile(r"^[ \t]+\*{0,2}(\w+)(?: \([^)]*\))?:[ \t]*(.+)$", re.MULTILINE)
"""A parameter in a docstring, with what is said of it."""
LEFT_OUT = re.compile(r"left out|optional|if any|none when|by default|when empty", re.IGNORECASE)


def parameters(source: SourceCode) -> Iterator[Edit]:
    """Parameters under the names, with the defaults and of the kinds that others give them."""
    tools: dict[str, ast.FunctionDef] = {}
    for place in places(source):
        tools = tools or {n: f for n, f in place.outline.functions.items() if n[0] != "_"}
        if place.name in tools:
            yield from _by_plans(place)
            yield from _by_words(place, tools)
            yield from _by_spelling(place, tools)
            yield from _defaults(place, tools)
            yield from _hints(place, tools)


# Names


def _by_plans(place: Place) -> Iterator[Edit]:
    given = place.source.given.get(place.name, frozenset())
    taken = place.parameters
    strange = sorted(given - set(taken))
    left = [name for name in taken if name not in given]
    for new in strange[:4]:
        for old in sorted(left, key=lambda each: -_alike(each, new))[:3]:
            likelihood = 0.95 if len(left) == 1 or _alike(old, new) > 0.8 else 0.4
            authority = f"plans call {place.name} with {new}"
            yield from _renamed(place, old, new, likelihood, authority)


def _alike(one: str, other: str) -> float:
    a, b = (re.sub(r"[^a-z0-9]", "", each.lower()) for each in (one, other))
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _by_words(place: Place, tools: Mapping[str, ast.FunctionDef]) -> Iterator[Edit]:
    """Names that other tools give to what is described in the same words, and that the docstring gives."""
    elsewhere: dict[str, Counter[str]] = {}
    for name, node in tools.items():
        for parameter, words in told(node).items() if name != place.name else ():
            elsewhere.setdefault(words, Counter())[parameter] += 1
    own = told(place.node)
    for old in [name for name in place.parameters if name in own]:
        votes = elsewhere.get(own[old], Counter())
        if votes and old not in votes:
            new, count = min(votes.items(), key=lambda v: (-v[1], v[0]))
            authority = f"other tools call it {new}: “{own[old][:80]}”"
            yield from _renamed(place, old, new, 0.85 if count > 1 else 0.6, authority)
    undescribed = [name for name in place.parameters if name not in own]
    strange = [name for name in own if name not in place.parameters]
    if own and len(undescribed) == 1 and len(strange) == 1:
        authority = f"its docstring calls it {strange[0]}: “{own[strange[0]][:80]}”"
        yield from _renamed(place, undescribed[0], strange[0], 0.9, authority)


def told(function: ast.FunctionDef) -> dict[str, str]:
    """What a docstring says of each parameter."""
    return dict(TOLD.findall(ast.get_docstring(function, clean=False) or ""))


def _by_spelling(place: Place, tools: Mapping[str, ast.FunctionDef]) -> Iterator[Edit]:
    """`meetingId` where others are spelled `meeting_id`."""
    everywhere = {a.arg for n, f in tools.items() if n != place.name for a in f.args.args}
    for old in place.parameters:
        new = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", old).lower()
        if new != old:
            authority = f"other tools take {new}" if new in everywhere else ""
            yield from _renamed(place, old, new, 0.85 if authority else 0.5, authority)
        for alike in sorted(everywhere - {old}):
            close = new == old and old not in everywhere and _alike(alike, old) > 0.75
            if close and old not in place.source.given.get(place.name, ()):
                yield from _renamed(place, old, alike, 0.4, f"other tools take {alike}")


def _renamed(place: Place, old: str, new: str, likelihood: float, authority: str) -> Iterator[Edit]:
    """With another name for a parameter, wherever the function, its docstring or a caller says it."""
    if new in place.own or not new.isidentifier():
        return
    first, last = place.node.lineno, place.node.end_lineno or place.node.lineno
    lines = place.source.text.split("\n")
    inside = "\n".join(lines[first - 1 : last])
    name = re.compile(rf"(?<![\w.\"']){re.escape(old)}(?![\w\"'])")
    docstring = place.node.body[0] if ast.get_docstring(place.node) else None
    start, end = (docstring.lineno, docstring.end_lineno or 0) if docstring else (0, 0)
    for number in range(first, last + 1):
        line = lines[number - 1]
        if start <= number <= end:
            line = re.sub(rf"^(\s+){re.escape(old)}:", rf"\g<1>{new}:", line)
        else:
            line = name.sub(new, line)
        lines[number - 1] = line
    if old in inside:
        callers = re.compile(rf"(\b{re.escape(place.name)}\([^()]*?)\b{re.escape(old)}=")
        text = callers.sub(rf"\g<1>{new}=", "\n".join(lines))
        says = f"Call the argument {old} of `{place.name}` {new}"
        yield place.whole(text, Words(says, likelihood, authority))


# Defaults


def _defaults(place: Place, tools: Mapping[str, ast.FunctionDef]) -> Iterator[Edit]:
    """A default for what may be left out, and for all that comes after it."""
    arguments, given = place.node.args.args, place.node.args.defaults
    bare = arguments[: len(arguments) - len(given)]
    if not bare:
        return
    last, words = bare[-1], told(place.node).get(bare[-1].arg, "")
    plans = place.source.given.get(place.name)
    if plans is not None and last.arg in plans and not LEFT_OUT.search(words):
        return
    needless = plans is not None
    elsewhere = _default_elsewhere(last.arg, tools)
    if LEFT_OUT.search(words) or elsewhere or needless:
        code = elsewhere or _empty(said(last.annotation))
        likelihood = 0.8 if LEFT_OUT.search(words) else 0.45 if elsewhere else 0.3
        authority = f"{last.arg}: {words[:80]}" if LEFT_OUT.search(words) else ""
        says = f"Let {last.arg} of `{place.name}` be left out"
        if last.annotation is not None and code:
            annotation = place.outline.code(last.annotation)
            text = place.outline.replaced(last.annotation, f"{annotation} = {code}")
            yield place.whole(text, Words(says, likelihood, authority))


def _default_elsewhere(name: str, tools: Mapping[str, ast.FunctionDef]) -> str:
    for node in tools.values():
        pairs = zip(node.args.args[::-1], node.args.defaults[::-1], strict=False)
        for argument, default in pairs:
            if argument.arg == name:
                return said(default)
    return ""


def _empty(hint: str) -> str:
    if "None" in hint:
        return "None"
    plain = {"str": '""', "int": "0", "float": "0.0", "bool": "False"}
    return plain.get(hint, "")


# Hints


def _hints(place: Place, tools: Mapping[str, ast.FunctionDef]) -> Iterator[Edit]:
    """The hint that other tools give to the same name, and the values that the schema allows."""
    for argument in place.node.args.args:
        if argument.annotation is None:
            continue
        mine = said(argument.annotation)
        others = Counter(
            said(a.annotation)
            for n, f in tools.items()
            for a in f.args.args
            if n != place.name and a.arg == argument.arg and a.annotation is not None
        )
        says = f"Take {argument.arg} of `{place.name}` as other tools do"
        for hint, count in sorted(others.items(), key=lambda o: (-o[1], o[0]))[:2]:
            if hint != mine:
                likelihood = 0.5 if count > 1 and mine not in others else 0.25
                text = place.outline.replaced(argument.annotation, hint)
                yield place.whole(text, Words(says, likelihood, f"{count} other tools take {hint}"))
        yield from _allowed(place, argument)


def _allowed(place: Place, argument: ast.arg) -> Iterator[Edit]:
    """A Literal with a value more that the schema has for a field of the same name."""
    hint = argument.annotation
    if not isinstance(hint, ast.Subscript) or said(hint.value) != "Literal":
        return
    nodes = hint.slice.elts if isinstance(hint.slice, ast.Tuple) else [hint.slice]
    values = [each.value for each in nodes if isinstance(each, ast.Constant)]
    for allowed in _enums(place.source.domain, argument.arg, {v for v in values if v}):
        missing = [each for each in allowed if each not in values]
        if missing:
            code = (
                "Literal[" + ", ".join(repr(v) for v in [*values, *missing]).replace("'", '"') + "]"
            )
            says = f"Let {argument.arg} of `{place.name}` be {', '.join(map(str, missing))} too"
            authority = f"the schema has {', '.join(map(str, allowed))}"
            text = place.outline.replaced(hint, code)
            yield place.whole(text, Words(says, 0.4, authority))


def _enums(domain: Domain, name: str, values: set[object]) -> Iterator[list[str]]:
    """The values that fields of a name are allowed, where most of those that are taken are among them."""
    seen: list[list[str]] = []
    for table in domain.tables.values():
        properties = table.schema_.get("properties")
        for field, schema in properties.items() if isinstance(properties, dict) else ():
            allowed = schema.get("enum") if isinstance(schema, dict) else None
            if not isinstance(allowed, list) or not all(isinstance(v, str) for v in allowed):
                continue
            most = len(values & set(allowed)) * 2 > len(values)
            if most and allowed not in seen and (field == name or values <= set(allowed)):
                seen.append(allowed)
                yield allowed
