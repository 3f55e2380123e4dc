"""The static gate on tool servers: what it finds, where, and what it must let pass."""

from __future__ import annotations

from itertools import pairwise
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.sourcecheck import IMPORTS, LONGEST, MUTATORS, SourceProblem, check, parse

STATE = """\
import random
ITEMS = [3, 1, 2]
TABLE = {"a": [], "b": {}}
SEEN: set = set()
FEE = 5
NAMES = ("ann", "bob")
push = ITEMS.append
class Config:
    seen = []
    fee = 5
"""


def problems(source: str) -> list[SourceProblem]:
    tree = parse(source)
    return [tree] if isinstance(tree, SourceProblem) else check(tree)


def inside(body: str, header: str = "") -> list[str]:
    """What is found in a function with this body, below module state and `header`."""
    found = problems(f"{STATE}{header}def tool(given=None):\n{indent(body, '    ')}\n")
    return [problem.message for problem in found]


@pytest.mark.parametrize(
    "statement",
    [
        "import os",
        "import sys, socket",
        "from pathlib import Path",
        "import os.path",
        "import json.tool",
        "from subprocess import run",
        "from . import other",
        "from ..up import x",
        "import asyncio",
    ],
)
def test_an_import_outside_the_list_is_found_also_inside_a_function(statement: str) -> None:
    assert any("is not allowed; allowed are base64" in message for message in inside(statement))
    at_top = problems(f"\n{statement}\n")
    assert at_top[0].line == 2
    assert "is not allowed" in at_top[0].message


def test_everything_on_the_list_may_be_imported() -> None:
    assert problems("\n".join(f"import {module}" for module in IMPORTS)) == []


@pytest.mark.parametrize("module", ["db", "clock", "money"])
def test_what_the_host_gives_needs_no_import_and_cannot_be_assigned(module: str) -> None:
    assert "use it without an import" in problems(f"import {module}")[0].message
    assert "use another name" in problems(f"{module} = 1")[0].message


def test_import_star_is_found() -> None:
    assert "name what is imported" in problems("from math import *")[0].message


@pytest.mark.parametrize(
    "expression",
    [
        "open('/etc/passwd')",
        "eval('1')",
        "exec('x = 1')",
        "compile('1', '', 'eval')",
        "input()",
        "__import__('os')",
        "globals()['x']",
        "vars()",
        "locals()",
        "setattr(given, 'a', 1)",
        "(lambda: open)()('x')",
        "[eval][0]('1')",
        "given.__class__",
        "given.__class__.__bases__",
        "getattr(given, '__class__')",
        "getattr(given, 'a' + 'b')",
        "hasattr(given, given)",
        "[getattr][0](given, 'x')",
        "__builtins__",
        "().__class__",
    ],
)
def test_a_way_around_the_gate_is_found(expression: str) -> None:
    assert inside(f"return {expression}")
    assert problems(f"value = {expression}".replace("given", "FEE").replace("\n", ""))


def test_an_alias_of_getattr_is_found() -> None:
    assert inside("reach = getattr\nreturn reach(given, 'x')") == [
        "getattr can only be called, under its own name"
    ]


@pytest.mark.parametrize(
    "write",
    [
        "ITEMS[0] = 1",
        "ITEMS[0:2] = []",
        "ITEMS[0] += 1",
        "TABLE['a']['b'] = 1",
        "Config.fee = 6",
        "Config.fee += 1",
        "tool.calls = 1",
        "random.seen = 1",
        "ITEMS += [1]",
        "FEE += 1",
        "SEEN |= {1}",
        "global FEE\nFEE = 6",
        "ITEMS.append(1)",
        "TABLE['a'].append(1)",
        "TABLE.get('a').append(1)",
        "TABLE.setdefault('a', [])",
        "Config.seen.append(1)",
        "SEEN.add(1)",
        "next(ITEMS)",
        "random.shuffle(ITEMS)",
        "alias = ITEMS\nalias.append(1)",
        "alias = ITEMS\nalias += [1]",
        "alias = TABLE['a']\nalias.append(1)",
        "first = ITEMS\nsecond = first\nsecond.sort()",
        "one, two = ITEMS, TABLE\ntwo.update(a=1)",
        "for row in TABLE.values():\n    row['x'] = 1",
        "for key, row in TABLE.items():\n    row.append(key)",
        "[row.append(1) for row in TABLE.values()]",
        "if (found := TABLE.get('a')):\n    found.append(1)",
        "grow = ITEMS.append\ngrow(1)",
        "push(1)",
        "def inner():\n    ITEMS.append(1)\ninner()",
        "do = lambda: ITEMS.append(1)\ndo()",
        "(ITEMS)[0], other = 1, 2",
        "for ITEMS[0] in [1, 2]:\n    pass",
    ],
)
def test_a_write_to_module_state_is_found(write: str) -> None:
    assert any("module-level names are constants" in message for message in inside(write))


@pytest.mark.parametrize("method", sorted(MUTATORS))
def test_each_method_that_changes_its_object_is_found(method: str) -> None:
    assert inside(f"TABLE.{method}(1)")
    assert inside(f"rows = []\nrows.{method}(1)") == []


