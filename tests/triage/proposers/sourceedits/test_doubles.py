from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, made, shop
from triage.proposers.sourceedits.doubles import doubles


def test_a_write_said_twice_is_said_once() -> None:
    source = shop("""
        def pay(order_id: str) -> None:
            db.update("orders", order_id, {"status": "paid"})
            db.update("orders", order_id, {"status": "paid"})
    """)
    assert best(doubles, source).source.count("db.update") == 1


def test_a_row_inserted_twice_under_two_keys_is_inserted_once() -> None:
    source = shop("""
        def order(row: dict) -> dict:
            return db.insert("orders", {**db.insert("orders", row), "order_id": db.next_id("orders")})
    """)
    assert 'return db.insert("orders", row)' in best(doubles, source).source


def test_what_only_reads_may_be_said_twice() -> None:
    source = shop("""
        def look(order_id: str) -> None:
            db.get("orders", order_id)
            db.get("orders", order_id)
    """)
    assert made(doubles, source) == []


def test_a_write_of_nothing_that_the_loop_goes_through_is_made_once() -> None:
    source = shop("""
        def pay(order_id: str, items: list) -> None:
            for item in items:
                print(item)
                db.update("orders", order_id, {"status": "paid"})
    """)
    assert best(doubles, source).source.endswith(
        '        print(item)\n    db.update("orders", order_id, {"status": "paid"})\n'
    )
