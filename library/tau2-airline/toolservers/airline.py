# about:
#   title: Airline tools
#   notes: >-
#     Our own port of the fourteen tools of the published airline benchmark: same names, parameters,
#     results and refusals, its peculiarities included. docs/tau2-import.md lists where the two
#     differ.
#   authority: given

import re
from dataclasses import dataclass
from typing import Annotated, Literal

# What tools take


@dataclass
class Leg:
    """A flight on a day."""

    flight_number: Annotated[str, "Such as 'HAT001'."]
    date: Annotated[str, "Day of departure, YYYY-MM-DD."]


@dataclass
class Passenger:
    """Somebody who flies."""

    first_name: str
    last_name: str
    dob: Annotated[str, "Date of birth, YYYY-MM-DD."]


@dataclass
class Payment:
    """What one payment method contributes."""

    payment_id: Annotated[str, "One of the customer's payment methods."]
    amount: Annotated[float, "In US dollars."]


# Reading rows


def _user(user_id: str) -> dict:
    user = db.get("users", user_id)
    if user is None:
        raise ValueError(f"User {user_id} not found")
    return user


def _reservation(reservation_id: str) -> dict:
    reservation = db.get("reservations", reservation_id)
    if reservation is None:
        raise ValueError(f"Reservation {reservation_id} not found")
    return reservation


def _flight(flight_number: str) -> dict:
    flight = db.get("flights", flight_number)
    if flight is None:
        raise ValueError(f"Flight {flight_number} not found")
    return flight


def _on_date(flight: dict, date: str) -> dict:
    """What is known of a flight on a day: its status and, while it can be booked, seats and prices."""
    if date not in flight["dates"]:
        raise ValueError(f"Flight {flight['flight_number']} not found on date {date}")
    return flight["dates"][date]


def _bookable(leg: Leg, cabin: str, seats: int) -> dict:
    """A leg as a reservation holds it, with today's price for one passenger."""
    flight = _flight(leg.flight_number)
    on_date = _on_date(flight, leg.date)
    if on_date["status"] != "available":
        raise ValueError(f"Flight {leg.flight_number} not available on date {leg.date}")
    if on_date["available_seats"][cabin] < seats:
        raise ValueError(f"Not enough seats on flight {leg.flight_number}")
    return {
        "flight_number": leg.flight_number,
        "origin": flight["origin"],
        "destination": flight["destination"],
        "date": leg.date,
        "price": on_date["prices"][cabin],
    }


def _kept(reservation: dict, leg: Leg, cabin: str) -> dict | None:
    """The leg as the reservation has it already, in the same cabin."""
    if cabin != reservation["cabin"]:
        return None
    for flight in reservation["flights"]:
        if flight["flight_number"] == leg.flight_number and flight["date"] == leg.date:
            return flight
    return None


def _leaving(flights: list, date: str, after: str = "") -> list:
    """Those of some flights that can be booked on a day and leave at a time or later."""
    found = []
    for flight in flights:
        on_date = flight["dates"].get(date)
        open_for_booking = on_date is not None and on_date["status"] == "available"
        if open_for_booking and flight["scheduled_departure_time_est"] >= after:
            found.append(flight)
    return found


# Writing rows and showing them


def _shown(reservation: dict) -> dict:
    """A reservation as the agent sees it: while it stands, its status is null."""
    return {"status": None, **reservation}


def _offer(flight: dict, date: str, named: str | None) -> dict:
    """A flight that can be booked on a day; `named` is the day as the answer gives it."""
    on_date = flight["dates"][date]
    return {
        "flight_number": flight["flight_number"],
        "origin": flight["origin"],
        "destination": flight["destination"],
        "status": "available",
        "scheduled_departure_time_est": flight["scheduled_departure_time_est"],
        "scheduled_arrival_time_est": flight["scheduled_arrival_time_est"],
        "date": named,
        "available_seats": on_date["available_seats"],
        "prices": on_date["prices"],
    }


