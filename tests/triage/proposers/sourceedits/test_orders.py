from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, made, shop
from triage.proposers.sourceedits.orders import orders


def test_what_may_still_be_refused_is_not_written_before() -> None:
    source = shop("""
        def pay(order_id: str, order: dict) -> None:
            db.update("orders", order_id, {"status": "paid"})
            if order["status"] != "new":
                raise ValueError("only new orders")
    """)
    assert best(orders, source).source == (
        "def pay(order_id: str, order: dict) -> None:\n"
        '    if order["status"] != "new":\n'
        '        raise ValueError("only new orders")\n'
        '    db.update("orders", order_id, {"status": "paid"})\n'
    )


def test_a_write_that_the_check_needs_stays_before_it() -> None:
    source = shop("""
        def pay(order_id: str) -> None:
            order = db.update("orders", order_id, {"status": "paid"})
            if order["items"]:
                raise ValueError("no")
    """)
    assert made(orders, source) == []


def test_a_row_told_after_it_was_written_is_the_written_one() -> None:
    source = shop("""
        def pay(order_id: str) -> dict:
            order = db.get("orders", order_id)
            db.update("orders", order_id, {"status": "paid"})
            return order
    """)
    assert any("    order = db.update(" in each for each in made(orders, source))
