"""worlds.relations.copied"""

from __future__ import annotations

import pytest

from worlds.domain import Domain
from worlds.records import Base
from worlds.recordset import Recordset
from worlds.relations.copied import stands


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ({"Kim"}, True),
        ({"Kim", "Ann"}, True),
        ({"Kim", "12 Elm"}, False),
        ({"kim"}, False),
        ({"Ann", "Oh"}, False),
    ],
)
def test_texts_stand_together_in_one_object_or_not_at_all(texts: set[str], found: bool) -> None:
    name = {"first": "Ann", "last": "Kim"}
    rows = [
        {"order_id": "W1", "name": name, "address": {"street": "12 Elm"}},
        {"order_id": "W2", "name": {"first": "Kim", "last": "Oh"}},
    ]
    domain = Domain.parse({"tables": {"orders": {"key": "order_id"}}})
    assert stands(texts, Base(domain, Recordset(tables={"orders": rows}))) is found
