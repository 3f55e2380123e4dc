"""worlds.cel_functions"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import worlds.cel_functions as functions
from tests.worlds.orders import value
from worlds.conditions import ConditionFailed

HOURS: dict[str, Any] = {
    "tz": "Europe/London",
    "opens": "09:00",
    "closes": "17:30",
    "days": ["monday", "tuesday", "wednesday", "thursday", "friday"],
    "holidays": ["2026-04-03", "2026-04-06"],
}
EVERY_DAY = [*HOURS["days"], "saturday", "sunday"]
CALENDARS: dict[str, Any] = {
    "hours": HOURS,
    "always": {**HOURS, "opens": "00:00", "closes": "24:00", "days": EVERY_DAY, "holidays": []},
    "never": {**HOURS, "days": []},
    "x": None,
    "backwards": {**HOURS, "opens": "18:00"},
    "short": {**HOURS, "days": ["mon"]},
    "numbers": {**HOURS, "days": [1]},
    "nowhere": {**HOURS, "tz": "localtime"},
    "undated": {**HOURS, "holidays": ["Easter"]},
}
numbers = st.integers(-1000, 1000).map(float) | st.floats(-1e6, 1e6)


@given(st.lists(numbers), st.lists(numbers))
def test_the_sum_of_two_lists_is_the_sum_of_their_sums(
    one: list[float], other: list[float]
) -> None:
    assert functions.total([*one, *other]) == pytest.approx(
        functions.total(one) + functions.total(other), abs=1e-3
    )
    assert isinstance(functions.total(one), float)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"a": st.fixed_dictionaries({"b": st.integers(0, 5)}), "n": st.integers()}
        )
    )
)
def test_sort_by_is_sorted_stable_and_loses_nothing(rows: list[dict[str, Any]]) -> None:
    found = functions.sort_by(rows, "a.b")
    assert found == sorted(rows, key=lambda row: row["a"]["b"])
    assert functions.sort_by(found, "a.b") == found


@given(st.lists(numbers, min_size=1))
def test_nothing_is_smaller_than_min_or_larger_than_max(values: list[float]) -> None:
    assert functions.smallest(values) == functions.smallest(*values, values[0])
    assert all(functions.smallest(values) <= each <= functions.largest(values) for each in values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum([])", 0.0),
        ("sum([1, 2.5])", 3.5),
        ("[3, 1].min()", 1),
        ("max('a', 'c', 'b')", "c"),
        ("max(order.items.map(i, i.price))", 3.0),
        ("sort_by(order.items, 'price').map(i, i.item_id)", ["7-1", "7-2", "7-3"]),
        ("lower('ÄB')", "äb"),
        ("split('a, b', ', ')", ["a", "b"]),
        ("'a,b'.split(',').size()", 2),
        ("round2(763.775)", 763.77),
        (
            "close(0.1 + 0.2, 0.3) && close(1, 1.004) && !close(1, 1.01) && close(1.0, 1.1, 0.1)",
            True,
        ),
        ("now()", "2025-03-01T10:00:00+00:00"),
        ("date('2025-03-01T23:30:00-05:00')", "2025-03-01"),
        ("date('2025-03-01')", "2025-03-01"),
        ("date(timestamp('2025-03-01T23:30:00Z'))", "2025-03-01"),
        ("weekday('2025-03-01')", "saturday"),
        ("days_between('2025-02-28', '2025-03-01T00:00:00')", 1),
        ("days_between('2025-03-01', '2024-03-01')", -365),
        ("minutes_between('2025-03-01T10:00:00Z', '2025-03-01T12:30:30+01:00')", 90.5),
        ("minutes_between('2025-03-01T10:00:00', '2025-03-01T10:00:00Z')", 0.0),
        ("work_after('2026-04-02T15:00:00Z', 60, other.hours)", "2026-04-02T16:00:00+00:00"),
        ("work_after('2026-04-02T16:00:00Z', 60, other.hours)", "2026-04-07T08:30:00+00:00"),
        ("work_after('2026-04-04', 0, other.hours)", "2026-04-07T08:00:00+00:00"),
        ("work_minutes('2026-04-02T16:00:00Z', '2026-04-07T08:30:00Z', other.hours)", 60.0),
        ("work_minutes('2026-04-07T08:30:00Z', '2026-04-02T16:00:00Z', other.hours)", 0.0),
        ("work_after('2026-03-28T12:00:00Z', 1440, other.always)", "2026-03-29T12:00:00+00:00"),
        ("local('2025-07-01T22:30:00Z', 'Europe/Berlin').date", "2025-07-02"),
        ("local('2025-07-01T22:30:00Z', 'Europe/Berlin').time", "00:30"),
        ("local('2025-07-01T22:30:00Z', 'Europe/Berlin').weekday", "wednesday"),
        ("local('2025-01-01T12:00:00', 'America/New_York').hour", 7),
        ("local('2025-01-01T12:05:00Z', 'UTC').minute + 1", 6),
        ("local('2025-01-01T12:00:00Z', 'Asia/Kolkata').iso", "2025-01-01T17:30:00+05:30"),
    ],
)
def test_functions_give(text: str, expected: Any) -> None:
    assert repr(value(text, {"other": CALENDARS})) == repr(expected)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("min([])", "empty list"),
        ("max([1, 'a'])", "only numbers"),
        ("min([true, false])", "only numbers"),
        ("sum(['a'])", "sum: 'a' is no number"),
        ("sum(order.status)", "'pending' is no list"),
        ("sort_by(order.items, 'price.x')", "no field 'price.x'"),
        ("sort_by([{'a': 1}, {'a': 'x'}], 'a')", "only numbers"),
        ("lower(other)", "null is no text"),
        ("split('a', '')", "empty separator"),
        ("split(other, ',')", "null is no text"),
        ("date('yesterday')", "'yesterday' is no ISO date"),
        ("days_between(1, now())", "1 is no text"),
        ("local(now(), 'Mars/Base')", "no time zone 'Mars/Base'"),
        ("local(now(), '../etc/passwd')", "no time zone"),
        ("round2('1')", "no number"),
        ("work_after(now(), 0 - 5, other.hours)", "less than none"),
        ("work_after(now(), 60, {'tz': 'UTC'})", "no map of tz"),
        ("work_minutes(now(), now(), other.x)", "no map of tz"),
        ("work_after(now(), 60, other.never)", "not over within ten years"),
        ("work_after(now(), 9999999999, other.hours)", "not over within ten years"),
        ("work_after(now(), double('inf'), other.hours)", "no finite number"),
        ("work_after(now(), double('nan'), other.hours)", "no finite number"),
        ("work_after('9999-12-31', 60000, other.hours)", "out of the range"),
        ("work_after('0001-01-01T00:00:00+05:00', 1, other.hours)", "out of the range"),
        ("work_minutes('2026-01-01', '2036-01-03', other.hours)", "more than the ten years"),
        ("work_minutes('9999-12-30', '9999-12-31T23:59:00-05:00', other.hours)", "of the range"),
        ("work_minutes(now(), now(), other.backwards)", "not after '18:00'"),
        ("work_minutes(now(), now(), other.short)", "`days` has 'mon'"),
        ("work_minutes(now(), now(), other.numbers)", "no map of tz"),
        ("work_minutes(now(), now(), other.nowhere)", "no time zone 'localtime'"),
        ("work_minutes(now(), now(), other.undated)", "`holidays` has 'Easter'"),
    ],
)
def test_functions_refuse_what_they_cannot_work_on(text: str, why: str) -> None:
    with pytest.raises(ConditionFailed, match=why):
        value(text, {"other": CALENDARS if "other." in text else None})


def test_split_is_bounded() -> None:
    with pytest.raises(ConditionFailed, match="1001 parts"):
        value("split(other, ',').size()", {"other": "," * 1000})
