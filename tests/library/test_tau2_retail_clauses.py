"""Each clause of the retail policy: a sequence on the published records that it flags, and one that it lets pass."""

from __future__ import annotations

from itertools import chain

import pytest

from tests.library.clauses import Case, Event, clauses, violated, write
from tests.library.retail_hand import (
    AVAS_CARD,
    AVAS_GIFT,
    BRUSH,
    CAMERA,
    CHAIR,
    DB,
    DEARER_BRUSH,
    DEARER_CAMERA,
    HOME,
    IN_BOOTS,
    IN_BOTTLE,
    IN_BRUSH,
    IN_CAMERA,
    IN_CHAIR,
    IN_KEYBOARD,
    IN_SHIRT,
    KEYBOARD,
    LOPEZ_CARD,
    LOPEZ_GIFT,
    MAIL,
    OLIVIA,
    OLIVIAS_GIFT,
    OMAR,
    OMARS_CARD,
    OMARS_GIFT,
    OTHER_BOOTS,
    OTHER_BOTTLE,
    OTHER_CHAIR,
    OTHER_KEYBOARD,
    OTHER_SHIRT,
    SHIRT,
    SOLD_OUT_CAMERA,
    SOLD_OUT_SHIRT,
    THIRD_SHIRT,
    TSHIRTS,
    TWO_WAYS,
    TWO_WAYS_CARD,
    TWO_WAYS_GIFT,
    TWO_WAYS_ITEM,
    WATCH,
    asked,
    booked,
    cancel,
    cancelled,
    exchange,
    exchanged,
    found,
    give_back,
    live_at,
    looked_at,
    modify,
    order,
    overdrawn,
    pay_by,
    repaid,
    replaced,
    returned,
    ship_to,
    wrote,
)
from tests.library.tau2 import RETAIL, Call
from worlds.intent import Finish
from worlds.rulecheck import rule_findings
from worlds.world import World

WORDS = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."
HAND_OVER = ("transfer_to_human_agents", {"summary": "It is beyond my tools."})
UNKNOWN = "credit_card_1"
"""A payment method of nobody."""
MODIFIED = modify(SHIRT, [IN_SHIRT], [OTHER_SHIRT], OMARS_CARD)
BRUSHED = modify(BRUSH, [IN_BRUSH], [DEARER_BRUSH], OLIVIAS_GIFT)
EXCHANGED = exchange(CAMERA, [IN_BOTTLE], [OTHER_BOTTLE], LOPEZ_GIFT)
RETURNED = give_back(CAMERA, [IN_BOTTLE], LOPEZ_CARD)
LOPEZ = DB["orders"][CAMERA]["user_id"]
OWNERS = {each: DB["orders"][each]["user_id"] for each in (SHIRT, CAMERA)}


def unchecked(order_id: str, call: Event) -> list[Event]:
    """A dialogue in which the order is never looked at before the call."""
    return [MAIL, found(OWNERS[order_id]), asked(), call]


def checked(order_id: str, call: Event) -> list[Event]:
    """The same with a look at the order."""
    return [MAIL, found(OWNERS[order_id]), looked_at(order_id), asked(), call]


def keyboard_in_a_shirt_order() -> dict[str, object]:
    """The T-shirt of an order replaced by a keyboard."""
    row = replaced(order(SHIRT), OTHER_KEYBOARD, OMARS_CARD)
    row["items"][0]["product_id"] = DB["orders"][KEYBOARD]["items"][0]["product_id"]
    return row


TWICE_MODIFIED = replaced(replaced(order(SHIRT), OTHER_SHIRT, OMARS_CARD), THIRD_SHIRT, OMARS_CARD)
PRICE = order(SHIRT)["payment_history"][0]["amount"]
CARD_BACK = booked("refund", PRICE, OMARS_CARD)
GIFT_PAID = booked("payment", PRICE, OMARS_GIFT)
BRUSH_PRICE = order(BRUSH)["payment_history"][0]
WATCH_PRICE = order(WATCH)["payment_history"][0]["amount"]
BITCOIN = {"bitcoin_1": {"source": "bitcoin", "id": "bitcoin_1"}}
OMARS_METHODS = DB["users"][OMAR]["payment_methods"]

