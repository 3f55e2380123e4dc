"""Strategies for JSON values, rows and states."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from worlds.domain import Domain
from worlds.recordset import Recordset

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Z")), max_size=8),
)

json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text("abcdef", min_size=1, max_size=3), inner, max_size=4),
    ),
    max_leaves=10,
)

TABLES = ("left", "right")
KEYS = ("a", "b", "c", "d", "e")

SMALL = Domain.parse(
    {
        "tables": {name: {"key": "id"} for name in TABLES},
        "volatile": ["right/*#seen", "*/*#stamp"],
    }
)

row_fields = st.dictionaries(
    st.sampled_from(["n", "text", "seen", "stamp", "items"]), json_values, max_size=4
)


@st.composite
def recordsets(draw: st.DrawFn) -> Recordset:
    """Records of the two-table domain SMALL."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for name in TABLES:
        keys = draw(st.lists(st.sampled_from(KEYS), unique=True))
        tables[name] = [{**draw(row_fields), "id": key} for key in keys]
    return Recordset.parse({"tables": tables})


writes = st.lists(
    st.tuples(
        st.sampled_from(TABLES), st.sampled_from([*KEYS, "new1", "new2"]), st.none() | row_fields
    ),
    max_size=8,
)
"""Table, key and fields of a row to put; None deletes."""
