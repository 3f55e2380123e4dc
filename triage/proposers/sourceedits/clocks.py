"""What differs from run to run: the clock of the machine, dice, the order of a set."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.outline import called, said
from triage.proposers.sourceedits.place import Place, Words, places
from triage.proposers.sourceedits.rows import db_calls
from triage.proposers.sourceedits.sourcecode import SourceCode

SURE = 0.9
LIKELY = 0.5
NOW = {
    "datetime.now": "clock.now()",
    "datetime.utcnow": "clock.utc(clock.now())",
    "datetime.datetime.now": "clock.now()",
    "datetime.datetime.utcnow": "clock.utc(clock.now())",
    "date.today": "clock.today()",
    "datetime.date.today": "clock.today()",
    "datetime.today": "clock.now()",
    "time.time": "clock.now().timestamp()",
    "time": "clock.now().timestamp()",
}
ORDERED = frozenset({"sorted", "len", "sum", "min", "max", "any", "all", "set", "frozenset"})
"""Functions to which the order is all one."""


def clocks(source: SourceCode) -> Iterator[Edit]:
    """The clock that the records have, and orders and choices that are the same each time."""
    for place in places(source):
        for node in ast.walk(place.node):
            if isinstance(node, ast.Call):
                yield from _now(place, node)
                yield from _drawn(place, node)
            if isinstance(node, (ast.Set, ast.SetComp, ast.Call)):
                yield from _sorted(place, node)


def _dotted(node: ast.expr) -> str:
    return said(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""


def _now(place: Place, node: ast.Call) -> Iterator[Edit]:
    name = _dotted(node.func)
    if name not in NOW or (name == "time" and "time" in place.outline.functions):
        return
    zone = said(node.args[0]) if node.args else ""
    is_utc = zone.endswith(("utc", "UTC"))
    code = "clock.utc(clock.now())" if is_utc else NOW[name]
    words = Words(
        f"Ask `clock` for the time in `{place.name}`",
        SURE,
        "time comes from `clock`, not from the machine",
    )
    yield from place.replaced(node, code, words)
    if zone and not is_utc:
        yield from place.replaced(node, f"clock.local(clock.now(), {zone})", words)


def _drawn(place: Place, node: ast.Call) -> Iterator[Edit]:
    name = _dotted(node.func)
    if not name.startswith("random.") and name not in ("choice", "shuffle", "randint", "sample"):
        return
    what = name.removeprefix("random.")
    words = Words(f"Draw no lots in `{place.name}`", LIKELY, "the same calls must give the same")
    if what == "choice" and node.args:
        listed = place.outline.code(node.args[0])
        yield from place.replaced(node, f"{listed}[0]", words)
        yield from place.replaced(node, f"min({listed})", Words(words.says, 0.3, words.authority))
    if what == "sample" and len(node.args) > 1:
        first, many = map(place.outline.code, node.args[:2])
        yield from place.replaced(node, f"{first}[:{many}]", words)
    statement = place.outline.around(node)
    if what == "shuffle" and isinstance(statement, ast.Expr):
        yield from place.rewritten(statement, "", words)
    if what in ("randint", "randrange", "getrandbits", "random"):
        yield from _key(place, node)


def _key(place: Place, node: ast.AST) -> Iterator[Edit]:
    """A key that was drawn: the next one instead."""
    whole = node
    around = place.outline.parents.get(whole)
    while isinstance(around, (ast.JoinedStr, ast.FormattedValue, ast.BinOp)) or (
        isinstance(around, ast.Call) and called(around) == "str"
    ):
        whole, around = around, place.outline.parents.get(around)
    texts = [n.value for n in ast.walk(whole) if isinstance(n, ast.Constant)]
    prefix = next((t for t in texts if isinstance(t, str)), "")
    for call in [c for c in db_calls(place.node) if c.method in ("insert", "put") and c.table][:2]:
        code = f'db.next_id("{call.table}", "{prefix}")'
        words = Words(
            f"Take the new key in `{place.name}` from db", SURE, "the same calls must give the same"
        )
        if isinstance(whole, ast.expr):
            yield from place.replaced(whole, code, words)


def _sorted(place: Place, node: ast.expr) -> Iterator[Edit]:
    if isinstance(node, ast.Call) and called(node) not in ("set", "frozenset"):
        return
    around = place.outline.parents.get(node)
    listing = isinstance(around, ast.Call) and (
        called(around) in ("list", "tuple", "enumerate")
        or (isinstance(around.func, ast.Attribute) and around.func.attr == "join")
    )
    looping = isinstance(around, (ast.For, ast.comprehension)) and around.iter is node
    if listing or looping:
        words = Words(
            f"Sort what `{place.name}` goes through",
            0.6,
            "a set has no order that is the same each time",
        )
        yield from place.replaced(node, f"sorted({place.outline.code(node)})", words)
