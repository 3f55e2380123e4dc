from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, shop
from triage.proposers.sourceedits.guards import guards

SHOP = """
    def pay(order_id: str) -> dict:
        order = db.get("orders", order_id)
        if order is None:
            raise ValueError("no such order")
        if order["status"] != "new":
            raise ValueError("only new orders")
        return db.update("orders", order_id, {"status": "paid"})


    def cancel(order_id: str) -> dict:
        order = db.get("orders", order_id)
        return db.update("orders", order_id, {"status": order["status"]})
"""


def test_a_missing_row_is_refused_as_a_sibling_refuses_it() -> None:
    edit = best(guards, shop(SHOP))
    assert edit.source.count('if order is None:\n        raise ValueError("no such order")') == 2
    assert "`pay` refuses" in edit.authority


def test_what_a_sibling_refuses_is_offered_where_the_same_names_are_in_hand() -> None:
    offered = [e for e in guards(shop(SHOP)) if e.source.count("only new orders") == 2]
    assert [edit.function for edit in offered] == ["cancel"]


def test_removing_a_refusal_is_the_last_resort() -> None:
    removed = [e for e in guards(shop(SHOP)) if "only new orders" not in e.source]
    assert removed
    assert max(edit.likelihood for edit in removed) < 0.1
