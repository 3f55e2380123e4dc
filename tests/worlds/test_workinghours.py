"""worlds.workinghours"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.workinghours import DAYS, TEN_YEARS, WorkingHours, working_hours, zone_of

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


def test_ten_years_are_counted_and_no_moment_more() -> None:
    start = datetime(2026, 1, 1, 4, 30, tzinfo=UTC)  # the evening before, in New York
    end = start + TEN_YEARS
    assert AROUND_THE_CLOCK.minutes(start, end) == TEN_YEARS / timedelta(minutes=1)
    assert AROUND_THE_CLOCK.after(start, TEN_YEARS / timedelta(minutes=1)) == end
    assert AROUND_THE_CLOCK.minutes(start, end + timedelta(minutes=1)) is None
    assert AROUND_THE_CLOCK.after(start, TEN_YEARS / timedelta(minutes=1) + 1) is None
    assert AROUND_THE_CLOCK.after(start, 10**400) is None


def test_hours_as_rows_write_them() -> None:
    office = working_hours("America/New_York", "08:30", "17:00", DAYS[:5], ("2026-05-25",))
    assert office == OFFICE
    assert working_hours("America/New_York", "00:00", "24:00", DAYS, ()) == AROUND_THE_CLOCK


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("opens", "9:00", "`opens` is '9:00'"),
        ("opens", "24:00", "`opens` is '24:00'"),
        ("opens", "09:00:30", "`opens` is"),
        ("opens", "09:00+02:00", "`opens` is"),
        ("closes", "24:01", "`closes` is '24:01'"),
        ("closes", "five", "`closes` is 'five'"),
        ("closes", "09:00", "`closes` is '09:00', which is not after '09:00'"),
        ("closes", "01:00", "not after"),
        ("days", ("Monday",), "`days` has 'Monday'"),
        ("days", ("mon",), "`days` has 'mon'"),
        ("holidays", ("20260403",), "`holidays` has '20260403'"),
        ("holidays", ("2026-02-30",), "`holidays` has '2026-02-30'"),
        ("tz", "Mars/Base", "no time zone 'Mars/Base'"),
    ],
)
def test_hours_that_are_written_otherwise_are_refused(field: str, value: Any, said: str) -> None:
    right: dict[str, Any] = {
        "tz": "UTC",
        "opens": "09:00",
        "closes": "17:00",
        "days": (),
        "holidays": (),
    }
    with pytest.raises(ValueError, match=said):
        working_hours(**{**right, field: value})


@pytest.mark.parametrize(
    "name",
    [
        "localtime",
        "Europe",
        "posix/UTC",
        "right/UTC",
        "Factory",
        "",
        "/UTC",
        "../UTC",
        "UTC\0",
        "A" * 9_999,
    ],
)
def test_what_is_no_place_has_no_time(name: str) -> None:
    with pytest.raises(ValueError, match="there is no time zone") as caught:
        zone_of(name)
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("name", ["UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires", "EST5EDT"])
def test_places_have_their_time(name: str) -> None:
    assert zone_of(name).key == name
