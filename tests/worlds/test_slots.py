"""Slots: the first binding in the seed's order, with back-tracking, within bounds."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.shop import DOMAIN, RECORDS, merged
from worlds.domain import Domain
from worlds.intent import Intent
from worlds.records import Base
from worlds.recordset import Recordset
from worlds.slots import ROWS_LOOKED_AT, ROWS_TRIED, Binder, SlotUnbound


def base(**tables: Any) -> Base:
    return Base(Domain.parse(DOMAIN), Recordset.parse(merged(RECORDS, {"tables": tables})))


def intent(**slots: Any) -> Intent:
    return Intent.parse({"instruction": "", "goal": {}, "slots": slots})


def many(count: int) -> Base:
    orders = [
        {"order_id": f"W{n}", "user_id": "bob", "status": "pending", "total": n}
        for n in range(count)
    ]
    return base(orders=orders)


def test_a_later_slot_follows_an_earlier_one() -> None:
    wanted = intent(
        user={"table": "users", "match": {"user_id": "{order.user_id}"}},
        order={"table": "orders", "match": {"status": "delivered"}},
    )
    assert Binder(base(), wanted, 0).bind() == {"order": "W3", "user": "bob"}


def test_a_choice_that_leads_nowhere_is_taken_back() -> None:
    wanted = intent(
        order={"table": "orders"},
        other={
            "table": "orders",
            "match": {"user_id": "{order.user_id}"},
            "where": "row.order_id != order.order_id && row.status == 'delivered'",
        },
    )
    for seed in range(20):
        assert Binder(base(), wanted, seed).bind() == {"order": "W2", "other": "W3"}


@given(st.integers(0, 10**6))
def test_a_seed_always_binds_the_same_rows(seed: int) -> None:
    wanted = intent(order={"table": "orders"})
    assert Binder(many(30), wanted, seed).bind() == Binder(many(30), wanted, seed).bind()


def test_seeds_spread_over_the_rows() -> None:
    rows, wanted = many(10), intent(order={"table": "orders"})
    assert len({Binder(rows, wanted, seed).bind()["order"] for seed in range(60)}) == 10


@given(st.integers(0, 50), st.integers(1, 20))
def test_a_row_added_elsewhere_in_the_order_changes_nothing_unless_it_comes_first(
    seed: int, count: int
) -> None:
    wanted = intent(order={"table": "orders"})
    before = Binder(many(count), wanted, seed).bind()["order"]
    after = Binder(many(count + 1), wanted, seed).bind()["order"]
    assert after in (before, f"W{count}")


def test_a_where_may_use_definitions_of_the_intent_and_of_the_domain() -> None:
    shop = Base(
        Domain.parse({**DOMAIN, "define": {"arrived": "row.status == 'delivered'"}}),
        Recordset.parse(RECORDS),
    )
    wanted = intent(order={"table": "orders", "where": "cheap"}).model_copy(
        update={"define": {"cheap": "arrived && row.total < 10.0"}}
    )
    assert Binder(shop, wanted, 0).bind() == {"order": "W3"}


def test_a_slot_comes_after_those_that_a_definition_in_its_where_speaks_of() -> None:
    slots = {
        "other": {"table": "orders", "where": "of_the_same"},
        "order": {"table": "orders", "match": {"status": "delivered"}},
    }
    define = {"of_the_same": "row.user_id == order.user_id && row.order_id != order.order_id"}
    wanted = intent(**slots).model_copy(update={"define": define})
    binder = Binder(base(), wanted, 0)
    assert binder.order == ["order", "other"]
    assert binder.bind() == {"order": "W3", "other": "W2"}


def test_a_slot_may_be_called_as_a_field_is() -> None:
    wanted = intent(
        status={
            "table": "orders",
            "where": "row.user_id == order.user_id && row.status != order.status",
        },
        order={"table": "orders", "where": "row.status == 'delivered' && row.total < 10.0"},
        total={"table": "users", "where": "row.user_id == status.user_id"},
    )
    assert Binder(base(), wanted, 0).bind() == {"order": "W3", "status": "W2", "total": "bob"}


def test_a_definition_that_is_wrong_unbinds_the_slot_that_uses_it() -> None:
    wanted = intent(order={"table": "orders", "where": "cheap"}).model_copy(
        update={"define": {"cheap": "row.total <"}}
    )
    with pytest.raises(SlotUnbound, match="in the definition 'cheap'") as caught:
        Binder(base(), wanted, 0).bind()
    assert caught.value.reason == "invalid"


def test_no_row_says_which_slot_and_how_many_were_tried() -> None:
    wanted = intent(order={"table": "orders", "where": "row.total > 1000.0"})
    with pytest.raises(SlotUnbound, match="no row of orders fits slot 'order'") as caught:
        Binder(base(), wanted, 0).bind()
    assert (caught.value.slot, caught.value.tried) == ("order", 3)


def test_rows_at_which_the_condition_failed_are_counted_and_the_first_reason_is_named() -> None:
    some = intent(order={"table": "orders", "where": "row.total > 10.0 && row.reason == 'late'"})
    with pytest.raises(SlotUnbound, match="; in 2 of them the condition failed: "):
        Binder(base(), some, 0).bind()
    wanted = intent(order={"table": "orders", "where": "row.reason == 'late'"})
    with pytest.raises(SlotUnbound) as caught:
        Binder(base(), wanted, 0).bind()
    assert str(caught.value) == (
        "no row of orders fits slot 'order' (3 rows tried); in 3 of them the condition failed: "
        "there is no field 'reason', in the condition: row.reason == 'late'"
    )


def test_a_match_of_null_says_that_an_absent_field_is_no_null() -> None:
    wanted = intent(order={"table": "orders", "match": {"reason": None}})
    with pytest.raises(SlotUnbound) as caught:
        Binder(base(), wanted, 0).bind()
    assert str(caught.value) == (
        "no row of orders fits slot 'order' (0 rows tried); 3 of 3 rows have no field 'reason', "
        'and an absent field is no null (where: "!has(row.reason)" finds them)'
    )
    with pytest.raises(SlotUnbound, match=r"rows tried\)$"):
        Binder(base(), intent(order={"table": "orders", "match": {"status": None}}), 0).bind()


def test_the_search_ends_at_its_bound() -> None:
    wanted = intent(
        one={"table": "orders"},
        other={"table": "orders"},
        third={"table": "orders", "where": "row.total < 0.0"},
    )
    with pytest.raises(SlotUnbound, match="among the first"):
        Binder(many(120), wanted, 0).bind()
    assert ROWS_TRIED == 10_000


def test_a_table_that_is_not_there_leaves_the_slot_unbound() -> None:
    with pytest.raises(SlotUnbound, match="nowhere"):
        Binder(base(), intent(x={"table": "nowhere"}), 0).bind()


def test_rows_that_do_not_match_do_not_hold_the_search_for_ever() -> None:
    rows = [
        {"order_id": f"W{n:04}", "user_id": f"u{n % 2}", "status": "pending", "total": n}
        for n in range(1500)
    ]
    wanted = intent(
        one={"table": "orders"},
        other={"table": "orders"},
        never={
            "table": "orders",
            "match": {"user_id": "u0", "reason": "none", "status": "{one.status}"},
        },
    )
    rows = [{**row, "reason": "none" if row["user_id"] == "u1" else "some"} for row in rows]
    began = time.thread_time()
    with pytest.raises(SlotUnbound, match=f"first {ROWS_LOOKED_AT} looked at"):
        Binder(base(orders=rows), wanted, 0).bind()
    assert time.thread_time() - began < 20