def _people(passengers: list[Passenger]) -> list:
    return [
        {"first_name": each.first_name, "last_name": each.last_name, "dob": each.dob}
        for each in passengers
    ]


def _take_seats(leg: Leg, cabin: str, seats: int) -> None:
    dates = _flight(leg.flight_number)["dates"]
    dates[leg.date]["available_seats"][cabin] -= seats
    db.update("flights", leg.flight_number, {"dates": dates})


def _refuse_payments(methods: dict, payments: list[Payment], total: int) -> None:
    """Refuses payments that the customer cannot make, or that are not the price."""
    for payment in payments:
        method = methods.get(payment.payment_id)
        if method is None:
            raise ValueError(f"Payment method {payment.payment_id} not found")
        if method["source"] != "credit_card" and method["amount"] < payment.amount:
            raise ValueError(f"Not enough balance in payment method {payment.payment_id}")
    paid = sum(payment.amount for payment in payments)
    if paid != total:
        raise ValueError(f"Payment amount does not add up, total price is {total}, but paid {paid}")


def _spend(methods: dict, payments: list[Payment]) -> None:
    """Takes what is paid off gift cards; a certificate is spent whole."""
    for payment in payments:
        if payment.payment_id not in methods:
            raise ValueError(f"Certificate {payment.payment_id} can be used only once")
        method = methods[payment.payment_id]
        if method["source"] == "gift_card":
            method["amount"] -= payment.amount
        elif method["source"] == "certificate":
            methods.pop(payment.payment_id)


def _settle(reservation: dict, payment_id: str, amount: int) -> list:
    """Pays for a change of a reservation, or pays back; returns its payment history after that."""
    user = _user(reservation["user_id"])
    methods = user["payment_methods"]
    if payment_id not in methods:
        raise ValueError("Payment method not found")
    method = methods[payment_id]
    if method["source"] == "certificate":
        raise ValueError("Certificate cannot be used to update reservation")
    if method["source"] == "gift_card":
        if method["amount"] < amount:
            raise ValueError("Gift card balance is not enough")
        method["amount"] -= amount
        db.update("users", user["user_id"], {"payment_methods": methods})
    paid = [{"payment_id": payment_id, "amount": amount}] if amount != 0 else []
    return reservation["payment_history"] + paid


# Arithmetic


_SYMBOL = r"\d+\.?\d*|\.\d+|//|."
_LEVELS = [["+", "-"], ["*", "/", "//"]]
_LONGEST = 1000
_DEEPEST = 50


def _syntax(what: str = "invalid syntax") -> ValueError:
    return ValueError(f"{what} (<string>, line 1)")


def _number(token: str) -> float:
    if not token.isdigit():
        return float(token)
    if token[0] == "0" and token.strip("0"):
        raise _syntax(
            "leading zeros in decimal integer literals are not permitted; "
            "use an 0o prefix for octal integers"
        )
    return int(token)


def _read_chain(tokens: list, at: int, level: int, postfix: list) -> int:
    """Reads operands joined by the operators of a level into `postfix`; returns where it stopped."""
    if level == len(_LEVELS):
        return _read_operand(tokens, at, postfix)
    at = _read_chain(tokens, at, level + 1, postfix)
    while tokens[at] in _LEVELS[level]:
        operator = tokens[at]
        at = _read_chain(tokens, at + 1, level + 1, postfix)
        postfix.append(operator)
    return at


def _read_operand(tokens: list, at: int, postfix: list) -> int:
    negations = 0
    while tokens[at] in ["+", "-"]:
        negations += tokens[at] == "-"
        at += 1
    if tokens[at] == "(":
        at = _read_chain(tokens, at + 1, 0, postfix)
        if tokens[at] != ")":
            raise _syntax("'(' was never closed" if tokens[at] == "" else "invalid syntax")
    elif tokens[at].strip(".").replace(".", "").isdigit():
        postfix.append(_number(tokens[at]))
    else:
        raise _syntax()
    postfix.extend(["negate"] * negations)
    return at + 1


