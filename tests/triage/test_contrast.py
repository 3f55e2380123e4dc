"""A diff of diffs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.shop import DOMAIN
from triage.contrast import contrast, effect, in_words, units
from worlds.diff import Diff
from worlds.domain import Domain


def update(key: str, **after: object) -> dict[str, object]:
    return {
        "table": "orders",
        "key": key,
        "op": "update",
        "fields": {name: {"before": 0, "after": value} for name, value in after.items()},
    }


def insert(key: str, **row: object) -> dict[str, object]:
    return {"table": "refunds", "key": key, "op": "insert", "row": {"refund_id": key, **row}}


def test_it_names_the_places_where_they_end_otherwise_and_who_changed_them() -> None:
    one: Diff = [update("W1", status="cancelled", reason="x"), insert("R1", amount=20)]
    other: Diff = [update("W1", status="cancelled", reason="y"), update("W2", total=1)]
    domain = Domain.parse(DOMAIN)
    found = contrast(effect(one, domain), effect(other, domain))
    assert [(each.place, dict(each.sides)) for each in found] == [
        ("orders/W1#reason", {"one": "x", "other": "y"}),
        ("orders/W2#total", {"other": 1}),
        ("refunds/+refunds:1#amount", {"one": 20}),
        ("refunds/+refunds:1#refund_id", {"one": "+refunds:1"}),
    ]
    assert in_words(found, "it", "the reference") == (
        "Only it changed refunds/+refunds:1#amount, refunds/+refunds:1#refund_id; only the reference "
        "changed orders/W2#total; they differ in orders/W1#reason."
    )
    assert "and 1 more" in in_words(found, "it", "the reference", most=1)


def test_how_new_rows_are_named_and_what_is_volatile_is_no_difference() -> None:
    domain = Domain.parse({**DOMAIN, "volatile": ["*/*#seen"]})
    one = effect([insert("R1", amount=20), update("W1", seen=3)], domain)
    assert not contrast(one, effect([insert("R9", amount=20)], domain))


def test_a_deleted_row_is_one_place_and_null_is_not_absent() -> None:
    gone = {"table": "orders", "key": "W1", "op": "delete", "row": {"order_id": "W1"}}
    assert units([gone]) == {"orders/W1": "deleted"}
    (found,) = contrast([update("W1", status=None)], [])
    assert (found.was_changed_by_one, found.one, found.was_changed_by_other) == (True, None, False)


VALUES = st.one_of(st.none(), st.booleans(), st.integers(0, 3), st.text(max_size=2))
DIFFS = st.dictionaries(
    st.sampled_from(["W1", "W2", "W3"]),
    st.dictionaries(st.sampled_from(["status", "total"]), VALUES, min_size=1),
).map(lambda rows: [update(key, **fields) for key, fields in sorted(rows.items())])


@given(DIFFS, DIFFS)
def test_nothing_differs_from_itself_and_turned_round_the_places_are_the_same(
    one: Diff, other: Diff
) -> None:
    assert not contrast(one, one)
    there, back = contrast(one, other), contrast(other, one)
    assert [each.place for each in there] == [each.place for each in back]
    assert all(each.was_changed_by_one or each.was_changed_by_other for each in there)
