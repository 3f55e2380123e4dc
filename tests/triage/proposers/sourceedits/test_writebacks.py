from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, made, shop
from triage.proposers.sourceedits.writebacks import writebacks


def test_a_row_changed_in_hand_is_saved() -> None:
    source = shop("""
        def pay(order_id: str) -> dict:
            order = db.get("orders", order_id)
            order["status"] = "paid"
            return order
    """)
    edit = best(writebacks, source)
    assert 'db.update("orders", order["order_id"], {"status": order["status"]})' in edit.source
    assert edit.likelihood == 0.9
    assert edit.authority


def test_a_row_that_is_saved_is_let_be() -> None:
    source = shop("""
        def pay(order_id: str) -> dict:
            order = db.get("orders", order_id)
            order["status"] = "paid"
            return db.put("orders", order)
    """)
    assert made(writebacks, source) == []


def test_changes_that_are_told_are_saved() -> None:
    source = shop("""
        def pay(order_id: str) -> dict:
            return {**db.get("orders", order_id), **{"status": "paid"}}
    """)
    assert (
        'return db.update("orders", order_id, {"status": "paid"})'
        in best(writebacks, source).source
    )


def test_changes_that_nobody_uses_are_saved_in_each_turn() -> None:
    source = shop("""
        def cancel_all(user_id: str) -> None:
            for row, why in [(o, "") for o in db.find("orders", {"user_id": user_id})]:
                fields = {"status": "cancelled"}
                print(row["order_id"], why)
    """)
    assert 'db.update("orders", row["order_id"], fields)' in best(writebacks, source).source
