"""Days and times that text names, and those that follow from what is known."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from worlds.moments import Moments, as_moment, clock_times, days, instants

NOW = datetime.fromisoformat("2026-03-18T09:00:00+00:00")


def knowing(said: str, told: str = "") -> Moments:
    moments = Moments(years={2026})
    moments.learn(NOW.isoformat())
    moments.said.add(NOW.date())
    moments.learn(said, by_user=True)
    moments.learn(told)
    return moments


@pytest.mark.parametrize(
    "text",
    [
        "on 2026-05-04", "May 4", "May 4th, 2026", "4 May 2026", "the 4th of May", "4. May", "4.5.2026", "05/04/2026",
        "at 2026-05-04T10:00:00Z",
    ],
)  # fmt: skip
def test_a_day_is_found_however_it_is_written(text: str) -> None:
    assert date(2026, 5, 4) in set(days(text, {2026}))


def test_what_is_no_day_is_none() -> None:
    assert set(days("2026-13-40, May 45, order 2026, 99/99/2026", {2026})) == set()


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("at 3 pm", 900), ("15:00", 900), ("3:30 p.m.", 930), ("12 am", 0), ("noon", 720)],
)
def test_a_time_of_day_is_found_however_it_is_written(text: str, minutes: int) -> None:
    assert set(clock_times(text)) == {minutes}


def test_an_instant_needs_an_offset() -> None:
    (found,) = instants("from 2026-03-18T10:00:00+01:00 to 2026-03-18T12:00:00")
    assert found == NOW


@pytest.mark.parametrize("day", ["2026-03-18", "2026-03-20", "2026-03-31"])
def test_words_such_as_tomorrow_lead_to_days_near_by(day: str) -> None:
    assert knowing("next Friday").has_day(date.fromisoformat(day), [])


def test_without_such_words_only_the_days_named_and_those_counted_from_them_are_known() -> None:
    moments = knowing("Return what I bought.")
    assert not moments.has_day(date(2026, 3, 20), [])
    assert moments.has_day(date(2026, 4, 17), [30.0])
    assert moments.has_day(date(2026, 4, 1), [2.0])


def test_an_instant_is_known_in_the_zones_that_are() -> None:
    moments = knowing("Meet me on 2026-04-01 at 13:00.", "Europe/Berlin")
    known = datetime.fromisoformat("2026-04-01T11:00:00+00:00")
    assert moments.has_instant(known, [])
    assert not knowing("Meet me on 2026-04-01 at 13:00.").has_instant(known, [])


def test_an_end_lies_a_known_number_of_minutes_after_its_start() -> None:
    moments = knowing("On 2026-04-01 at 11:00.")
    end = datetime.fromisoformat("2026-04-01T11:45:00")
    assert moments.has_instant(end, [45.0])
    assert not moments.has_instant(end, [30.0])


@pytest.mark.parametrize("text", ["2026-04-01", "2026-04-01T11:00", "2026-04-01T11:00:00Z"])
def test_a_text_that_is_a_moment_is_one(text: str) -> None:
    assert as_moment(text) is not None


@pytest.mark.parametrize("text", ["W2026", "20260401", "on 2026-04-01", "11:00", "0123456789"])
def test_a_text_that_only_holds_one_is_none(text: str) -> None:
    assert as_moment(text) is None


@pytest.mark.parametrize("edge", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00+05:00"])
def test_the_ends_of_the_calendar_are_moments_like_others(edge: str) -> None:
    moments = knowing(f"Valid until {edge}", "It is kept in Europe/Berlin and America/New_York.")
    assert moments.has_instant(datetime.fromisoformat(edge), [])
    assert not moments.has_instant(datetime.fromisoformat("2031-05-05T10:17:00Z"), [])