POLICY = [
    Case("no-other-status", [write("orders", SHIRT, status="delivered")], [cancel(SHIRT)]),
    Case(
        "only-the-address-of-a-profile",
        [write("users", OMAR, email="another@example.com")],
        [live_at(OMAR)],
    ),
    Case(
        "catalogue-is-only-read",
        [write("products", TSHIRTS, name="Shirt")],
        [("get_product_details", {"product_id": TSHIRTS})],
    ),
    Case(
        "authenticated-first",
        [MAIL, asked(), live_at(OMAR)],
        [MAIL, found(OMAR), asked(), live_at(OMAR)],
    ),
    Case(
        "user-id-is-not-enough",
        [MAIL, ("get_user_details", {"user_id": OMAR})],
        [MAIL, found(OMAR), ("get_user_details", {"user_id": OMAR})],
    ),
    Case(
        "information-after-authentication",
        [MAIL, looked_at(SHIRT)],
        [MAIL, found(OMAR), looked_at(SHIRT)],
    ),
    Case("one-user", [cancel(SHIRT), live_at(OLIVIA)], [cancel(SHIRT), live_at(OMAR)]),
    Case(
        "yes-before-a-write",
        [MAIL, found(OMAR), asked("Wait, where will it go?"), live_at(OMAR)],
        [MAIL, found(OMAR), asked("Sure, go ahead!"), live_at(OMAR)],
    ),
    Case("nothing-after-a-hand-off", [HAND_OVER, looked_at(SHIRT)], [looked_at(SHIRT), HAND_OVER]),
    Case(
        "words-only-after-a-hand-off",
        [MAIL, Finish(message=WORDS)],
        [MAIL, HAND_OVER, Finish(message=WORDS)],
    ),
    Case(
        "words-after-a-hand-off",
        [MAIL, HAND_OVER, Finish(message="Somebody will call you.")],
        [MAIL, HAND_OVER, Finish(message=WORDS)],
    ),
]
BASIC = [
    Case(
        "kinds-of-payment",
        [write("users", OMAR, payment_methods={**OMARS_METHODS, **BITCOIN})],
        [live_at(OMAR)],
    ),
    Case(
        "fifty-products",
        [
            (
                "insert",
                {"table": "products", "row": {"product_id": "1", "name": "Hat", "variants": {}}},
            ),
            Finish(),
        ],
        [Finish()],
    ),
    Case(
        "a-product-is-no-item",
        [("get_product_details", {"product_id": IN_SHIRT})],
        [("get_product_details", {"product_id": TSHIRTS})],
    ),
    Case(
        "an-item-is-no-product",
        [("get_item_details", {"item_id": TSHIRTS})],
        [("get_item_details", {"item_id": IN_SHIRT})],
    ),
    Case("known-statuses", [write("orders", SHIRT, status="shipped")], [cancel(SHIRT)]),
]
CANCEL = [
    Case("pending-only", [cancelled(KEYBOARD)], [cancel(SHIRT)]),
    Case("status-checked", unchecked(SHIRT, cancel(SHIRT)), checked(SHIRT, cancel(SHIRT))),
    Case("reason", [cancelled(SHIRT, "too expensive")], [cancel(SHIRT, "ordered by mistake")]),
    Case("whole-total-refunded", [pay_by(SHIRT, OMARS_GIFT), cancel(SHIRT)], [cancel(SHIRT)]),
    Case("refunded-to-the-original-method", [cancelled(SHIRT, to=OMARS_GIFT)], [cancelled(SHIRT)]),
    Case("gift-card-credited-at-once", [cancelled(WATCH)], [cancel(WATCH)]),
]
MODIFY = [
    Case("pending-only", [write("orders", KEYBOARD, address=HOME)], [ship_to(SHIRT)]),
    Case("status-checked", unchecked(SHIRT, ship_to(SHIRT)), checked(SHIRT, ship_to(SHIRT))),
    Case(
        "nothing-else",
        [write("orders", SHIRT, fulfillments=[{"tracking_id": ["1"], "item_ids": [IN_SHIRT]}])],
        [ship_to(SHIRT)],
    ),
    Case(
        "one-other-method",
        [repaid(SHIRT, *[booked("payment", PRICE / 2, OMARS_GIFT)] * 2, CARD_BACK)],
        [pay_by(SHIRT, OMARS_GIFT)],
    ),
    Case(
        "gift-card-covers-the-total",
        [
            overdrawn(OLIVIA, OLIVIAS_GIFT),
            repaid(
                BRUSH,
                {**BRUSH_PRICE, "payment_method_id": OLIVIAS_GIFT},
                {**BRUSH_PRICE, "transaction_type": "refund"},
            ),
        ],
        [pay_by(SHIRT, OMARS_GIFT)],
    ),
    Case(
        "status-kept",
        [repaid(SHIRT, GIFT_PAID, CARD_BACK, status="pending (item modified)")],
        [pay_by(SHIRT, OMARS_GIFT)],
    ),
    Case("original-method-refunded", [repaid(SHIRT, GIFT_PAID)], [pay_by(SHIRT, OMARS_GIFT)]),
    Case(
        "original-gift-card-credited-at-once",
        [
            repaid(
                WATCH,
                booked("payment", WATCH_PRICE, AVAS_CARD),
                booked("refund", WATCH_PRICE, AVAS_GIFT),
            )
        ],
        [pay_by(WATCH, AVAS_CARD)],
    ),
    Case("items-once", [MODIFIED, wrote(TWICE_MODIFIED)], [MODIFIED]),
    Case(
        "status-after-items",
        [wrote(replaced(order(SHIRT), OTHER_SHIRT, OMARS_CARD, status="pending"))],
        [MODIFIED],
    ),
    Case("modified-is-final", [MODIFIED, ship_to(SHIRT)], [ship_to(SHIRT), MODIFIED]),
    Case("available-item", [wrote(replaced(order(SHIRT), SOLD_OUT_SHIRT, OMARS_CARD))], [MODIFIED]),
    Case(
        "different-option", [write("orders", SHIRT, status="pending (item modified)")], [MODIFIED]
    ),
    Case("same-product", [wrote(keyboard_in_a_shirt_order())], [MODIFIED]),
    Case("method-of-the-user", [wrote(replaced(order(SHIRT), OTHER_SHIRT, UNKNOWN))], [MODIFIED]),
    Case(
        "difference-settled",
        [
            wrote(
                replaced(
                    order(SHIRT),
                    OTHER_SHIRT,
                    OMARS_CARD,
                    payment_history=order(SHIRT)["payment_history"],
                )
            )
        ],
        [MODIFIED],
    ),
    Case(
        "gift-card-covers-the-difference",
        [
            overdrawn(OLIVIA, OLIVIAS_GIFT),
            wrote(replaced(order(BRUSH), DEARER_BRUSH, OLIVIAS_GIFT)),
        ],
        [BRUSHED],
    ),
]
RETURN = [
    Case("delivered-only", [returned(KEYBOARD, [IN_KEYBOARD], AVAS_CARD)], [RETURNED]),
    Case("status-checked", unchecked(CAMERA, RETURNED), checked(CAMERA, RETURNED)),
    Case("items-of-the-order", [returned(CAMERA, [IN_BOTTLE] * 2, LOPEZ_CARD)], [RETURNED]),
    Case("method-given", [returned(CAMERA, [IN_BOTTLE], UNKNOWN)], [RETURNED]),
    Case(
        "refund-to-the-original-method-or-a-gift-card",
        [returned(TWO_WAYS, [TWO_WAYS_ITEM], TWO_WAYS_CARD)],
        [give_back(TWO_WAYS, [TWO_WAYS_ITEM], TWO_WAYS_GIFT)],
    ),
    Case(
        "status-after-return",
        [returned(CAMERA, [IN_BOTTLE], LOPEZ_CARD, status="delivered")],
        [RETURNED],
    ),
]
EXCHANGE = [
    Case(
        "delivered-only",
        [exchanged(KEYBOARD, [IN_KEYBOARD], [OTHER_KEYBOARD], AVAS_CARD)],
        [EXCHANGED],
    ),
    Case("status-checked", unchecked(CAMERA, EXCHANGED), checked(CAMERA, EXCHANGED)),
    Case(
        "items-of-the-order",
        [exchanged(CAMERA, [IN_SHIRT], [OTHER_SHIRT], LOPEZ_CARD)],
        [EXCHANGED],
    ),
    Case(
        "available-item",
        [exchanged(CAMERA, [IN_CAMERA], [SOLD_OUT_CAMERA], LOPEZ_CARD)],
        [EXCHANGED],
    ),
    Case("different-option", [exchange(CAMERA, [IN_CAMERA], [IN_CAMERA], LOPEZ_CARD)], [EXCHANGED]),
    Case("same-product", [exchanged(CAMERA, [IN_BOTTLE], [IN_SHIRT], LOPEZ_CARD)], [EXCHANGED]),
    Case(
        "method-of-the-user", [exchanged(CAMERA, [IN_BOTTLE], [OTHER_BOTTLE], UNKNOWN)], [EXCHANGED]
    ),
    Case(
        "price-difference",
        [exchanged(CAMERA, [IN_BOTTLE], [OTHER_BOTTLE], LOPEZ_CARD, exchange_price_difference=0.0)],
        [EXCHANGED],
    ),
    Case(
        "gift-card-covers-the-difference",
        [exchanged(CAMERA, [IN_CAMERA], [DEARER_CAMERA], LOPEZ_GIFT)],
        [EXCHANGED],
    ),
    Case(
        "status-after-exchange",
        [exchanged(CAMERA, [IN_BOTTLE], [OTHER_BOTTLE], LOPEZ_CARD, status="delivered")],
        [EXCHANGED],
    ),
    Case(
        "no-new-order",
        [("insert", {"table": "orders", "row": {**order(SHIRT), "order_id": "#W1"}})],
        [EXCHANGED],
    ),
]
GENERIC = [
    Case("pending-or-delivered", [write("orders", KEYBOARD, fulfillments=[])], [RETURNED]),
    Case(
        "once-per-order",
        [ship_to(SHIRT), ship_to(SHIRT, address2="Flat 2")],
        [ship_to(SHIRT), MODIFIED],
    ),
]
SECTIONS = {
    "retail-agent-policy": POLICY,
    "domain-basic": BASIC,
    "cancel-pending-order": CANCEL,
    "modify-pending-order": MODIFY,
    "return-delivered-order": RETURN,
    "exchange-delivered-order": EXCHANGE,
    "generic-action-rules": GENERIC,
}
CASES = {f"{slug}/{case.clause}": case for slug, cases in SECTIONS.items() for case in cases}

