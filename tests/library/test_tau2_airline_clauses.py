"""Each clause of the airline's policy on the published records: what it must flag, and what it must let pass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.library.airline_bookings import (
    DAY,
    FLIGHT,
    GOLD,
    REGULAR,
    SILVER,
    bags,
    book,
    cancel,
    certificate,
    change,
    insert,
    look,
    people,
    person,
    reservation,
    same_flights,
)
from tests.library.clauses import Case, Spoken, clauses, violated, write
from tests.library.tau2 import AIRLINE, LIBRARY, Call
from worlds.library import read
from worlds.sentences import uncovered

WORDS = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."
TRANSFER: Call = ("transfer_to_human_agents", {"summary": "Wants what no tool can do."})
CARD = "credit_card_9074831"
"""Of the silver member, whose M20IZO (economy, JFK by ATL to MCO, two passengers, a bag) is changed below."""


def asked(*answers: str) -> Spoken:
    """The agent asks for what it needs, and the user says so much."""
    return Spoken("What may I do for you, and on what account?", " ".join(answers))


CONFIRM = Spoken("Shall I go ahead with this?", "Yes, please.")
KNOWN = asked(f"I am {SILVER}, and it is about M20IZO.")
LATER = change(
    "M20IZO", "economy", ("HAT268", "2024-05-23"), ("HAT010", "2024-05-23"), payment=CARD
)
UPGRADE = same_flights("KC18K6", "economy", "credit_card_4196779")
RICH = "amelia_ito_8544"
GIFTS = ["gift_card_5891189", "gift_card_7594049", "gift_card_1791920", "gift_card_4259408"]
CANCELLED_GOLD, DELAYED_SILVER = "lei_kim_3687", "noah_garcia_4365"


def legs(key: str, **fields: Any) -> list[dict[str, Any]]:
    """The flights of a reservation, with the first one changed."""
    flights: list[dict[str, Any]] = reservation(key)["flights"]
    return [{**flights[0], **fields}, *flights[1:]]


def priced(key: str, cabin: str) -> list[dict[str, Any]]:
    """The flights of a reservation as another cabin lists them."""
    dates = {each: AIRLINE.db["flights"][each]["dates"] for each in AIRLINE.db["flights"]}
    return [
        {**leg, "price": dates[leg["flight_number"]][leg["date"]]["prices"][cabin]}
        for leg in reservation(key)["flights"]
    ]


def paid(key: str, payment_id: str, amount: float) -> list[dict[str, Any]]:
    """The payments of a reservation, and one more."""
    before: list[dict[str, Any]] = reservation(key)["payment_history"]
    return [*before, {"payment_id": payment_id, "amount": amount}]


def seats(**left: int) -> dict[str, Any]:
    """The days of a flight, with other seats left on one of them."""
    dates: dict[str, Any] = json.loads(json.dumps(AIRLINE.db["flights"][FLIGHT]["dates"]))
    dates[DAY]["available_seats"].update(left)
    return dates


POLICY = [
    Case(
        "airline-agent-policy/books-at-the-current-time",
        [insert(row={"created_at": "2024-05-14T15:00:00"})],
        [book()],
    ),
    Case(
        "airline-agent-policy/yes-before-write",
        [KNOWN, look("M20IZO"), Spoken("This costs 20 dollars.", "What about Friday?"), LATER],
        [KNOWN, look("M20IZO"), CONFIRM, LATER],
    ),
    Case(
        "airline-agent-policy/nothing-after-transfer",
        [TRANSFER, look("M20IZO")],
        [look("M20IZO"), TRANSFER],
    ),
    Case(
        "airline-agent-policy/words-after-transfer",
        [KNOWN, TRANSFER, Spoken("Good-bye.", "Bye.")],
        [KNOWN, TRANSFER, Spoken(WORDS, "Thanks.")],
    ),
    Case(
        "airline-agent-policy/transfer-before-words",
        [KNOWN, Spoken(WORDS, "Thanks.")],
        [KNOWN, TRANSFER, Spoken(WORDS, "Thanks.")],
    ),
]
BOOK = [
    Case(
        "book-flight/user-id-from-user",
        [asked("No insurance. I am Sophia."), CONFIRM, book()],
        [asked(f"No insurance. I am {REGULAR}."), CONFIRM, book()],
    ),
    Case(
        "book-flight/one-cabin-priced",
        [insert(row={"cabin": "business"})],
        [book(cabin="business")],
    ),
    Case(
        "book-flight/at-most-five-passengers",
        [book(passengers=people(6))],
        [book(passengers=people(5))],
    ),
    Case(
        "book-flight/passengers-named",
        [book(passengers=[person("Ann", "Lee", "2042-01-01")])],
        [book(passengers=[person("Ann", "Lee", "2022-01-01")])],
    ),
    Case(
        "book-flight/birth-date-as-known",
        [book(passengers=[person("Sophia", "Silva", "1957-05-10")])],
        [book(passengers=[person("Sophia", "Silva", "1957-10-05")])],
    ),
    Case(
        "book-flight/name-as-known",
        [book(passengers=[person("Iara", "Silva", "1972-06-16")])],
        [book(passengers=[person("Yara", "Silva", "1972-06-16")])],
    ),
    Case(
        "book-flight/one-cabin-for-all-passengers",
        [write("flights", FLIGHT, dates=seats(economy=11, business=2))],
        [book(passengers=people(2))],
    ),
    Case(
        "book-flight/one-certificate",
        [book(GOLD, pay={"certificate_4856383": 50.0, "certificate_7504069": 50.0})],
        [book(GOLD, pay={"certificate_7504069": 100.0})],
    ),
    Case(
        "book-flight/one-credit-card",
        [book(GOLD, pay={"credit_card_1955700": 50.0})],
        [book(GOLD, pay={"certificate_4856383": 100.0})],
    ),
    Case(
        "book-flight/three-gift-cards",
        [book(RICH, pay=dict.fromkeys(GIFTS, 1.0))],
        [book(RICH, pay=dict.fromkeys(GIFTS[:3], 1.0))],
    ),
    Case(
        "book-flight/certificate-spent-whole",
        [insert(GOLD, pay={"certificate_7504069": 100.0})],
        [book(GOLD, pay={"certificate_7504069": 100.0})],
    ),
    Case(
        "book-flight/payment-in-profile",
        [insert(pay={"credit_card_1955700": 50.0})],
        [book(pay={"gift_card_5094406": 50.0})],
    ),
    *(
        Case(
            f"book-flight/free-bags-{level}-{cabin.replace('_', '-')}",
            [book(user, cabin=cabin, total_baggages=free + 1)],
            [book(user, cabin=cabin, total_baggages=free + 1, nonfree_baggages=1)],
        )
        for least, (level, user) in enumerate(
            [("regular", REGULAR), ("silver", SILVER), ("gold", GOLD)]
        )
        for free, cabin in enumerate(["basic_economy", "economy", "business"], start=least)
    ),
    Case(
        "book-flight/extra-bag-fifty-dollars",
        [insert(row={"total_baggages": 2, "nonfree_baggages": 1})],
        [book(total_baggages=2, nonfree_baggages=1)],
    ),
    Case(
        "book-flight/added-bag-fifty-dollars",
        [write("reservations", "M20IZO", total_baggages=5, nonfree_baggages=1)],
        [bags("M20IZO", 5, 1, CARD)],
    ),
    Case(
        "book-flight/bags-spoken-of",
        [asked(f"I am {REGULAR}. No insurance."), CONFIRM, book(total_baggages=1)],
        [asked(f"I am {REGULAR}. One bag, no insurance."), CONFIRM, book(total_baggages=1)],
    ),
    Case(
        "book-flight/insurance-spoken-of",
        [asked(f"I am {REGULAR}."), CONFIRM, book()],
        [asked(f"I am {REGULAR}."), Spoken("Do you want insurance?", "No. Go ahead."), book()],
    ),
    Case(
        "book-flight/insurance-thirty-dollars",
        [insert(row={"insurance": "yes"})],
        [book(insurance="yes")],
    ),
]
BASIC = [
    Case(
        "domain-basic/only-listed-is-booked",
        [insert(flights=[{"flight_number": FLIGHT, "date": "2024-05-15"}])],
        [book()],
    ),
    Case(
        "domain-basic/delayed-or-on-time-not-booked",
        [insert(flights=[{"flight_number": "HAT136", "date": "2024-05-15"}], destination="ATL")],
        [book(flights=[{"flight_number": "HAT136", "date": DAY}], destination="ATL")],
    ),
    Case(
        "domain-basic/flying-not-booked",
        [insert(flights=[{"flight_number": "HAT023", "date": "2024-05-15"}], destination="SFO")],
        [book(flights=[{"flight_number": "HAT023", "date": DAY}], destination="SFO")],
    ),
    Case(
        "domain-basic/seats-in-the-cabin",
        [insert(cabin="business", passengers=people(4))],
        [book(cabin="business", passengers=people(3))],
    ),
    Case("domain-basic/flights-make-the-trip", [book(destination="SFO")], [book()]),
]
MODIFY = [
    Case(
        "modify-flight/reservation-id-known",
        [asked(f"I am {SILVER}."), CONFIRM, LATER],
        [KNOWN, look("M20IZO"), CONFIRM, LATER],
    ),
    Case(
        "modify-flight/user-id-given",
        [asked("It is about M20IZO."), look("M20IZO"), CONFIRM, LATER],
        [KNOWN, look("M20IZO"), CONFIRM, LATER],
    ),
    Case(
        "modify-flight/looked-at-before-change",
        [KNOWN, CONFIRM, LATER],
        [KNOWN, look("M20IZO"), CONFIRM, LATER],
    ),
    Case(
        "modify-flight/basic-economy-flights-stay",
        [
            change(
                "IFOYYZ",
                "basic_economy",
                ("HAT157", "2024-05-27"),
                ("HAT215", "2024-05-30"),
                payment=CARD,
            )
        ],
        [same_flights("IFOYYZ", "business", CARD)],
    ),
    Case(
        "modify-flight/origin-destination-and-type-stay",
        [write("reservations", "M20IZO", flight_type="round_trip")],
        [LATER],
    ),
    Case(
        "modify-flight/flights-lead-where-they-did",
        [change("M20IZO", "economy", ("HAT268", "2024-05-22"), payment=CARD)],
        [LATER],
    ),
    Case(
        "modify-flight/kept-segments-keep-price",
        [write("reservations", "M20IZO", flights=legs("M20IZO", price=99))],
        [
            change(
                "M20IZO",
                "economy",
                ("HAT268", "2024-05-22"),
                ("HAT010", "2024-05-23"),
                payment=CARD,
            )
        ],
    ),
    Case(
        "modify-flight/cabin-stays-once-flown",
        [write("reservations", "WUNA5K", cabin="business")],
        [UPGRADE],
    ),
    Case(
        "modify-flight/one-cabin-repriced",
        [write("reservations", "KC18K6", cabin="economy")],
        [UPGRADE],
    ),
    Case(
        "modify-flight/higher-price-is-paid",
        [write("reservations", "KC18K6", cabin="economy", flights=priced("KC18K6", "economy"))],
        [UPGRADE],
    ),
    Case(
        "modify-flight/lower-price-is-refunded",
        [write("reservations", "JG7FMM", cabin="economy", flights=priced("JG7FMM", "economy"))],
        [same_flights("JG7FMM", "economy", "credit_card_2929732")],
    ),
    Case(
        "modify-flight/bags-not-removed",
        [bags("M20IZO", 0, 0, CARD)],
        [bags("M20IZO", 2, 0, CARD)],
    ),
    Case(
        "modify-flight/insurance-not-added",
        [write("reservations", "M20IZO", insurance="yes")],
        [LATER],
    ),
    Case(
        "modify-flight/number-of-passengers-stays",
        [write("reservations", "M20IZO", passengers=people(1))],
        [
            (
                "update_reservation_passengers",
                {"reservation_id": "M20IZO", "passengers": people(2)},
            )
        ],
    ),
    Case(
        "modify-flight/changed-flights-are-settled",
        [write("reservations", "M20IZO", flights=legs("M20IZO", date="2024-05-21", price=1))],
        [LATER],
    ),
    Case(
        "modify-flight/one-gift-or-credit-card",
        [
            write(
                "reservations",
                "M20IZO",
                flights=legs("M20IZO", date="2024-05-21"),
                payment_history=paid("M20IZO", "certificate_9645872", 10),
            )
        ],
        [LATER],
    ),
    Case(
        "modify-flight/payment-in-profile",
        [
            write(
                "reservations",
                "M20IZO",
                nonfree_baggages=1,
                payment_history=paid("M20IZO", "credit_card_4421486", 50),
            )
        ],
        [bags("M20IZO", 5, 1, CARD)],
    ),
]
SICK = asked("I am daiki_muller_1116, and 59XX6W must go: I am ill.")
CANCEL = [
    Case(
        "cancel-flight/reservation-id-known",
        [asked("I am daiki_muller_1116, and I am ill."), CONFIRM, cancel("59XX6W")],
        [SICK, look("59XX6W"), CONFIRM, cancel("59XX6W")],
    ),
    Case(
        "cancel-flight/user-id-given",
        [asked("59XX6W must go: I am ill."), look("59XX6W"), CONFIRM, cancel("59XX6W")],
        [SICK, look("59XX6W"), CONFIRM, cancel("59XX6W")],
    ),
    Case("cancel-flight/nothing-flown", [cancel("NQNU5R")], [cancel("8C8K4E")]),
    Case("cancel-flight/ground-to-cancel", [cancel("XEHM4B")], [cancel("K1NW8N")]),
    Case(
        "cancel-flight/insured-reason",
        [
            asked("I am daiki_muller_1116, and 59XX6W must go: I stay at home."),
            look("59XX6W"),
            CONFIRM,
            cancel("59XX6W"),
        ],
        [SICK, look("59XX6W"), CONFIRM, cancel("59XX6W")],
    ),
    Case(
        "cancel-flight/looked-at-before-cancel",
        [SICK, CONFIRM, cancel("59XX6W")],
        [SICK, look("59XX6W"), CONFIRM, cancel("59XX6W")],
    ),
    Case(
        "cancel-flight/refund-to-original-methods",
        [write("reservations", "8C8K4E", status="cancelled")],
        [cancel("8C8K4E")],
    ),
]
ANGRY = asked(f"I am {CANCELLED_GOLD}, ZVFU5N was cancelled, and I want a compensation.")
COMPENSATION = [
    Case(
        "refunds-and-compensation/asked-for",
        [
            asked(f"I am {CANCELLED_GOLD}, and ZVFU5N was cancelled."),
            look("ZVFU5N"),
            certificate(CANCELLED_GOLD, 100),
        ],
        [ANGRY, look("ZVFU5N"), certificate(CANCELLED_GOLD, 100)],
    ),
    Case(
        "refunds-and-compensation/facts-confirmed",
        [ANGRY, certificate(CANCELLED_GOLD, 100)],
        [ANGRY, look("ZVFU5N"), certificate(CANCELLED_GOLD, 100)],
    ),
    Case(
        "refunds-and-compensation/not-for-regular-uninsured-economy",
        [certificate("james_garcia_3490", 100)],
        [certificate(CANCELLED_GOLD, 100)],
    ),
    Case(
        "refunds-and-compensation/only-members-insured-or-business",
        [certificate("harper_garcia_8677", 200)],
        [certificate(CANCELLED_GOLD, 100)],
    ),
    Case(
        "refunds-and-compensation/hundred-for-each-passenger",
        [certificate(CANCELLED_GOLD, 50)],
        [certificate(CANCELLED_GOLD, 100)],
    ),
    Case(
        "refunds-and-compensation/fifty-for-each-passenger",
        [cancel("SCVMEC"), certificate(DELAYED_SILVER, 200)],
        [cancel("SCVMEC"), certificate(DELAYED_SILVER, 100)],
    ),
    Case(
        "refunds-and-compensation/changed-or-cancelled-first",
        [certificate(DELAYED_SILVER, 100)],
        [cancel("SCVMEC"), certificate(DELAYED_SILVER, 100)],
    ),
    Case(
        "refunds-and-compensation/no-other-reason",
        [certificate(GOLD, 100)],
        [certificate(CANCELLED_GOLD, 100)],
    ),
]
CASES = [*POLICY, *BOOK, *BASIC, *MODIFY, *CANCEL, *COMPENSATION]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.clause)
def test_a_clause_flags_what_breaks_it(case: Case) -> None:
    assert case.clause in violated(AIRLINE, case.flagged)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.clause)
def test_a_clause_lets_pass_what_keeps_the_policy(case: Case) -> None:
    assert violated(AIRLINE, case.allowed) == []


@pytest.mark.parametrize(
    ("clause", "stranger", "spoken"),
    [
        (
            "book-flight/birth-date-as-known",
            person("Sophia", "Silva", "1961-05-10"),
            "I am sophia_silva_7557, for my niece Sophia Silva, born on May 10, 1961. No insurance.",
        ),
        (
            "book-flight/name-as-known",
            person("Iara", "Silva", "1972-06-16"),
            "I am sophia_silva_7557, for Yara's twin sister Iara. No insurance.",
        ),
    ],
)
def test_who_is_much_like_somebody_in_the_profile_flies_when_the_user_says_so(
    clause: str, stranger: dict[str, str], spoken: str
) -> None:
    booking = book(passengers=[stranger])
    unsaid = "I am sophia_silva_7557. No insurance."
    assert clause in violated(AIRLINE, [asked(unsaid), CONFIRM, booking])
    assert violated(AIRLINE, [asked(spoken), CONFIRM, booking]) == []


def test_one_card_named_twice_is_one_card() -> None:
    card, (tool, args) = "credit_card_4421486", book(GOLD)
    (whole,) = args["payment_methods"]
    halves = [{"payment_id": card, "amount": amount} for amount in (50, whole["amount"] - 50)]
    assert violated(AIRLINE, [(tool, {**args, "payment_methods": halves})]) == []


def test_every_clause_has_its_pair() -> None:
    assert sorted(case.clause for case in CASES) == sorted(clauses(AIRLINE))


def test_every_sentence_that_demands_something_is_a_clause_or_a_judgement() -> None:
    left = {
        slug: uncovered(file.body.text, tuple(_quotes(slug)))
        for slug, file in AIRLINE.folder.rules.items()
    }
    assert left == dict.fromkeys(left, ())


def _quotes(slug: str) -> list[str]:
    rule = AIRLINE.folder.rules[slug].body
    return [*(clause.quote for clause in rule.clauses), *rule.judgement]


def test_no_clause_or_judgement_of_ours_is_lost_on_the_way() -> None:
    (ours,) = read(LIBRARY / "tau2-airline")
    for slug, file in ours.rules.items():
        published = AIRLINE.folder.rules[slug].body
        assert published.clauses == file.body.clauses
        assert published.judgement == file.body.judgement


def test_the_published_solutions_keep_the_policy() -> None:
    broken = {task: violated(AIRLINE, plan) for task, plan in AIRLINE.plans.items()}
    assert {task: names for task, names in broken.items() if names} == {}
