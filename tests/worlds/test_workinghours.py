"""worlds.workinghours"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from worlds.workinghours import DAYS, WorkingHours

NEW_YORK = ZoneInfo("America/New_York")
OFFICE = WorkingHours(
    NEW_YORK, time(8, 30), time(17), frozenset(DAYS[:5]), frozenset({"2026-05-25"})
)
AROUND_THE_CLOCK = WorkingHours(NEW_YORK, time(), None, frozenset(DAYS), frozenset())
moments = st.integers(0, 60 * 24 * 400).map(
    lambda minutes: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
)


@given(moments, st.integers(0, 20_000))
def test_minutes_counted_on_are_counted_up_again(start: datetime, minutes: int) -> None:
    end = OFFICE.after(start, minutes)
    assert end is not None
    assert OFFICE.minutes(start, end) == minutes


@given(moments, st.integers(0, 5_000), st.integers(0, 5_000))
def test_two_spans_after_one_another_are_one(start: datetime, one: int, other: int) -> None:
    between = OFFICE.after(start, one)
    assert between is not None
    assert OFFICE.after(between, other) == OFFICE.after(start, one + other) or other == 0


@given(moments, st.integers(0, 20_000))
def test_around_the_clock_is_the_clock_whatever_summer_time_does(
    start: datetime, minutes: int
) -> None:
    assert AROUND_THE_CLOCK.after(start, minutes) == start + timedelta(minutes=minutes)


def test_a_day_of_work_is_as_long_when_the_clocks_change() -> None:
    friday = datetime(2026, 3, 6, 21, 30, tzinfo=UTC)  # half past four, the clocks change on Sunday
    assert OFFICE.after(friday, 60) == datetime(2026, 3, 9, 13, tzinfo=UTC)


def test_holidays_and_weekends_do_not_count() -> None:
    friday = datetime(2026, 5, 22, 20, 30, tzinfo=UTC)
    assert OFFICE.after(friday, 60) == datetime(2026, 5, 26, 13, tzinfo=UTC)


def test_a_place_that_never_opens_gets_nothing_done() -> None:
    closed = WorkingHours(NEW_YORK, time(9), time(17), frozenset(), frozenset())
    assert closed.after(datetime(2026, 1, 1, tzinfo=UTC), 1) is None
