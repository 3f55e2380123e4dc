"""Generated calls that any τ² domain has: expressions to calculate, and arguments that do not fit."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st

from tests.library.tau2 import Call, Tau2

T = TypeVar("T")

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
"""What can be stored: a NUL or half a surrogate pair never reaches a tool."""

VALUES = st.one_of(st.none(), st.integers(-10, 10**6), TEXT, st.lists(TEXT, max_size=2))


def examples(strategy: st.SearchStrategy[T], count: int) -> list[T]:
    """`count` different ones of what a strategy makes, by no chance."""
    made: list[T] = []

    @settings(
        max_examples=20,  # one search varies what it has made before: many short ones see more
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(strategy)
    def keep(example: T) -> None:
        if example not in made:
            made.append(example)

    number = 0
    while len(made) < count:
        seed(number)(keep)()
        number += 1
    return made[:count]


@st.composite
def shapes(draw: st.DrawFn, tau2: Tau2) -> Call:
    """A tool with arguments that are mostly missing, of another type, or of none of its names."""
    tool, schema = draw(st.sampled_from(sorted(tau2.declared.items(), key=str)))
    names = sorted([*schema["properties"], "extra"])
    return tool, draw(st.dictionaries(st.sampled_from(names), VALUES))


@st.composite
def malformed(draw: st.DrawFn, tau2: Tau2, calls: st.SearchStrategy[Call]) -> Call:
    """A sound call of which one argument is missing, too many, of another type, or wrong within."""
    tool, sound = draw(calls)
    args = _spoilt(draw, deepcopy(sound))
    assume(tau2.server.tools[tool].refuse(args) is not None)
    return tool, args


def _spoilt(draw: st.DrawFn, args: dict[str, Any]) -> dict[str, Any]:
    lists = [value for value in args.values() if isinstance(value, list) and value]
    how = draw(st.sampled_from(["drop", "add", "change", *["inside"] * 3 * bool(lists)]))
    if how == "inside":
        entries = draw(st.sampled_from(lists))
        at = draw(st.integers(0, len(entries) - 1))
        whole = draw(st.booleans()) or not isinstance(entries[at], dict)
        entries[at] = draw(VALUES) if whole else _spoilt(draw, entries[at])
    elif how == "add" or not args:
        args["extra"] = draw(VALUES)
    else:
        name = draw(st.sampled_from(sorted(args)))
        del args[name]
        if how == "change":
            args[name] = draw(VALUES)
    return args


NUMBERS = st.one_of(
    st.integers(0, 10**6).map(str),
    st.decimals(0, 10**4, places=3).map(str),
    st.sampled_from(["0", "00", "007", ".5", "3.", "0.005", "1.2.3"]),
)


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operator = st.sampled_from(["+", "-", "*", "/", "//", " - ", " + "])
    return st.one_of(
        st.tuples(inner, operator, inner).map("".join),
        inner.map("({})".format),
        inner.map("-{}".format),
    )


EXPRESSIONS = st.one_of(
    st.recursive(NUMBERS, _combined, max_leaves=8),
    st.text("0123456789+-*/(). ", max_size=12),
    TEXT,
).filter(lambda text: "**" not in text)
"""Without powers: there, a large one is worked out for ever."""
