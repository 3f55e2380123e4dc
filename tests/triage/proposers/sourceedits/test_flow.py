from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, made, shop
from triage.proposers.sourceedits.flow import flow


def test_a_return_that_ends_the_first_turn_comes_after_the_loop() -> None:
    source = shop("""
        def total(rows: list) -> int:
            found = 0
            for row in rows:
                found += row["items"]
                return found
    """)
    assert best(flow, source).source.endswith('        found += row["items"]\n    return found\n')


def test_a_loop_that_reads_the_same_row_all_the_time_reads_that_of_the_turn() -> None:
    source = shop("""
        def pay(rows: list, first: dict) -> None:
            for row in rows:
                db.update("orders", first["order_id"], {"status": "paid"})
    """)
    assert 'db.update("orders", row["order_id"]' in best(flow, source).source


def test_a_turn_that_is_not_meant_to_be_read_is_let_be() -> None:
    source = shop("""
        def wait(first: dict) -> None:
            for _ in range(3):
                print(first["order_id"])
    """)
    assert made(flow, source) == []
