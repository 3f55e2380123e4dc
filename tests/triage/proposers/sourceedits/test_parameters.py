from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, made, shop
from triage.proposers.sourceedits.parameters import parameters


def test_an_argument_is_called_as_plans_call_it() -> None:
    source = shop(
        """
        def pay(orderId: str) -> dict:
            '''Pay.

            Args:
                orderId: the order.
            '''
            return db.update("orders", orderId, {"orderId": "kept"})
        """,
        given={"pay": frozenset({"order_id"})},
    )
    edit = best(parameters, source)
    assert "def pay(order_id: str)" in edit.source
    assert "order_id: the order." in edit.source
    assert 'db.update("orders", order_id, {"orderId": "kept"})' in edit.source
    assert edit.authority == "plans call pay with order_id"


def test_an_argument_is_called_as_other_tools_call_what_is_said_in_the_same_words() -> None:
    source = shop("""
        def pay(key: str) -> None:
            '''Pay.

            Args:
                key: the order, from list_orders.
            '''
            print(key)


        def cancel(order_id: str) -> None:
            '''Cancel.

            Args:
                order_id: the order, from list_orders.
            '''
            print(order_id)
    """)
    assert any("def pay(order_id: str)" in each for each in made(parameters, source))


def test_what_the_docstring_lets_be_left_out_may_be() -> None:
    source = shop("""
        def show(status: str) -> None:
            '''Show.

            Args:
                status: only with this status; all when left out.
            '''
            print(status)
    """)
    assert 'def show(status: str = "") -> None:' in best(parameters, source).source
