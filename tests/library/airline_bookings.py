"""Bookings of the published airline, for sequences of calls: as the tool takes them, and as rows by hand."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tests.library.tau2 import AIRLINE, Call

REGULAR, SILVER, GOLD = "sophia_silva_7557", "aarav_ahmed_6699", "mia_li_3668"
CARDS = {
    REGULAR: "credit_card_4196779",
    SILVER: "credit_card_9074831",
    GOLD: "credit_card_4421486",
    "amelia_ito_8544": "credit_card_2540841",
}
FLIGHT, DAY = "HAT069", "2024-05-20"
"""From JFK to SEA; there are 17 seats in basic economy, 12 in economy, 3 in business."""


def person(first_name: str, last_name: str, dob: str = "1980-01-01") -> dict[str, Any]:
    """Somebody who flies."""
    return {"first_name": first_name, "last_name": last_name, "dob": dob}


def people(count: int) -> list[dict[str, Any]]:
    """So many people, none of them known."""
    return [person(f"Person{number}", "Unknown") for number in range(count)]


def book(user_id: str = REGULAR, *, pay: dict[str, float] | None = None, **given: Any) -> Call:
    """A booking of a flight for one passenger in economy without bags or insurance, but for what is given. What `pay`
    leaves of the price is on the user's credit card."""
    args = {
        "user_id": user_id,
        "origin": "JFK",
        "destination": "SEA",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [{"flight_number": FLIGHT, "date": DAY}],
        "passengers": people(1),
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
        **given,
    }
    paid = {**(pay or {})}
    rest = price(args) - sum(paid.values())
    if rest:
        paid[CARDS[user_id]] = rest
    args["payment_methods"] = [
        {"payment_id": each, "amount": amount} for each, amount in paid.items()
    ]
    return "book_reservation", args


def price(args: dict[str, Any]) -> int:
    """What a booking costs."""
    fares = sum(listed(leg, args["cabin"]) for leg in args["flights"])
    insurance = 30 if args["insurance"] == "yes" else 0
    return (fares + insurance) * len(args["passengers"]) + 50 * int(args["nonfree_baggages"])


def listed(leg: dict[str, Any], cabin: str) -> int:
    """The price of a flight on its day; 100 where none is listed any more."""
    on_date = AIRLINE.db["flights"][leg["flight_number"]]["dates"][leg["date"]]
    return int(on_date.get("prices", {}).get(cabin, 100))


def insert(user_id: str = REGULAR, *, row: dict[str, Any] | None = None, **given: Any) -> Call:
    """The same booking as a row that is written by hand; `row` has what differs in it."""
    _, args = book(user_id, **given)
    paid = args.pop("payment_methods")
    flights = [_flown(leg, args["cabin"]) for leg in args["flights"]]
    whole = {
        **args,
        "reservation_id": "HATHAT",
        "flights": flights,
        "payment_history": paid,
        "created_at": "2024-05-15T15:00:00",
        "status": None,
        **(row or {}),
    }
    return "insert", {"table": "reservations", "row": whole}


def _flown(leg: dict[str, Any], cabin: str) -> dict[str, Any]:
    flight = AIRLINE.db["flights"][leg["flight_number"]]
    places = {"origin": flight["origin"], "destination": flight["destination"]}
    return {**leg, **places, "price": listed(leg, cabin)}


def reservation(key: str) -> dict[str, Any]:
    """A published reservation, to be changed."""
    return deepcopy(AIRLINE.db["reservations"][key])


def change(key: str, cabin: str, *legs: tuple[str, str], payment: str) -> Call:
    """New flights or a new cabin for a reservation, by the tool."""
    flights = [{"flight_number": number, "date": day} for number, day in legs]
    args = {"reservation_id": key, "cabin": cabin, "flights": flights, "payment_id": payment}
    return "update_reservation_flights", args


def same_flights(key: str, cabin: str, payment: str) -> Call:
    """Another cabin for a reservation, by the tool."""
    flights = AIRLINE.db["reservations"][key]["flights"]
    legs = [(leg["flight_number"], leg["date"]) for leg in flights]
    return change(key, cabin, *legs, payment=payment)


def bags(key: str, total: int, extra: int, payment: str) -> Call:
    """Other bags for a reservation, by the tool."""
    return "update_reservation_baggages", {
        "reservation_id": key,
        "total_baggages": total,
        "nonfree_baggages": extra,
        "payment_id": payment,
    }


def cancel(key: str) -> Call:
    """A cancellation, by the tool."""
    return "cancel_reservation", {"reservation_id": key}


def look(key: str) -> Call:
    """A reservation is looked at."""
    return "get_reservation_details", {"reservation_id": key}


def certificate(user_id: str, amount: int) -> Call:
    """A certificate for a user."""
    return "send_certificate", {"user_id": user_id, "amount": amount}
