from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, shop
from triage.proposers.sourceedits.filters import filters


def test_a_field_that_another_look_up_has_is_looked_for() -> None:
    source = shop("""
        def count(user_id: str) -> int:
            return len(db.find("orders", {"user_id": user_id}))


        def show(user_id: str) -> list:
            return db.find("orders", {"user_id": user_id, "status": "new"})
    """)
    edit = best(filters, source)
    assert edit.function == "count"
    assert 'len(db.find("orders", {"user_id": user_id, "status": "new"}))' in edit.source


def test_an_argument_that_is_never_read_is_looked_for() -> None:
    source = shop("""
        def show(user_id: str, status: str) -> list:
            return db.find("orders", {"user_id": user_id})
    """)
    assert '{"user_id": user_id, "status": status}' in best(filters, source).source
