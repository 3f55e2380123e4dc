"""worlds.unmatched"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.stages import folders
from tests.worlds import shop
from worlds.bundle import Bundle, Pin
from worlds.check import check
from worlds.findings import Finding
from worlds.unmatched import MOST, unmatched_findings
from worlds.world import World

CARDS = [f"gift_card_{number}" for number in range(4_000_000, 4_000_012)]
ORDERS = [f"#W{number}" for number in range(70_000, 70_012)]
PEOPLE = ("ann", "bob")
TABLES: dict[str, Any] = {
    "users": [
        {
            "user_id": name,
            "name": name,
            "email": f"{name}.lee@shop.example",
            "methods": {card: {"source": "gift"} for card in CARDS[at::2]},
        }
        for at, name in enumerate(PEOPLE)
    ],
    "orders": [
        {"order_id": key, "user_id": PEOPLE[number % 2], "status": "pending", "total": number}
        for number, key in enumerate(ORDERS)
    ],
}
DOMAIN = {
    "tables": {
        "users": shop.Whole(key="user_id"),
        "orders": shop.Whole(key="order_id"),
    }
}


def bundle(intent: dict[str, Any], tables: dict[str, Any] | None = None) -> Bundle:
    """The shop with a dozen orders and cards, and two addresses."""
    records = {"tables": {**TABLES, **(tables or {})}}
    return shop.bundle(intent=intent, domain=DOMAIN, records=records, pinned=Pin(binding={}))


def findings(intent: dict[str, Any], tables: dict[str, Any] | None = None) -> list[Finding]:
    return unmatched_findings(World(bundle(intent, tables)))


def named(text: str, tables: dict[str, Any] | None = None) -> list[str]:
    """What an instruction names that is not there."""
    return [each.symbol for each in findings({"instruction": text}, tables)]


def numbered(pattern: str, count: int = 40) -> dict[str, Any]:
    """Refunds with such keys."""
    rows = [{"refund_id": pattern.format(100 + n, chr(97 + n % 26), n)} for n in range(count)]
    return {"refunds": rows}


def test_the_finding_says_where_what_and_what_is_nearest() -> None:
    (item,) = findings({"unscored": [{"kind": "nl", "text": "It charges gift_card_400003."}]})
    assert (item.code, item.severity, item.kind) == ("text-unmatched", "warning", "intent")
    assert (item.component, item.place, item.symbol) == (
        "cancel",
        "unscored[0]",
        "gift_card_400003",
    )
    assert item.message == (
        "'gift_card_400003' is in no row of the records 'small'; users.methods has what looks like it,"
        " nearest 'gift_card_4000003'."
    )
    assert item.evidence == {
        "named": "gift_card_400003",
        "records": "small",
        "table": "users",
        "field": "methods",
        "nearest": "gift_card_4000003",
    }


def test_a_check_shows_it_and_its_sound_twin_has_none() -> None:
    def found(order: str) -> set[str]:
        return {
            each.code for each in check(bundle({"instruction": f"Cancel {order}."}), {}).findings
        }

    assert found("#W7777") - found("#W70007") == {"text-unmatched"}


@pytest.mark.parametrize(
    ("place", "intent"),
    [
        ("instruction", {"instruction": "Order #W8001."}),
        ("user.opens", {"user": {"opens": "It is about #W8001."}}),
        ("user.brief", {"user": {"brief": "Your order is (#W8001)."}}),
        ("user.knows", {"user": {"knows": {"orders": [{"first": "#W8001"}]}}}),
        ("user.script[0].says", {"user": {"script": [{"when": "true", "says": "#W8001!"}]}}),
        ("goal.mentions[0]", {"goal": {"mentions": ["#W8001"]}}),
        ("unscored[0]", {"unscored": [{"kind": "nl", "text": "It reads #W8001's total."}]}),
    ],
)
def test_every_text_is_read(place: str, intent: dict[str, Any]) -> None:
    assert [(each.place, each.symbol) for each in findings(intent)] == [(place, "#W8001")]


def test_one_id_in_many_texts_is_one_finding_at_the_first() -> None:
    texts = {
        "user": {"opens": "#W8001", "brief": "#W8001"},
        "instruction": "Order {order.order_id}",
    }
    assert [each.place for each in findings(texts)] == ["user.opens"]


@pytest.mark.parametrize(
    "text",
    [
        "I ordered on 2026-03-18 at 10:30, for $7008 or 7008 USD.",
        "Call +1-555-0142 or (555) 7008; the flight is BA1234, the code ABC123, the plate KX7008.",
        "Version v12.4 of 2026-W12, 1080p, 24MP, 27-inch, A4, M25, Q3-2026, B2B and COVID-19.",
        "It is on W70 of the shelf, W70081234 in the store.",
        "See https://shop.example/W8001 or /orders/W8001.",
        "Write to press@paper.example.org.",
        "Order W{order.total}8 and {order.order_id}1 of {user.email}.",
        "A gift_card, step_1 of part_two_3.",
    ],
)
def test_numbers_dates_codes_measures_and_strangers_are_none(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "You mistype your order as #W8001.",
        "Your e-mail is ann.li@shop.example (the wrong one).",
        "First say #W8001, which does not exist.",
        "Your old card was gift_card_4999999.",
        "Order numbers look like #W8001.",
        "You say ann.le@shop.example, then ann.lee@shop.example.",
    ],
)
def test_what_the_text_itself_calls_wrong_is_none(text: str) -> None:
    assert named(text) == []


def test_that_it_was_ordered_by_mistake_says_nothing_of_the_id() -> None:
    assert named("I ordered #W8001 by mistake.") == ["#W8001"]


def test_words_far_away_declare_nothing() -> None:
    assert named("#W8001 is mine. " + "Tell me more of it. " * 8 + "It came in the wrong colour.")


def test_an_id_is_read_with_or_without_its_sign_and_capitals() -> None:
    assert named("w70003, W70004, #w70005 and Ann.Lee@Shop.Example.") == []
    assert named("Order W8001") == ["W8001"]


def test_an_address_of_another_host_is_meant_for_one_only_where_nearly_all_is_alike() -> None:
    assert named("I am ann.lee@shop.exmple.") == ["ann.lee@shop.exmple"]
    assert named("I am ann@lee.example.") == []


def test_what_the_plan_writes_or_the_goal_asks_for_is_dictated() -> None:
    assert named("Note #W8001.") == ["#W8001"]
    written = {"call": "set_status", "args": {"order_id": "{order.order_id}", "status": "#W8001"}}
    read = {"call": "find_order", "args": {"order_id": "#W8001"}}

    def found(intent: dict[str, Any]) -> list[str]:
        return [each.symbol for each in findings({"instruction": "Note #W8001.", **intent})]

    assert found({"plans": {"default": [written]}}) == []
    assert found({"plans": {"default": [read]}}) == ["#W8001"]
    assert found({"goal": {"require": ["get('orders', order.order_id).status == '#W8001'"]}}) == []
    define = {"noted": "get('orders', order.order_id).status == '#W8001'"}
    assert found({"define": define, "goal": {"require": ["noted"]}}) == []


def test_a_fact_may_name_a_row_that_is_made_and_an_instruction_may_not() -> None:
    tables = numbered("RF_{0}")
    fact = {"goal": {"mentions": ["RF_200"]}}
    assert findings(fact, tables) == []
    closed = {"goal": {"mentions": ["RF_200"], "changes": []}}
    assert [each.symbol for each in findings(closed, tables)] == ["RF_200"]
    assert named("Where is RF_200?", tables) == ["RF_200"]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("{1}{2}{0}", "c9999"),
        ("RF{0}{1}{2}{1}", "RF101b7q"),
        ("{0}", "177"),
        ("{0}ml", "177ml"),
        ("2026-03-{2:02}", "2026-03-91"),
        ("Room {0}", "Room 177"),
    ],
)
def test_keys_without_one_shape_and_words_of_their_own_are_no_family(
    pattern: str, text: str
) -> None:
    assert named(f"It is {text}.", numbered(pattern)) == []


def test_short_ids_without_a_joint_may_be_anything() -> None:
    assert named("Take the M25 with A4 paper, not R77.", numbered("R{2:02}")) == []


def test_few_ids_show_no_habit() -> None:
    assert named("RF_200", numbered("RF_{0}", 9)) == []
    assert named("RF_200", numbered("RF_{0}", 10)) == ["RF_200"]


def test_what_stands_often_is_a_kind_and_no_id() -> None:
    orders = [{**row, "bin": f"BIN_{n % 12}"} for n, row in enumerate(TABLES["orders"])]
    many = [{**orders[n % 12], "order_id": f"#W{70_000 + n}"} for n in range(60)]
    assert named("It is in BIN_19.", {"orders": many}) == []
    assert named("It is in BIN_19.", {"orders": orders}) == ["BIN_19"]


def test_what_a_row_names_anywhere_is_matched() -> None:
    noted = [{**TABLES["orders"][0], "note": "Once it was W8001, see gift_card_4999999."}]
    tables = {"orders": noted + TABLES["orders"][1:]}
    assert named("Order W8001 and gift_card_4999999", tables) == []


def test_a_broken_template_is_for_another_finding() -> None:
    assert named("{ #W8001") == []


IDS = st.sampled_from([*CARDS, *ORDERS])
WORDS = st.text("abc xyz.,:;!?()\n", max_size=30)


@given(IDS, WORDS, WORDS)
def test_an_id_of_the_records_is_never_unmatched(one: str, before: str, after: str) -> None:
    assert named(f"{before} {one} {after}") == []
    assert named(f"{before} ({one}). {after}") == []


@given(IDS, st.data())
def test_an_id_with_a_digit_dropped_is(one: str, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from([n for n, sign in enumerate(one) if sign.isdigit()]))
    short = one[:at] + one[at + 1 :]
    assert named(f"It is {short}.") == [short]


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    for each in findings({"unscored": [{"kind": "nl", "text": text}]}):
        assert each.symbol in text


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ("meetings", set()),
        (
            "tau2-retail",
            {
                (f"task-{number}", "user.brief", "daikisanchez1479@example.com")
                for number in (36, 37, 38)
            },
        ),
        ("tau2-airline", {("task-35", "unscored[2]", "credit_card_907483")}),
    ],
)
def test_on_what_comes_with_envcurate_these_and_no_more(
    domain: str, expected: set[tuple[str, str, str]]
) -> None:
    folder = folders()[domain]
    found = [
        (each.component, each.place, each.symbol)
        for spec in folder.all_environments()
        for each in unmatched_findings(World(folder.bundle(spec)))
    ]
    assert sorted(found) == sorted(expected)


def test_of_many_ids_that_are_nowhere_the_first_few_are_told() -> None:
    text = " ".join(f"#W{number}" for number in range(80_000, 80_100))
    assert named(text) == [f"#W{number}" for number in range(80_000, 80_000 + MOST)]
