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


def test_a_text_that_nobody_uses_is_handed_where_others_hand_a_text() -> None:
    source = shop("""
        def _note(by: dict, order: dict, text: str, public: bool) -> dict:
            return db.insert("notes", {"by": by["person_id"], "order": order["order_id"], "text": text})


        def _merged(by: dict, order: dict, into: dict) -> dict:
            note = f"{order['order_id']} was merged into this one."
            return db.update("orders", order["order_id"], {"status": "closed"})


        def cancel(by: dict, order: dict, why: str) -> dict:
            _note(by, order, why, False)
            return order
    """)
    found = [edit for edit in missing_calls(source) if edit.function == "_merged"]
    calls = ["_note(by, order, note, False)", "_note(by, into, note, False)"]
    assert all(any(call in edit.source for edit in found) for call in calls)
    assert not any("_note(note" in edit.source for edit in found)
    assert "used by nobody" in found[0].authority
