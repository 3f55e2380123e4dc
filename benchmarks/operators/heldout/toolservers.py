"""Faults of tool servers in what they look up, work out and show."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from benchmarks.faults.mutation import Original, Site, fault, places
from benchmarks.operators.heldout.pysource import Edit, Spot, spots, sql_of
from benchmarks.operators.heldout.rows import properties, status_words


@fault("randomness", "toolserver", "An order, a choice or a key is drawn by chance.")
def randomness(original: Original) -> Iterator[Site]:
    for spot in spots(original):
        for node in spot.nodes():
            if isinstance(node, ast.Call):
                yield from _by_chance(spot, node)
            elif isinstance(node, ast.expr) and (said := _sql(spot, node)):
                order = re.search(r"ORDER BY [^\")]*", said)
                if order and "{" not in order[0]:
                    new = said.replace(order[0], "ORDER BY random() ", 1)
                    yield spot.site(node, "random()", spot.module.put(node, new))


def _by_chance(spot: Spot, call: ast.Call) -> Iterator[Site]:
    function = ast.unparse(call.func)
    if function == "sorted":
        text = f"sorted({ast.unparse(call.args[0])}, key=lambda _: random.random())"
    elif function == "db.next_id" and isinstance(call.args[-1], ast.Constant):
        text = f"f'{call.args[-1].value!s}{{random.randint(1000, 9999)}}'"
    else:
        return
    edits = [spot.module.put(call, text), _imported(spot)]
    yield spot.site(call, function, *edits)


def _imported(spot: Spot) -> Edit:
    """`import random` before the first import."""
    imports = [n for n in spot.module.tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    first = next(n for n in imports if getattr(n, "module", "") != "__future__")
    return spot.module.before(first, "import random")


def _sql(spot: Spot, node: ast.expr) -> str:
    """The SQL of a text as it is written, or a condition that SQL is made of."""
    is_sql = re.search(r"\b(SELECT|WHERE|AND)\b|\ba\.\w+ = \?", sql_of(node))
    return spot.module.said(node) if is_sql or isinstance(node, ast.JoinedStr) else ""


@fault(
    "result-reshaped",
    "toolserver",
    "A result has another form: a key renamed, a list or row wrapped.",
)
def result_reshaped(original: Original) -> Iterator[Site]:
    wanted = shown_names(original)
    for spot in spots(original):
        if spot.is_tool:
            yield from _wrapped(spot)
        for node in spot.nodes():
            if isinstance(node, ast.Dict) and not _is_row(original, node):
                for key in node.keys:
                    if isinstance(key, ast.Constant) and key.value in wanted:
                        edit = spot.module.put(key, repr(renamed(key.value)))
                        yield spot.site(key, f"{key.value} renamed", edit)
            elif isinstance(node, ast.expr) and (said := _sql(spot, node)):
                for name in re.findall(r"AS (\w+)", said):
                    if name in wanted:
                        new = said.replace(f"AS {name}", f"AS {renamed(name)}")
                        yield spot.site(node, f"{name} renamed", spot.module.put(node, new))


def _wrapped(spot: Spot) -> Iterator[Site]:
    for node in spot.nodes():
        if isinstance(node, ast.Return) and node.value is not None:
            said = spot.module.said(node.value)
            is_list = isinstance(node.value, ast.ListComp) or "list" in spot.name
            text = f"{{'items': {said}}}" if is_list else f"[{said}]"
            yield spot.site(node, "wrapped", spot.module.put(node.value, text))


def _is_row(original: Original, node: ast.Dict) -> bool:
    """Whether a dict is (part of) a row of some table: to be looked up or saved, not shown."""
    keys = {key.value if isinstance(key, ast.Constant) else "" for key in node.keys if key}
    return any(keys <= set(properties(original, table)) for table in original.domain["tables"])


def shown_names(original: Original) -> set[str]:
    """The keys of results that plans read."""
    said = [
        str(value)
        for intent in original.intents.values()
        for value in _leaves(intent.get("plans", {}))
    ]
    paths = [path for text in said for path in re.findall(r"\{(\w+[.\[][^}]*)\}", text)]
    return {name for path in paths for name in re.findall(r"\.(\w+)", path)}


def _leaves(document: dict[str, object]) -> Iterator[object]:
    for place in places(document):
        value: object = document
        for step in place:
            value = value[step]  # type: ignore[index]
        yield value


def renamed(name: str) -> str:
    """The name as another author would write it."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest)) if rest else f"{name}_value"