TOGETHER = {
    "domain-basic/kinds-of-payment": ["retail-agent-policy/only-the-address-of-a-profile"],
    "domain-basic/fifty-products": ["retail-agent-policy/catalogue-is-only-read"],
    "modify-pending-order/status-kept": ["modify-pending-order/different-option"],
}
"""What cannot be done without breaking another clause."""


@pytest.mark.parametrize("name", CASES)
def test_the_clause_flags_what_breaks_it_and_no_other_clause_does(name: str) -> None:
    assert set(violated(RETAIL, CASES[name].flagged)) == {name, *TOGETHER.get(name, ())}


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_said_against_what_the_policy_allows(name: str) -> None:
    assert violated(RETAIL, CASES[name].allowed) == []


def test_every_clause_has_its_pair() -> None:
    assert set(CASES) == clauses(RETAIL)
    assert len(CASES) == len(list(chain(*SECTIONS.values())))


def test_no_sentence_that_demands_something_is_left_uncovered() -> None:
    folder = RETAIL.folder
    spec = next(iter(folder.all_environments()))
    assert list(rule_findings(World(folder.bundle(spec)))) == []


@pytest.mark.parametrize(
    "reply",
    [
        "yes",
        "Yes.",
        "YES, please proceed",
        "Yeah, that's fine",
        "ok",
        "Okay, go ahead.",
        "Sure!",
        "That is correct.",
        "Confirmed",
        "I confirm.",
        "No changes. Yes, do it.",
        "Please cancel it.",
        "Sounds good, thank you",
        "No problem, go ahead",
        "I’m not sure why you ask, but yes",
    ],
)
def test_a_yes_is_a_yes_however_it_is_said(reply: str) -> None:
    assert violated(RETAIL, [MAIL, found(OMAR), asked(reply), live_at(OMAR)]) == []