@pytest.mark.parametrize("default", ["[]", "{}", "set()", "dict()", "[1]", "[x for x in NAMES]"])
def test_a_default_that_all_calls_share_may_not_be_changed(default: str) -> None:
    assert problems(f"def tool(x={default}):\n    x.clear()\n")
    assert problems(f"def tool(*, x={default}):\n    x |= 1\n")
    assert problems(f"def tool(x={default}):\n    x = list(x)\n    x.clear()\n") == []
    assert problems(f"def tool(x={default}):\n    return len(x)\n") == []


@pytest.mark.parametrize("mark", ["cache", "functools.cache", "lru_cache(maxsize=3)"])
def test_a_decorator_that_remembers_results_is_found(mark: str) -> None:
    found = problems(f"import functools\n@{mark}\ndef tool(x: int):\n    return x\n")
    assert "from one call to the next" in found[0].message


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("class Child(Config):\n    pass", "inheritance is not supported"),
        ("class Child(metaclass=Config):\n    pass", "inheritance is not supported"),
        ("yield 1", "yield is not supported"),
        ("yield from ITEMS", "yield is not supported"),
        ("del given['a']", "del is not supported"),
        ("async def other():\n    pass", "async functions are not supported"),
        ("try:\n    pass\nexcept* ValueError:\n    pass", "except* is not supported"),
        ("return __secret", "reserved"),
        ("raise ValueError('no room', 5)", "more than one argument is not supported"),
    ],
)
def test_what_the_sandbox_does_not_know_is_found(statement: str, words: str) -> None:
    assert any(words in message for message in inside(statement))


@pytest.mark.parametrize(
    "body",
    [
        "rows = []\nrows.append(1)\nrows[0] = 2\nrows += [3]\nreturn rows",
        "ITEMS = []\nITEMS.append(1)",
        "for ITEMS in [[1], [2]]:\n    ITEMS.append(1)",
        "fee = FEE\nfee += 1",
        "fee = TABLE['fee']\nfee += 1",
        "for item in ITEMS:\n    item += 1",
        "one, two = ITEMS\none += 1",
        "name = NAMES[0]\nname += '!'",
        "mine = list(ITEMS)\nmine.append(1)",
        "mine = ITEMS.copy()\nmine.sort()",
        "mine = [*ITEMS]\nmine.append(1)",
        "mine = {**TABLE}\nmine['a'] = 1",
        "mine = sorted(ITEMS)\nmine.pop()",
        "mine = ITEMS[0]\nreturn mine + FEE",
        "row = db.get('users', 'u')\nrow['a'] = 1\nrow['b'].append(2)\ndb.update('users', 'u', row)",
        "db.insert('users', {'id': 'u'})\ndb.update('users', 'u', {})",
        "total = 0\nfor item in ITEMS:\n    total += item\nreturn total",
        "count = 0\ndef add():\n    nonlocal count\n    count += 1\nadd()",
        "return getattr(given, 'name', None)",
        "return sum(x for x in ITEMS if x in SEEN)",
        "c = Config()\nc.fee = 6\nc.seen = []",
        "given.append(1)",
        "compile = 1\nreturn compile",
        "random.shuffle(given)",
        "return random.sample(ITEMS, 2)",
        "with_dots = given.open('x')",
        "return [FEE.real for FEE in ITEMS]",
        "import json\nreturn json.dumps(TABLE)",
    ],
)
def test_ordinary_code_is_let_pass(body: str) -> None:
    assert inside(body) == []


def test_a_module_may_build_its_constants() -> None:
    source = (
        "TABLE = {}\nTABLE['a'] = 1\nTABLE.update(b=2)\nfor key in ['x']:\n    TABLE[key] = 3\n"
    )
    assert problems(source + "COUNT = 1\nCOUNT += 1\n") == []


def test_a_class_may_change_its_own_instances() -> None:
    source = """
class Cart:
    def __init__(self):
        self.items = []
    def add(self, item):
        self.items.append(item)
        self.count = len(self.items)

def tool():
    cart = Cart()
    cart.add(1)
    cart.items.append(2)
    return Cart.add(cart, 3)
"""
    assert problems(source) == []


def test_a_problem_says_where_and_in_which_definition() -> None:
    source = "X = []\nclass A:\n    def m(self):\n        X.append(1)\n\ndef f():\n    return eval('1')\n"
    assert [(p.line, p.column, p.symbol) for p in problems(source)] == [(4, 9, "A"), (7, 12, "f")]


def test_a_source_that_cannot_be_read_is_one_problem() -> None:
    assert [(p.line, p.message) for p in problems("x = 1\ndef f(:\n")] == [
        (2, "syntax error: invalid syntax")
    ]
    assert "longer than" in problems("#" * (LONGEST + 1))[0].message
    assert "null bytes" in problems("x = 1\0")[0].message
    assert "nested too deeply" in problems("x = " + "-" * 100_000 + "1")[0].message


@given(st.text(max_size=60) | st.text("xX[]()=.:+ \n", max_size=40))
def test_no_text_stops_the_gate(source: str) -> None:
    for problem in problems(STATE + source):
        assert problem.line >= 1
        assert problem.message


@given(st.sampled_from(sorted(MUTATORS)), st.integers(1, 4))
def test_a_write_is_found_behind_any_chain_of_aliases(method: str, length: int) -> None:
    names = ["ITEMS", *(f"a{n}" for n in range(length))]
    chain = "\n".join(f"{new} = {old}" for old, new in pairwise(names))
    assert inside(f"{chain}\n{names[-1]}.{method}()")
