"""What every sound state of the airline keeps true: the published rows that do not, and the writes that break it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from tests.library.airline_bookings import (
    DAY,
    FLIGHT,
    GOLD,
    REGULAR,
    bags,
    book,
    cancel,
    change,
    insert,
    people,
    person,
    same_flights,
)
from tests.library.clauses import Event, attempt, stage, write
from tests.library.tau2 import AIRLINE
from worlds.episode import record
from worlds.findings import Finding
from worlds.recordcheck import all_record_findings, domain_findings
from worlds.writtenrows import written_findings

CARD = "credit_card_9074831"
AT_REST = {
    "flights past-flights-over": 1,
    "flights what-is-expected-is-to-come": 1,
    "reservations leads-somewhere": 68,
    "reservations legs-in-time": 24,
    "reservations booked-before-it-leaves": 20,
}
"""Invariant → how many published rows break it."""


@cache
def at_rest() -> tuple[Finding, ...]:
    world = stage(AIRLINE, [])
    return (*domain_findings(world), *all_record_findings(world))


def written(events: Sequence[Event]) -> list[str]:
    """What the calls broke: `tool invariant`, each once."""
    world = stage(AIRLINE, events)
    play = attempt(world, events)
    assert {step.status for step in play.steps} == {"ok"}
    found = written_findings(world, record(play, "by-hand", 0, 0, "over"))
    return list(dict.fromkeys(item.symbol for item in found))


def on(day: str, **fields: Any) -> dict[str, Any]:
    """The days of a flight, with one of them replaced."""
    return {**deepcopy(AIRLINE.db["flights"][FLIGHT]["dates"]), day: fields}


def day(day: str, **fields: Any) -> Event:
    """By hand, a day of a flight becomes another."""
    return write("flights", FLIGHT, dates=on(day, **fields))


def leg(number: str, on_day: str, origin: str, destination: str) -> dict[str, Any]:
    """A flight of a reservation that costs 100."""
    places = {"origin": origin, "destination": destination}
    return {"flight_number": number, **places, "date": on_day, "price": 100}


def methods(user_id: str, **more: Any) -> dict[str, Any]:
    """The payment methods of a user, and more."""
    return {**deepcopy(AIRLINE.db["users"][user_id]["payment_methods"]), **more}


def refunded(key: str, *, times: int) -> dict[str, Any]:
    """What a reservation has once it is cancelled, by a tool that gives back every entry each time."""
    history = deepcopy(AIRLINE.db["reservations"][key]["payment_history"])
    for _ in range(times):
        history += [{**paid, "amount": -paid["amount"]} for paid in history]
    return {"status": "cancelled", "payment_history": history}


TIMES = {
    "actual_departure_time_est": "2024-05-14T06:00:00",
    "actual_arrival_time_est": "2024-05-14T12:00:00",
}
EXPECTED = {
    "estimated_departure_time_est": "2024-05-15T16:00:00",
    "estimated_arrival_time_est": "2024-05-15T22:00:00",
}
PRICES = {
    "available_seats": {"basic_economy": 1, "economy": 1, "business": 1},
    "prices": {"basic_economy": 90, "economy": 60, "business": 400},
}
BREAKS: list[tuple[str, str, Event]] = [
    ("places-differ", "write", write("flights", FLIGHT, destination="JFK")),
    ("past-flights-over", "write", day("2024-05-14", status="available", **PRICES)),
    ("coming-flights-open", "write", day("2024-05-16", status="landed", **TIMES)),
    (
        "what-happened-is-past",
        "write",
        day(
            "2024-05-14",
            status="landed",
            **{**TIMES, "actual_arrival_time_est": "2024-05-15T17:00:00"},
        ),
    ),
    (
        "what-is-expected-is-to-come",
        "write",
        day(
            "2024-05-15",
            status="delayed",
            **{**EXPECTED, "estimated_departure_time_est": "2024-05-15T14:00:00"},
        ),
    ),
    (
        "leaves-before-it-lands",
        "write",
        day(
            "2024-05-14",
            status="landed",
            **{**TIMES, "actual_departure_time_est": "2024-05-14T13:00:00"},
        ),
    ),
    (
        "delayed-leaves-later",
        "write",
        day(
            "2024-05-15",
            status="delayed",
            **{**EXPECTED, "estimated_departure_time_est": "2024-05-15T05:00:00"},
        ),
    ),
    ("better-cabins-cost-more", "write", day(DAY, status="available", **PRICES)),
    (
        "legs-are-flown",
        "write",
        write("reservations", "H8Q05L", flights=[leg("HAT268", "2024-06-24", "JFK", "ATL")]),
    ),
    (
        "legs-connect",
        "update_reservation_flights",
        change(
            "M20IZO", "economy", ("HAT268", "2024-05-22"), ("HAT023", "2024-05-22"), payment=CARD
        ),
    ),
    (
        "legs-in-time",
        "update_reservation_flights",
        change(
            "M20IZO", "economy", ("HAT268", "2024-05-22"), ("HAT010", "2024-05-21"), payment=CARD
        ),
    ),
    (
        "leads-somewhere",
        "book_reservation",
        book(origin="JFK", destination="JFK", flight_type="round_trip"),
    ),
    (
        "legs-make-the-trip",
        "update_reservation_flights",
        change("M20IZO", "economy", ("HAT268", "2024-05-22"), payment=CARD),
    ),
    ("extra-bags-among-all", "update_reservation_baggages", bags("M20IZO", 1, 2, CARD)),
    ("paid-in-full", "write", write("reservations", "M20IZO", insurance="yes")),
    ("refunded-once", "write", write("reservations", "M20IZO", **refunded("M20IZO", times=2))),
    ("one-to-five-passengers", "book_reservation", book(passengers=people(6))),
    (
        "passengers-differ",
        "update_reservation_passengers",
        (
            "update_reservation_passengers",
            {"reservation_id": "M20IZO", "passengers": [person("Ann", "Lee")] * 2},
        ),
    ),
    ("its-user-has-it", "insert", insert()),
    (
        "paid-by-its-user",
        "write",
        write(
            "reservations",
            "H8Q05L",
            payment_history=[{"payment_id": "credit_card_9074831", "amount": 104}],
        ),
    ),
    (
        "booked-by-now",
        "write",
        write("reservations", "H8Q05L", created_at="2024-05-16T00:00:00"),
    ),
    (
        "booked-before-it-leaves",
        "write",
        write("reservations", "H8Q05L", created_at="2024-05-25T00:00:00"),
    ),
    ("reservations-are-theirs", "write", write("users", REGULAR, reservations=["M20IZO"])),
    (
        "payment-ids-say-what",
        "write",
        write(
            "users",
            REGULAR,
            payment_methods=methods(
                REGULAR, gift_card_1={"source": "gift_card", "id": "gift_card_2", "amount": 1}
            ),
        ),
    ),
    ("born-in-the-past", "write", write("users", REGULAR, dob="2042-01-01")),
]


@pytest.mark.parametrize(("invariant", "tool", "event"), BREAKS, ids=[each[0] for each in BREAKS])
def test_a_write_that_breaks_an_invariant_is_found_and_its_tool_named(
    invariant: str, tool: str, event: Event
) -> None:
    assert f"{tool} {invariant}" in written([event])


def test_every_invariant_has_such_a_write() -> None:
    assert [each for each, _, _ in BREAKS] == [each.id for each in AIRLINE.domain.invariants]


def test_so_many_published_rows_break_an_invariant() -> None:
    assert Counter(item.symbol for item in at_rest()) == AT_REST


@pytest.mark.parametrize(
    ("tool", "event"),
    [
        ("book_reservation", book(GOLD, insurance="yes", passengers=people(2))),
        ("update_reservation_flights", same_flights("KC18K6", "business", "credit_card_4196779")),
        ("update_reservation_baggages", bags("M20IZO", 5, 1, CARD)),
        ("cancel_reservation", cancel("M20IZO")),
    ],
)
def test_what_the_published_tools_write_by_the_rules_keeps_every_invariant(
    tool: str, event: Event
) -> None:
    assert written([event]) == []


def test_a_reservation_that_is_cancelled_twice_is_refunded_twice() -> None:
    assert written([cancel("M20IZO")] * 2) == ["cancel_reservation refunded-once"]


@pytest.mark.parametrize("times", [1, 2, 3])
def test_each_cancellation_but_the_first_is_found(times: int) -> None:
    found = written([write("reservations", "M20IZO", **refunded("M20IZO", times=times))])
    assert found == ([] if times == 1 else ["write refunded-once"])


def test_what_a_change_gave_back_is_reversed_when_it_is_cancelled() -> None:
    cheaper = same_flights("2FBBAH", "economy", "gift_card_3481935")
    assert written([cheaper, cancel("2FBBAH")]) == []


def test_bags_that_are_taken_back_are_not_refunded() -> None:
    fewer = [bags("M20IZO", 5, 1, CARD), bags("M20IZO", 4, 0, CARD)]
    assert written(fewer) == ["update_reservation_baggages paid-in-full"]


def test_a_flight_named_twice_is_overbooked() -> None:
    twice = [{"flight_number": FLIGHT, "date": DAY}] * 2
    found = written([book(cabin="business", flights=twice, passengers=people(2))])
    assert any(each.startswith("book_reservation flights") for each in found), found
