from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, shop
from triage.proposers.sourceedits.missingcalls import missing_calls


def test_a_pass_gives_way_to_what_siblings_call() -> None:
    source = shop("""
        def _note(order: dict, text: str) -> None:
            db.insert("notes", {"order": order["order_id"], "text": text})


        def pay(order: dict, text: str) -> dict:
            if text:
                pass
            return order


        def cancel(order: dict, text: str) -> dict:
            if text:
                _note(order, text)
            return order
    """)
    edit = best(missing_calls, source)
    assert edit.function == "pay"
    assert edit.source.count("_note(order, text)") == 2
    assert "`cancel` does so" in edit.authority
