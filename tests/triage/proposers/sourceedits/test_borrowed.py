from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, made, shop
from triage.proposers.sourceedits.borrowed import borrowed

MINE = """
    def _pay(order: dict, note: str) -> dict:
        if order["status"] != "new":
            raise ValueError("no")
        print(note)
        return order
"""
THEIRS = """
    def _pay(row: dict, note: str) -> dict:
        if row["status"] != "new":
            raise ValueError("not so")
        print(note)
        db.update("orders", row["order_id"], {"status": "paid"})
        return row
"""


def test_what_the_same_function_of_another_server_has_more_is_borrowed_under_its_own_names() -> (
    None
):
    edit = best(borrowed, shop(MINE, THEIRS))
    assert (
        'db.update("orders", order["order_id"], {"status": "paid"})\n    return order'
        in edit.source
    )
    assert "of another tool server" in edit.authority
    assert edit.likelihood > 0.7


def test_refusals_worded_otherwise_are_no_difference() -> None:
    assert all("not so" not in each for each in made(borrowed, shop(MINE, THEIRS)))


def test_nothing_is_borrowed_that_would_mean_nothing() -> None:
    theirs = THEIRS.replace("db.update(", "_saved(")
    assert all("_saved" not in each for each in made(borrowed, shop(MINE, theirs)))