def _postfix(expression: str) -> list:
    if len(expression) > _LONGEST:
        raise ValueError(f"An expression may have {_LONGEST} characters")
    if "**" in expression:
        raise ValueError("Powers are not supported")
    tokens = [symbol for symbol in re.findall(_SYMBOL, expression) if symbol.strip()]
    depth = 0
    for symbol in tokens:
        depth += (symbol == "(") - (symbol == ")")
        if depth > _DEEPEST:
            raise _syntax("too many nested parentheses")
    postfix = []
    end = _read_chain([*tokens, ""], 0, 0, postfix)
    if end < len(tokens):
        raise _syntax("unmatched ')'" if tokens[end] == ")" else "invalid syntax")
    return postfix


def _applied(operator: str, left: float, right: float) -> float:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    whole = isinstance(left, int) and isinstance(right, int)
    if operator == "/":
        if right == 0:
            raise ValueError("division by zero" if whole else "float division by zero")
        return left / right
    if right == 0:
        raise ValueError(
            "integer division or modulo by zero" if whole else "float floor division by zero"
        )
    return left // right


def _evaluated(postfix: list) -> float:
    stack = []
    for entry in postfix:
        if entry == "negate":
            stack.append(-stack.pop())
        elif isinstance(entry, str):
            right = stack.pop()
            stack.append(_applied(entry, stack.pop(), right))
        else:
            stack.append(entry)
    return stack.pop()


# The tools


_AIRPORTS = {
    "SFO": "San Francisco",
    "JFK": "New York",
    "LAX": "Los Angeles",
    "ORD": "Chicago",
    "DFW": "Dallas",
    "DEN": "Denver",
    "SEA": "Seattle",
    "ATL": "Atlanta",
    "MIA": "Miami",
    "BOS": "Boston",
    "PHX": "Phoenix",
    "IAH": "Houston",
    "LAS": "Las Vegas",
    "MCO": "Orlando",
    "EWR": "Newark",
    "CLT": "Charlotte",
    "MSP": "Minneapolis",
    "DTW": "Detroit",
    "PHL": "Philadelphia",
    "LGA": "LaGuardia",
}
_RESERVATIONS = ["HATHAT", "HATHAU", "HATHAV"]
_CERTIFICATES = ["certificate_3221322", "certificate_3221323", "certificate_3221324"]


def book_reservation(
    user_id: Annotated[str, "The customer's user id, such as 'sara_doe_496'."],
    origin: Annotated[str, "Airport code (IATA) where the journey begins."],
    destination: Annotated[str, "Airport code (IATA) where the journey leads."],
    flight_type: Annotated[Literal["one_way", "round_trip"], "Whether there is a way back."],
    cabin: Annotated[
        Literal["basic_economy", "economy", "business"], "One cabin for all flights and passengers."
    ],
    flights: Annotated[list[Leg], "Every flight of the journey in order, the way back included."],
    passengers: Annotated[list[Passenger], "Everybody who flies."],
    payment_methods: Annotated[
        list[Payment], "Who pays what; the amounts must add up to the total price exactly."
    ],
    total_baggages: Annotated[int, "Checked bags in all."],
    nonfree_baggages: Annotated[int, "Those of them that cost extra, at 50 dollars each."],
    insurance: Annotated[Literal["yes", "no"], "Travel insurance, 30 dollars a passenger."],
) -> dict:
    """Book a journey for a customer and take the payment. A certificate is spent whole, whatever the
    amount. Show the details and obtain the customer's confirmation first. Returns the reservation."""
    user = _user(user_id)
    unused = [each for each in _RESERVATIONS if db.get("reservations", each) is None]
    if not unused:
        raise ValueError("Too many reservations")
    seats = len(passengers)
    booked = [_bookable(leg, cabin, seats) for leg in flights]
    total = sum(flight["price"] for flight in booked) * seats + 50 * nonfree_baggages
    if insurance == "yes":
        total += 30 * seats
    methods = user["payment_methods"]
    _refuse_payments(methods, payment_methods, total)
    _spend(methods, payment_methods)
    for leg in flights:
        _take_seats(leg, cabin, seats)
    held = user["reservations"] + [unused[0]]
    db.update("users", user_id, {"payment_methods": methods, "reservations": held})
    reservation = {
        "reservation_id": unused[0],
        "user_id": user_id,
        "origin": origin,
        "destination": destination,
        "flight_type": flight_type,
        "cabin": cabin,
        "flights": booked,
        "passengers": _people(passengers),
        "payment_history": [
            {"payment_id": each.payment_id, "amount": each.amount} for each in payment_methods
        ],
        "created_at": clock.now().isoformat(),
        "total_baggages": total_baggages,
        "nonfree_baggages": nonfree_baggages,
        "insurance": insurance,
        "status": None,
    }
    return db.insert("reservations", reservation)


