"""worlds.pinned"""

from __future__ import annotations

import pytest

from worlds.pinned import pinned_sides, pinned_table


@pytest.mark.parametrize(
    ("when", "table"),
    [
        ("table == 'orders'", "orders"),
        ("after.a == 1 && 'orders' == table && true", "orders"),
        ("(table == 'orders') && true", "orders"),
        ("table == 'orders' || true", None),
        ("table != 'orders'", None),
        ("table == key", None),
        ("true ? table == 'orders' : false", None),
        ("!(table == 'orders')", None),
        ("table ==", None),
    ],
)
def test_a_table_is_pinned_where_nothing_else_can_hold(when: str, table: str | None) -> None:
    assert pinned_table(when) == table


@pytest.mark.parametrize(
    ("when", "sides"),
    [
        ("before == null", {"before": False}),
        (
            "table == 'orders' && (before != null && null == after)",
            {"before": True, "after": False},
        ),
        ("before == null || after == null", {}),
        ("!(before == null)", {}),
        ("before == after", {}),
        ("before.status == null", {}),
        ("before == 'null'", {}),
        ("before ==", {}),
    ],
)
def test_a_side_is_pinned_where_a_row_has_to_be_there_or_not(
    when: str, sides: dict[str, bool]
) -> None:
    assert pinned_sides(when) == sides
