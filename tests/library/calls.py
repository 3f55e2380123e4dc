"""Generated calls that any τ² domain has: expressions to calculate, and arguments that do not fit."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.library.tau2 import Call, Tau2

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
"""What can be stored: a NUL or half a surrogate pair never reaches a tool."""

VALUES = st.one_of(st.none(), st.integers(), TEXT, st.lists(TEXT, max_size=2))


@st.composite
def shapes(draw: st.DrawFn, tau2: Tau2) -> Call:
    """A tool with arguments that are mostly missing, of another type, or of none of its names."""
    tool, schema = draw(st.sampled_from(sorted(tau2.declared.items(), key=str)))
    names = sorted([*schema["properties"], "extra"])
    return tool, draw(st.dictionaries(st.sampled_from(names), VALUES))


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
)
