from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, made, shop
from triage.proposers.sourceedits.state import state


def test_a_memory_of_results_is_taken_out_with_all_that_it_needs() -> None:
    source = shop("""
        SEEN: dict = {}


        def pay(order_id: str) -> dict:
            asked = str([order_id])
            if asked in SEEN:
                return SEEN[asked]
            SEEN[asked] = db.update("orders", order_id, {"status": "paid"})
            return SEEN[asked]
    """)
    assert best(state, source).source == (
        'def pay(order_id: str) -> dict:\n    return db.update("orders", order_id, {"status": "paid"})\n'
    )


def test_a_constant_is_copied_before_it_is_changed() -> None:
    source = shop("""
        BLANK = {"status": "new"}


        def order(user_id: str) -> dict:
            row = BLANK
            row["user_id"] = user_id
            return db.insert("orders", row)
    """)
    assert "row = {**BLANK}" in best(state, source).source


def test_a_counter_gives_way_to_the_keys_of_db() -> None:
    source = shop("""
        COUNT = 0


        def order(user_id: str) -> dict:
            global COUNT
            COUNT += 1
            return db.insert("orders", {"order_id": f"O{COUNT}", "user_id": user_id})
    """)
    wanted = [each for each in made(state, source) if 'db.next_id("orders", "O")' in each]
    assert wanted
    assert "global" not in wanted[0]


def test_constants_that_are_only_read_are_let_be() -> None:
    source = shop("""
        NAMES = {"a": "b"}


        def name(key: str) -> str:
            return NAMES[key]
    """)
    assert made(state, source) == []
