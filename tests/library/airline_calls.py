"""Calls of the airline tools as agents make them: mostly sound, often about the same few reservations."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.library.calls import TEXT
from tests.library.tau2 import AIRLINE, Call

DB = AIRLINE.db
CABINS = ["basic_economy", "economy", "business"]
AIRPORTS = sorted({flight["origin"] for flight in DB["flights"].values()})
ROUTES = sorted({(each["origin"], each["destination"]) for each in DB["flights"].values()})
DATES = [f"2024-05-{day:02}" for day in range(10, 31)]
RESERVATIONS = sorted(DB["reservations"])[:40]
CERTIFICATES = [
    user_id
    for user_id, user in sorted(DB["users"].items())
    if any(method["source"] == "certificate" for method in user["payment_methods"].values())
][:20]
"""Users who have one."""
DAYS = [
    (number, date, day)
    for number, flight in sorted(DB["flights"].items())
    for date, day in sorted(flight["dates"].items())
]
OPEN = [(number, date) for number, date, day in DAYS if day["status"] == "available"][::50]
FULL = [
    (number, date)
    for number, date, day in DAYS
    if day["status"] == "available" and min(day["available_seats"].values()) < 2
][:20]
CLOSED = [(number, date) for number, date, day in DAYS if day["status"] != "available"][::200]
UNKNOWN = [("HAT000", "2024-05-20"), ("HAT001", "2024-06-01")]

Leg = dict[str, str]
SOME_LEG = st.sampled_from([*OPEN * 12, *FULL, *CLOSED, *UNKNOWN])


def seldom(draw: st.DrawFn, wrong: Any, right: Any) -> Any:
    """`wrong` once in a while."""
    return wrong if draw(st.integers(0, 15)) == 7 else right


@st.composite
def legs(draw: st.DrawFn) -> list[Leg]:
    """Flights on days: mostly open ones, twice the same at times."""
    drawn = draw(st.lists(SOME_LEG, min_size=0 if draw(st.integers(0, 9)) == 7 else 1, max_size=2))
    return [{"flight_number": number, "date": date} for number, date in drawn]


@st.composite
def people(draw: st.DrawFn, count: int) -> list[dict[str, str]]:
    """Passengers, mostly as many as asked for."""
    number = seldom(draw, count + 1, count)
    names = st.sampled_from(["Ann", "Omar", "李", ""])
    return [
        {"first_name": draw(names), "last_name": draw(names), "dob": "1990-01-01"}
        for _ in range(number)
    ]


@st.composite
def bookings(draw: st.DrawFn) -> Call:
    """A booking that is mostly paid for as it should be."""
    user_id = draw(st.sampled_from(CERTIFICATES))
    cabin, insurance = draw(st.sampled_from(CABINS)), draw(st.sampled_from(["yes", "no"]))
    flights, passengers = draw(legs()), draw(people(draw(st.sampled_from([1, 1, 2]))))
    bags = draw(st.sampled_from([0, 0, 1, 2]))
    price = sum(_price(leg, cabin) for leg in flights) + (30 if insurance == "yes" else 0)
    args = {
        "user_id": seldom(draw, "nobody", user_id),
        "origin": draw(st.sampled_from(AIRPORTS)),
        "destination": draw(st.sampled_from(AIRPORTS)),
        "flight_type": draw(st.sampled_from(["one_way", "round_trip"])),
        "cabin": cabin,
        "flights": flights,
        "passengers": passengers,
        "payment_methods": draw(payments(user_id, price * len(passengers) + 50 * bags)),
        "total_baggages": draw(st.integers(bags, 4)),
        "nonfree_baggages": bags,
        "insurance": insurance,
    }
    return "book_reservation", args


def _price(leg: Leg, cabin: str) -> int:
    day = DB["flights"].get(leg["flight_number"], {"dates": {}})["dates"].get(leg["date"], {})
    price: int = day.get("prices", {}).get(cabin, 0)
    return price


@st.composite
def payments(draw: st.DrawFn, user_id: str, total: int) -> list[dict[str, Any]]:
    """One or two payments that mostly come to the total, from methods that mostly can pay them."""
    methods = DB["users"][user_id]["payment_methods"]
    holding = {key: method.get("amount", 10_000) for key, method in methods.items()}
    able = [key for key, amount in holding.items() if amount >= total]
    if draw(st.booleans()) and able:
        return [{"payment_id": draw(st.sampled_from(able)), "amount": seldom(draw, 1, total)}]
    one, other = [*draw(st.permutations([*methods])), "gift_card_0"][:2]
    one, other = seldom(draw, "gift_card_0", one), seldom(draw, one, other)
    part = min(total, holding.get(one, 100))
    rest = total - part
    if draw(st.booleans()):
        rest = float(rest)
    return [{"payment_id": one, "amount": part}, {"payment_id": other, "amount": rest}]


@st.composite
def reservation_calls(draw: st.DrawFn, reservation_ids: list[str]) -> Call:
    """A call about a reservation of a few."""
    reservation_id = draw(st.sampled_from(reservation_ids))
    reservation = DB["reservations"][reservation_id]
    methods = DB["users"][reservation["user_id"]]["payment_methods"]
    paying = seldom(draw, "gift_card_0", draw(st.sampled_from([*methods])))
    bags = draw(st.integers(0, 3))
    kept = [{key: leg[key] for key in ("flight_number", "date")} for leg in reservation["flights"]]
    cabin = draw(st.sampled_from([reservation["cabin"], *CABINS]))
    flights = draw(st.sampled_from([kept, kept[:1] + draw(legs()), draw(legs())]))
    calls: list[Call] = [
        ("get_reservation_details", {}),
        ("cancel_reservation", {}),
        (
            "update_reservation_baggages",
            {"total_baggages": bags + 1, "nonfree_baggages": bags, "payment_id": paying},
        ),
        *[
            (
                "update_reservation_flights",
                {"cabin": cabin, "flights": flights, "payment_id": paying},
            )
        ]
        * 3,
        (
            "update_reservation_passengers",
            {"passengers": draw(people(len(reservation["passengers"])))},
        ),
    ]
    tool, args = draw(st.sampled_from(calls))
    return tool, {"reservation_id": seldom(draw, "NOBODY", reservation_id), **args}


@st.composite
def other_calls(draw: st.DrawFn) -> Call:
    """A search, a look-up or a certificate, mostly for what exists."""
    origin, destination = draw(st.sampled_from(ROUTES))
    far = draw(st.sampled_from(["XXX", *AIRPORTS]))
    date = draw(st.sampled_from([*DATES, "2024-05-03", "2024-05-08", "May 20", ""]))
    user_id = seldom(draw, "nobody", draw(st.sampled_from([*CERTIFICATES[:3], "mia_li_3668"])))
    number, day = draw(SOME_LEG)
    calls: list[Call] = [
        ("search_direct_flight", {"origin": origin, "destination": destination, "date": date}),
        ("search_onestop_flight", {"origin": origin, "destination": far, "date": date}),
        ("get_flight_status", {"flight_number": number, "date": day}),
        ("get_user_details", {"user_id": user_id}),
        ("send_certificate", {"user_id": user_id, "amount": draw(st.integers(0, 500))}),
        ("send_certificate", {"user_id": user_id, "amount": 100}),
        ("list_all_airports", {}),
        ("transfer_to_human_agents", {"summary": draw(TEXT)}),
    ]
    return draw(st.sampled_from(calls))


@st.composite
def sequences(draw: st.DrawFn) -> list[Call]:
    """Calls in a row that mostly concern the same one or two reservations."""
    chosen = draw(st.lists(st.sampled_from(RESERVATIONS), min_size=1, max_size=2))
    about = reservation_calls(chosen)
    call = st.one_of(about, about, bookings(), bookings(), other_calls())
    return draw(st.lists(call, min_size=1, max_size=6))