def calculate(
    expression: Annotated[
        str, "Numbers, + - * / //, parentheses and spaces, such as '2 * (49.99 + 5)'."
    ],
) -> str:
    """Work out an arithmetic expression. The result is text, rounded to two decimals."""
    if not all(char in "0123456789+-*/(). " for char in expression):
        raise ValueError("Invalid characters in expression")
    value = _evaluated(_postfix(expression))
    if abs(value) > 1e308:
        raise ValueError("int too large to convert to float")
    return str(money(float(value)))


def cancel_reservation(
    reservation_id: Annotated[str, "The reservation's id, such as 'ZFA04Y'."],
) -> dict:
    """Cancel a whole reservation and book the refund of every payment of it. It cannot be undone: obtain
    the customer's confirmation first. Returns the reservation."""
    payments = _reservation(reservation_id)["payment_history"]
    refunds = [{"payment_id": each["payment_id"], "amount": -each["amount"]} for each in payments]
    changed = {"payment_history": payments + refunds, "status": "cancelled"}
    return _shown(db.update("reservations", reservation_id, changed))


def get_reservation_details(
    reservation_id: Annotated[str, "The reservation's id, such as 'ZFA04Y'."],
) -> dict:
    """Look up a reservation: flights, cabin, passengers, bags, insurance, payments, and its status."""
    return _shown(_reservation(reservation_id))


def get_user_details(
    user_id: Annotated[str, "The customer's user id, such as 'sara_doe_496'."],
) -> dict:
    """Look up a customer: name, address, membership, payment methods, saved passengers, reservations."""
    return _user(user_id)


def list_all_airports() -> list:
    """List every airport that is flown to: its code (IATA) and its city."""
    return [{"iata": code, "city": city} for code, city in _AIRPORTS.items()]


def search_direct_flight(
    origin: Annotated[str, "Airport code (IATA) of departure."],
    destination: Annotated[str, "Airport code (IATA) of arrival."],
    date: Annotated[str, "Day of departure, YYYY-MM-DD."],
) -> list:
    """Find the flights from one airport to another that can be booked on a day, with seats and prices."""
    flights = db.find("flights", {"origin": origin, "destination": destination})
    return [_offer(flight, date, None) for flight in _leaving(flights, date)]


def search_onestop_flight(
    origin: Annotated[str, "Airport code (IATA) of departure."],
    destination: Annotated[str, "Airport code (IATA) of arrival."],
    date: Annotated[str, "Day of the first departure, YYYY-MM-DD."],
) -> list:
    """Find connections with one change from one airport to another, as pairs of flights that can be booked."""
    onward: dict[str, list] = {}
    for flight in db.find("flights", {"destination": destination}):
        onward.setdefault(flight["origin"], []).append(flight)
    pairs = []
    for first in _leaving(db.find("flights", {"origin": origin}), date):
        arrival = first["scheduled_arrival_time_est"]
        # As published: no leading zero, so no connection is found over the nights up to the 9th.
        day = f"2024-05-{int(date[-2:]) + 1}" if "+1" in arrival else date
        pairs += [
            [_offer(first, date, date), _offer(second, day, day)]
            for second in _leaving(onward.get(first["destination"], []), day, arrival)
        ]
    return pairs


