from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, made, shop
from triage.proposers.sourceedits.results import results


def test_a_key_is_called_as_plans_read_it() -> None:
    source = shop(
        """
        def totals(rows: list) -> dict:
            return {"totals": len(rows)}
        """,
        read={"totals": frozenset({"total"})},
    )
    assert 'return {"total": len(rows)}' in best(results, source).source


def test_a_list_is_given_where_the_hint_says_so() -> None:
    source = shop("""
        def show(user_id: str) -> list[dict]:
            rows = db.find("orders", {"user_id": user_id})
            return {"orders": rows}
    """)
    assert "    return rows\n" in best(results, source).source


def test_what_was_made_is_given() -> None:
    source = shop("""
        def pay(order_id: str) -> dict:
            db.update("orders", order_id, {"status": "paid"})
    """)
    assert "    return db.update(" in best(results, source).source


def test_what_is_as_it_says_is_let_be() -> None:
    assert made(results, shop("def many(rows: list) -> int:\n    return len(rows)\n")) == []


def test_a_key_is_called_as_plans_read_it_of_this_tool_though_rows_have_it_too() -> None:
    source = shop(
        """
        def _view(order: dict) -> dict:
            return {"id": order["order_id"], "state": order["status"]}


        def find(user_id: str) -> dict:
            return {"orders": [_view(each) for each in db.find("orders", {"user_id": user_id})]}
        """,
        read={"find": frozenset({"orders[0].order_id"})},
    )
    assert '"order_id": order["order_id"]' in best(results, source).source


def test_a_key_that_the_function_reads_again_is_renamed_in_both_places() -> None:
    source = shop(
        """
        def find(user_id: str) -> list:
            found = [{"id": each["order_id"]} for each in db.find("orders", {"user_id": user_id})]
            return sorted(found, key=lambda order: order["id"])
        """,
        read={"find": frozenset({"[0].order_id"})},
    )
    found = made(results, source)
    assert any('{"order_id": each' in text and 'order["order_id"])' in text for text in found)