@fault("wrong-constant", "toolserver", "A limit, a rate or a status word is another one.")
def wrong_constant(original: Original) -> Iterator[Site]:
    states = status_words(original)
    for spot in spots(original):
        keys = spot.names_of_fields()
        for node in spot.nodes():
            if isinstance(node, ast.Constant) and id(node) not in keys:
                value = node.value
                if isinstance(value, int | float) and not isinstance(value, bool) and value >= 2:
                    edit = spot.module.put(node, repr(_other_number(value)))
                    yield spot.site(node, repr(value), edit)
                elif value in states and isinstance(value, str):
                    yield spot.site(node, value, spot.module.put(node, repr(states[value][0])))
            if isinstance(node, ast.expr) and (said := _sql(spot, node)):
                yield from _other_words(spot, node, said, states)


def _other_number(value: float) -> float:
    return value * 2 if isinstance(value, int) and value < 10 else value + type(value)(value / 10)


def _other_words(
    spot: Spot, node: ast.expr, said: str, states: Mapping[str, list[str]]
) -> Iterator[Site]:
    for match in re.finditer(r"(?<== )'(\w+)'|(?<=<> )'(\w+)'|(?<=, )'(\w+)'", said):
        word = match[0].strip("'")
        if word in states:
            new = f"{said[: match.start()]}'{states[word][0]}'{said[match.end() :]}"
            yield spot.site(node, f"{word} at {match.start()}", spot.module.put(node, new))


@fault("filter-lost", "toolserver", "A lookup has lost a condition, so that more rows come back.")
def filter_lost(original: Original) -> Iterator[Site]:
    for spot in spots(original):
        for node in spot.nodes():
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "db.find":
                yield from _without_field(spot, node.args[1])
            elif isinstance(node, ast.comprehension):
                yield from _without_test(spot, node)
            elif isinstance(node, ast.expr) and (said := _sql(spot, node)):
                yield from _without_words(spot, node, said)


def _without_field(spot: Spot, match: ast.expr) -> Iterator[Site]:
    keys = match.keys if isinstance(match, ast.Dict) else []
    for index, key in enumerate(keys):
        if isinstance(match, ast.Dict) and isinstance(key, ast.Constant) and len(keys) > 1:
            kept = [i for i in range(len(keys)) if i != index]
            less = ast.Dict([keys[i] for i in kept], [match.values[i] for i in kept])
            edit = spot.module.put(match, ast.unparse(less))
            yield spot.site(key, f"without {key.value!s}", edit)


def _without_test(spot: Spot, loop: ast.comprehension) -> Iterator[Site]:
    for test in loop.ifs:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for part in test.values:
                rest = [each for each in test.values if each is not part]
                text = " and ".join(f"({ast.unparse(each)})" for each in rest)
                yield spot.site(part, "gone", spot.module.put(test, text))
        else:
            start, end = spot.module.span(loop.iter)[1], spot.module.span(test)[1]
            written = spot.module.data[start:end].decode()
            alone = re.fullmatch(r"\s+if\s+", written)
            edit = (
                (start, end, "") if alone and len(loop.ifs) == 1 else spot.module.put(test, "True")
            )
            yield spot.site(test, "gone", edit)


def _without_words(spot: Spot, node: ast.expr, said: str) -> Iterator[Site]:
    """Conditions of SQL without an argument counted by place."""
    for match in re.finditer(r"(?:AND )([\w.]+ (?:=|<>|<|>|<=|>=) (?:'\w+'|:\w+|[a-z]\S*))", said):
        new = f"{said[: match.start()]}{said[match.end() :]}"
        yield spot.site(node, f"without {match[1]}", spot.module.put(node, new))