def send_certificate(
    user_id: Annotated[str, "The customer's user id, such as 'sara_doe_496'."],
    amount: Annotated[int, "What the certificate is worth, in US dollars."],
) -> str:
    """Give a customer a travel certificate. Do not offer it unasked."""
    methods = _user(user_id)["payment_methods"]
    for certificate_id in _CERTIFICATES:
        if certificate_id not in methods:
            certificate = {"source": "certificate", "id": certificate_id, "amount": amount}
            methods[certificate_id] = certificate
            db.update("users", user_id, {"payment_methods": methods})
            return f"Certificate {certificate_id} added to user {user_id} with amount {amount}."
    raise ValueError("Too many certificates")


def transfer_to_human_agents(
    summary: Annotated[str, "What the customer wants, and why it is beyond these tools."],
) -> str:
    """Hand the customer over to a human agent: only when no other tool can do what is asked."""
    return "Transfer successful"


def update_reservation_baggages(
    reservation_id: Annotated[str, "The reservation's id, such as 'ZFA04Y'."],
    total_baggages: Annotated[int, "Checked bags in all, those booked before included."],
    nonfree_baggages: Annotated[int, "Those of them that cost extra, at 50 dollars each."],
    payment_id: Annotated[
        str, "Pays for what is added: a credit card or gift card of the customer."
    ],
) -> dict:
    """Change how many bags a reservation has. Show the details and obtain the customer's confirmation
    first. Returns the reservation."""
    reservation = _reservation(reservation_id)
    added = max(0, nonfree_baggages - reservation["nonfree_baggages"])
    changed = {
        "payment_history": _settle(reservation, payment_id, 50 * added),
        "total_baggages": total_baggages,
        "nonfree_baggages": nonfree_baggages,
    }
    return _shown(db.update("reservations", reservation_id, changed))


def update_reservation_flights(
    reservation_id: Annotated[str, "The reservation's id, such as 'ZFA04Y'."],
    cabin: Annotated[
        Literal["basic_economy", "economy", "business"], "The cabin from now on, changed or not."
    ],
    flights: Annotated[
        list[Leg], "Every flight of the journey in order, those that stay as they are included."
    ],
    payment_id: Annotated[
        str, "Pays or receives the difference: a credit card or gift card of the customer."
    ],
) -> dict:
    """Change the flights or the cabin of a reservation. What stays as it is keeps its price. Show the
    details and obtain the customer's confirmation first. Returns the reservation."""
    reservation = _reservation(reservation_id)
    seats = len(reservation["passengers"])
    booked = [_kept(reservation, leg, cabin) or _bookable(leg, cabin, seats) for leg in flights]
    before = sum(flight["price"] for flight in reservation["flights"])
    difference = (sum(flight["price"] for flight in booked) - before) * seats
    changed = {
        "payment_history": _settle(reservation, payment_id, difference),
        "flights": booked,
        "cabin": cabin,
    }
    return _shown(db.update("reservations", reservation_id, changed))


def update_reservation_passengers(
    reservation_id: Annotated[str, "The reservation's id, such as 'ZFA04Y'."],
    passengers: Annotated[list[Passenger], "Everybody who flies: as many people as before."],
) -> dict:
    """Correct or replace the passengers of a reservation. Show the details and obtain the customer's
    confirmation first. Returns the reservation."""
    if len(passengers) != len(_reservation(reservation_id)["passengers"]):
        raise ValueError("Number of passengers does not match")
    changed = {"passengers": _people(passengers)}
    return _shown(db.update("reservations", reservation_id, changed))


def get_flight_status(
    flight_number: Annotated[str, "Such as 'HAT001'."],
    date: Annotated[str, "Day of departure, YYYY-MM-DD."],
) -> str:
    """Look up how a flight stands on a day: available, on time, delayed, flying, landed or cancelled."""
    return _on_date(_flight(flight_number), date)["status"]