@pytest.mark.parametrize(
    "reply",
    [
        "no",
        "No, that's not correct.",
        "Please don't proceed.",
        "I don’t agree",
        "Hold on a moment.",
        "What about yesterday's order?",
        "My address is 12 Okeechobee Road",
        "",
    ],
)
def test_what_is_no_yes_is_none(reply: str) -> None:
    flagged = violated(RETAIL, [MAIL, found(OMAR), asked(reply), live_at(OMAR)])
    assert flagged == ["retail-agent-policy/yes-before-a-write"]


def test_one_yes_serves_for_all_that_was_asked_at_once() -> None:
    before: list[Event] = [MAIL, found(OMAR), looked_at(SHIRT), asked("Yes, both.")]
    assert violated(RETAIL, [*before, cancel(SHIRT), live_at(OMAR)]) == []


def test_whoever_was_authenticated_as_another_user_was_not_authenticated() -> None:
    flagged = violated(RETAIL, [MAIL, found(OLIVIA), asked(), live_at(OMAR)])
    assert flagged == [
        "retail-agent-policy/authenticated-first",
        "retail-agent-policy/one-user",
    ]


def test_a_scripted_plan_without_words_need_not_ask_anybody() -> None:
    assert violated(RETAIL, [cancel(SHIRT), live_at(OMAR), Finish()]) == []


def test_several_items_at_once_are_one_change() -> None:
    call = modify(CHAIR, [IN_CHAIR, IN_BOOTS], [OTHER_CHAIR, OTHER_BOOTS], LOPEZ_CARD)
    assert violated(RETAIL, [call]) == []


def test_an_item_in_both_lists_of_an_exchange_may_have_changed_hands() -> None:
    """Two backpacks A and B for B and C: each got other options. The lists of the row are sorted, so A for A beside
    B for C cannot be told from A for C beside B for A, and passes."""
    one, other, third = "5917587651", "6309044598", "3928046918"
    assert violated(RETAIL, [_backpacks([one, other], [other, third])]) == []
    flagged = violated(RETAIL, [_backpacks([one], [one])])
    assert flagged == ["exchange-delivered-order/different-option"]


def _backpacks(old: list[str], new: list[str]) -> Call:
    return exchange("#W7913362", old, new, "credit_card_8169552")
