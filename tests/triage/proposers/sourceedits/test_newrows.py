from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, made, shop
from triage.proposers.sourceedits.newrows import newrows


def test_a_new_row_is_inserted() -> None:
    source = shop("""
        def order(user_id: str) -> dict:
            row = {"order_id": db.next_id("orders", "O"), "user_id": user_id}
            return row
    """)
    assert 'return db.insert("orders", row)' in best(newrows, source).source


def test_a_row_that_is_inserted_is_let_be() -> None:
    source = shop("""
        def order(user_id: str) -> dict:
            row = {"order_id": db.next_id("orders", "O"), "user_id": user_id}
            return db.insert("orders", row)
    """)
    assert made(newrows, source) == []
