"""Travel and expense claims of the library: what both products refuse and do, and what the rules forbid."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.reference import Reference
from tests.library.workplace import Workplace
from worlds.clauses import Moment
from worlds.conditions import View
from worlds.diff import row_change
from worlds.episode import play
from worlds.hosts import Host
from worlds.outcome import Outcome
from worlds.records import Records
from worlds.recordset import Recordset
from worlds.step import Call
from worlds.toolsession import ToolSession
from worlds.world import World

PLACE = Workplace("expenses")
ALDER = PLACE.base("alder")
Args = dict[str, Any]


@pytest.fixture(scope="module")
def session() -> Iterator[ToolSession]:
    with ToolSession() as opened:
        yield opened


def call(
    session: ToolSession, server: str, tool: str, args: Args, records: Records | None = None
) -> tuple[Outcome, Records]:
    """One call on the small records, or on those that earlier calls left."""
    after = Records(ALDER) if records is None else records
    outcome = session.call(PLACE.servers[server], tool, args, Host(after, ALDER.clock.now))
    return outcome, after


def line_of(receipt: str) -> str:
    """The line of the small records that stands on a receipt."""
    rows = ALDER.tables["lines"]
    return next(key for key, row in rows.items() if row["receipt_id"] == receipt)


# What both products refuse, each in its own words


@dataclass(frozen=True)
class Refusal:
    """One thing that must not be done, as a call of either product."""

    name: str
    claims: tuple[str, Args]
    claims_say: str
    ledger: tuple[str, Args]
    ledger_says: str


def _line(who: str, claim: str, receipt: str, kind: str, **more: Any) -> tuple[str, Args]:
    args = {"on_behalf_of": who, "claim_id": claim, "receipt_id": receipt, "kind": kind, **more}
    return "add_line", args


def _bill(who: str, report: str, receipt: str, category: str, **more: Any) -> tuple[str, Args]:
    bill = {"category": category, "receipt_id": receipt, **more}
    return "enter_bills", {"user_id": who, "report_id": report, "bills": [bill]}


def _decide(who: str, report: str, decision: str, **more: Any) -> tuple[str, Args]:
    return "decide", {"user_id": who, "report_id": report, "decision": decision, **more}


def _acts(tool: str, who: str, **more: Any) -> tuple[str, Args]:
    return tool, {"on_behalf_of": who, **more}


def _declared(amount: float, currency: str) -> tuple[tuple[str, Args], tuple[str, Args]]:
    entry = {"day": "2026-09-22", "amount": amount, "currency": currency}
    one = {"claim_id": "C09", "kind": "transport", "declaration": "Lost", **entry}
    small = {"category": "transport", "remark": "Lost", **entry}
    other = {"user_id": "E07", "report_id": "C09", "declared": [small]}
    return _acts("add_declared_line", "E07", **one), ("enter_unreceipted", other)


def _per_diem(who: str, claim: str, trip: str) -> tuple[tuple[str, Args], tuple[str, Args]]:
    meals = {"trip_id": trip, "breakfasts": 1, "lunches": 0, "dinners": 0}
    other = {"user_id": who, "report_id": claim, "allowances": [meals]}
    return _acts("add_per_diem", who, claim_id=claim, **meals), ("enter_unreceipted", other)


LARGE, EARLY = _declared(44.0, "EUR"), _per_diem("E06", "C05", "T2")
AWAY = {"first_day": "2026-10-19", "last_day": "2026-10-21"}
REFUSALS = [
    Refusal(
        "claimed-by-a-colleague",
        _line("E10", "C11", "R20", "transport"),
        "claimed already",
        _bill("E10", "C11", "R20", "transport"),
        "in report C13",
    ),
    Refusal(
        "split-bill",
        _line("E05", "C01", "R03", "meal"),
        "counts whole",
        _bill("E05", "C01", "R03", "meal"),
        "together",
    ),
    Refusal(
        "too-late",
        _line("E06", "C05", "R12", "transport", note="Sick"),
        "after 90 days",
        _bill("E06", "C05", "R12", "transport", remark="Sick"),
        "90 is the end",
    ),
    Refusal(
        "late-without-a-word",
        _line("E10", "C11", "R21", "transport"),
        "must say why",
        _bill("E10", "C11", "R21", "transport"),
        "must give the reason",
    ),
    Refusal(
        "gift-for-nobody",
        _line("E07", "C09", "R18", "gift"),
        "who got it",
        _bill("E07", "C09", "R18", "gift"),
        "who received it",
    ),
    Refusal(
        "somebody-else's-receipt",
        _line("E05", "C01", "R11", "meal"),
        "whoever paid",
        _bill("E05", "C01", "R11", "meal"),
        "somebody else",
    ),
    Refusal(
        "somebody-else's-claim",
        _line("E06", "C01", "R11", "meal"),
        "only they change it",
        _bill("E06", "C01", "R11", "meal"),
        "nobody else edits",
    ),
    Refusal(
        "no-hotel",
        _line("E05", "C01", "R02", "hotel"),
        "no hotel bill",
        _bill("E05", "C01", "R02", "lodging"),
        "no nights",
    ),
    Refusal(
        "handed-in",
        _line("E05", "C03", "R02", "transport"),
        "only drafts",
        _bill("E05", "C03", "R02", "transport"),
        "only a draft",
    ),
    Refusal("large-without-receipt", LARGE[0], "takes a receipt", LARGE[1], "is the most"),
    Refusal("trip-not-over", EARLY[0], "when it is over", EARLY[1], "not over"),
    Refusal(
        "bare-line",
        _acts("submit", "E10", claim_id="C11"),
        "lacks its receipt",
        _decide("E10", "C11", "hand_in"),
        "no receipt",
    ),
    Refusal(
        "take-back-what-is-paid",
        _acts("withdraw", "E06", claim_id="C06"),
        "is paid",
        _decide("E06", "C06", "take_back"),
        "settled",
    ),
    Refusal(
        "own-dinner",
        _acts("approve", "E03", claim_id="C04"),
        "had part",
        _decide("E03", "C04", "approve"),
        "has a part",
    ),
    Refusal(
        "own-claim",
        _acts("approve", "E05", claim_id="C03"),
        "had part",
        _decide("E05", "C03", "approve"),
        "has a part",
    ),
    Refusal(
        "former-delegate",
        _acts("approve", "E04", claim_id="C03"),
        "not for Tom Baxter",
        _decide("E04", "C03", "approve"),
        "turn",
    ),
    Refusal(
        "twice",
        _acts("approve", "E04", claim_id="C17"),
        "not for Tom Baxter",
        _decide("E04", "C17", "approve"),
        "turn",
    ),
    Refusal(
        "return-without-a-word",
        _acts("return_claim", "E04", claim_id="C07", reason=" "),
        "Say why",
        ("turn_down", {"user_id": "E04", "report_id": "C07", "decision": "return", "remark": ""}),
        "told why",
    ),
    Refusal(
        "after-cut-off",
        _acts("schedule_payment", "E13", claim_id="C12", run_id="P21"),
        "took claims until 2026-10-13",
        _decide("E13", "C12", "pay", payment_run_id="P21"),
        "closed after 2026-10-13",
    ),
    Refusal(
        "other-entity-pays",
        _acts("schedule_payment", "E12", claim_id="C12", run_id="P22"),
        "not in the finance team",
        _decide("E12", "C12", "pay", payment_run_id="P22"),
        "does not pay",
    ),
    Refusal(
        "junior-stands-in",
        _acts("set_delegate", "E03", delegate_id="E05", **AWAY),
        "no approver",
        ("enter_stand_in", {"user_id": "E03", "person_id": "E05", **AWAY}),
        "no right",
    ),
    Refusal(
        "nothing-left",
        _acts("hold_line", "E09", line_id=line_of("R25"), reason="Private"),
        "No line would be left",
        _decide("E09", "C14", "approve", hold=[line_of("R25")], remark="Private"),
        "nothing would be left",
    ),
    Refusal(
        "strangers-claim",
        _acts("get_claim", "E07", claim_id="C01"),
        "may not see",
        ("open_document", {"user_id": "E07", "document_id": "C01"}),
        "not open",
    ),
]


@pytest.mark.parametrize("case", REFUSALS, ids=[case.name for case in REFUSALS])
@pytest.mark.parametrize("server", ["claims", "ledger"])
def test_both_products_refuse_what_the_policy_forbids(
    case: Refusal, server: str, session: ToolSession
) -> None:
    (tool, args), words = (
        (case.claims, case.claims_say) if server == "claims" else (case.ledger, case.ledger_says)
    )
    outcome, records = call(session, server, tool, args)
    assert outcome.status == "refused", outcome
    assert words in outcome.message
    assert records.diff() == []


@pytest.mark.parametrize(
    ("tool", "args", "words"),
    [
        (
            "match_transaction",
            {"holder": "E10", "transaction_id": "X04", "line_id": line_of("R19")},
            "DIFFERS",
        ),
        (
            "match_transaction",
            {"holder": "E05", "transaction_id": "X01", "line_id": line_of("R10")},
            "NO SUCH LINE",
        ),
        (
            "dispute_transaction",
            {"holder": "E05", "transaction_id": "X04", "reason": "Mine"},
            "NO PAYMENT",
        ),
        (
            "dispute_transaction",
            {"holder": "E10", "transaction_id": "X04", "reason": " "},
            "REASON",
        ),
    ],
)
def test_the_card_feed_refuses_what_does_not_fit(
    tool: str, args: Args, words: str, session: ToolSession
) -> None:
    outcome, records = call(session, "cards", tool, args)
    assert (outcome.status, records.diff()) == ("refused", [])
    assert words in outcome.message


def test_a_draft_of_which_one_bill_is_refused_stays_as_it_was(session: ToolSession) -> None:
    bills = [{"category": "transport", "receipt_id": key} for key in ["R02", "R02"]]
    args = {"user_id": "E05", "report_id": "C01", "bills": bills}
    outcome, records = call(session, "ledger", "enter_bills", args)
    assert outcome.status == "refused"
    assert records.diff() == []


def test_what_was_dropped_is_back_when_the_rest_of_a_change_is_refused(
    session: ToolSession,
) -> None:
    exchange = [{"entry_id": line_of("R04"), "receipt_id": "R11"}]
    args = {"user_id": "E05", "report_id": "C01", "drop": [line_of("R04")], "exchange": exchange}
    outcome, records = call(session, "ledger", "amend_report", args)
    assert outcome.status == "refused"
    assert records.diff() == []


def _converted(amount: float) -> tuple[str, Args]:
    money = {"amount": amount, "from_currency": "EUR", "to_currency": "GBP", "day": "2026-10-06"}
    return "convert", money


def _quoted(amount: float) -> tuple[str, Args]:
    return "quote_rate", {"amount": amount, "currency": "EUR", "into": "GBP", "day": "2026-10-06"}


@pytest.mark.parametrize("amount", [1e308, 10_000_000.01, -1.0, -1e308, math.nan])
@pytest.mark.parametrize(("server", "asks"), [("claims", _converted), ("ledger", _quoted)])
def test_an_amount_that_nobody_spends_is_not_converted(
    server: str, asks: Callable[[float], tuple[str, Args]], amount: float, session: ToolSession
) -> None:
    outcome, _ = call(session, server, *asks(amount))
    assert outcome.status == "refused", outcome
    assert "10000000" in outcome.message
    assert call(session, server, *asks(10_000_000))[0].status == "ok"


def _small(amount: float, server: str) -> tuple[str, Args]:
    small = {"day": "2026-10-12", "amount": amount, "currency": "EUR"}
    if server == "claims":
        line = {"claim_id": "C01", "kind": "other", **small, "declaration": "Locker"}
        return "add_declared_line", {"on_behalf_of": "E05", **line}
    declared = [{"category": "other", **small, "remark": "Locker"}]
    return "enter_unreceipted", {"user_id": "E05", "report_id": "C01", "declared": declared}


@pytest.mark.parametrize("server", ["claims", "ledger"])
def test_a_declared_amount_that_nobody_spends_is_refused(server: str, session: ToolSession) -> None:
    outcome, records = call(session, server, *_small(1e308, server))
    assert outcome.status == "refused", outcome
    assert records.diff() == []


DRIVE = {"day": "2026-10-12", "km": 1.0, "remark": "To the station"}
BILL = {"category": "transport", "receipt_id": "R02"}


def _drives(number: int) -> tuple[str, Args]:
    drives = {"drives": [DRIVE] * number}
    return "enter_unreceipted", {"user_id": "E05", "report_id": "C01", **drives}


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        _drives(51),
        ("enter_bills", {"user_id": "E05", "report_id": "C01", "bills": [BILL] * 51}),
        ("amend_report", {"user_id": "E05", "report_id": "C01", "drop": [line_of("R04")] * 51}),
    ],
    ids=["drives", "bills", "drops"],
)
def test_more_entries_than_a_call_has_time_for_are_refused_before_any_is_written(
    tool: str, args: Args, session: ToolSession
) -> None:
    outcome, records = call(session, "ledger", tool, args)
    assert outcome.status == "refused", outcome
    assert "at most 50" in outcome.message
    assert records.diff() == []


def test_as_many_entries_as_a_call_takes_are_entered(session: ToolSession) -> None:
    outcome, _ = call(session, "ledger", *_drives(50))
    assert outcome.status == "ok", outcome
    assert len(outcome.value["added"]) == 50


# What they do


def test_a_second_step_needs_somebody_else_and_books_the_total(session: ToolSession) -> None:
    done, records = call(session, "claims", "approve", {"on_behalf_of": "E02", "claim_id": "C17"})
    assert done.status == "ok", done
    assert (done.value["status"], done.value["steps_missing"]) == ("approved", [])
    assert done.value["approvals"][-1]["for_id"] == "E04"
    centre = records.get("cost_centres", "K20")
    assert centre is not None
    assert centre["spent"] == 41872.15 + 1260


def test_a_large_claim_waits_for_the_owner_after_its_manager(session: ToolSession) -> None:
    _, records = call(session, "claims", "withdraw", {"on_behalf_of": "E05", "claim_id": "C02"})
    call(session, "claims", "submit", {"on_behalf_of": "E05", "claim_id": "C02"}, records)
    args = {"on_behalf_of": "E03", "claim_id": "C02"}
    done, records = call(session, "claims", "approve", args, records)
    assert (done.value["status"], done.value["steps_missing"]) == ("submitted", ["owner"])
    assert {each["name"] for each in done.value["may_decide"]} == {"Owen Pryce"}
    assert records.get("cost_centres", "K10") == ALDER.tables["cost_centres"]["K10"]


def test_over_its_budget_a_small_claim_needs_finance_too(session: ToolSession) -> None:
    records = Records(ALDER)
    records.put("cost_centres", "K20", {**ALDER.tables["cost_centres"]["K20"], "budget": 41900.0})
    args = {"on_behalf_of": "E04", "claim_id": "C07"}
    seen, _ = call(session, "claims", "get_claim", args, records)
    assert seen.value["steps_needed"] == ["manager", "finance"]


def test_a_rejected_bill_may_be_claimed_elsewhere(session: ToolSession) -> None:
    reject = {"on_behalf_of": "E09", "claim_id": "C13", "reason": "Not business"}
    _, records = call(session, "claims", "reject", reject)
    done, _ = call(session, "claims", *_line("E10", "C11", "R20", "transport"), records=records)
    assert done.status == "ok", done


def test_a_journey_across_the_threshold_is_paid_at_both_rates(session: ToolSession) -> None:
    args = {"claim_id": "C09", "day": "2026-10-12", "km": 180, "purpose": "Customer"}
    done, _ = call(session, "claims", *_acts("add_mileage", "E07", **args))
    assert done.value["home"] == pytest.approx(80 * 0.52 + 100 * 0.29)


def test_meals_are_taken_off_the_rate_of_the_city(session: ToolSession) -> None:
    meals = {"trip_id": "T1", "breakfasts": 3, "lunches": 1, "dinners": 1}
    done, records = call(session, "claims", *_acts("add_per_diem", "E05", claim_id="C01", **meals))
    line = records.get("lines", done.value["added"])
    assert line is not None
    assert line["amount"] == pytest.approx(2 * 21 + 2 * 36 - 3 * 7.2 - 14.4 - 14.4)
    assert (line["currency"], line["day"]) == ("EUR", "2026-09-24")


WISHES = sorted(
    spec.intent
    for spec in PLACE.specs.values()
    if spec.records == "alder" and spec.toolservers[0] == "claims"
)


@pytest.mark.parametrize("intent", WISHES)
def test_both_products_bring_one_wish_to_the_same_end(intent: str, session: ToolSession) -> None:
    ends = [
        played(slug, session)
        for slug, spec in PLACE.specs.items()
        if spec.intent == intent and spec.records == "alder"
    ]
    assert len(ends) == 2
    assert ends[0] == ends[1]


WORDS = ("note", "held", "reason", "title")
"""Fields in which each product has words of its own."""


def played(slug: str, session: ToolSession) -> list[Any]:
    """What the plan of an environment changes, words apart."""
    world = World(PLACE.bundle(slug))
    episode = play(world, Reference.of(world), session)
    ends = []
    for change in episode.diff:
        seen = change.get("fields") or change["row"]
        facts = {field: value for field, value in seen.items() if field not in WORDS}
        ends.append((change["table"], change["key"], change["op"], facts))
    return ends


# Laws


DAYS = st.dates(date(2026, 7, 1), date(2026, 10, 14))
CURRENCIES = st.sampled_from(["EUR", "GBP", "PLN", "USD", "CHF", "JPY"])
AMOUNTS = st.integers(1, 10**6).map(lambda cents: cents / 100)
FEW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def exchanged(
    session: ToolSession, amount: float, source: str, target: str, day: date
) -> tuple[float, str]:
    args = {"amount": amount, "from_currency": source, "to_currency": target}
    host = Host(Records(PLACE.base("sites")), ALDER.clock.now)
    there = {**args, "day": day.isoformat()}
    done = session.call(PLACE.servers["claims"], "convert", there, host)
    quote = {"amount": amount, "currency": source, "into": target, "day": day.isoformat()}
    other = session.call(PLACE.servers["ledger"], "quote_rate", quote, host)
    assert done.status == other.status == "ok", (done, other)
    assert done.value["amount"] == other.value["value"]
    assert done.value["rate_day"] == other.value["fixed_on"]
    return done.value["amount"], done.value["rate_day"]


@FEW
@given(amount=AMOUNTS, source=CURRENCIES, target=CURRENCIES, day=DAYS)
def test_both_products_convert_alike_and_a_week_end_has_the_fridays_rate(
    amount: float, source: str, target: str, day: date, session: ToolSession
) -> None:
    worth, fixed = exchanged(session, amount, source, target, day)
    friday = day - timedelta(days=max(0, day.weekday() - 4))
    assert fixed == friday.isoformat()
    assert worth == exchanged(session, amount, source, target, friday)[0]
    assert source != target or worth == amount


@FEW
@given(parts=st.lists(st.integers(1, 900), min_size=1, max_size=4))
def test_mileage_in_parts_is_paid_like_mileage_at_once(
    parts: list[int], session: ToolSession
) -> None:
    def paid(journeys: list[int]) -> float:
        records = Records(ALDER)
        total = 0.0
        for km in journeys:
            args = {"claim_id": "C09", "day": "2026-10-12", "km": km, "purpose": "Customer"}
            done, _ = call(session, "claims", *_acts("add_mileage", "E07", **args), records=records)
            total += done.value["home"]
        return total

    if sum(parts) <= 2000:
        assert paid(parts) == pytest.approx(paid([sum(parts)]), abs=0.005 * (len(parts) + 1))


def test_the_script_prints_the_smaller_set_too() -> None:
    script = PLACE.path / "records" / "group.py"
    printed = subprocess.run(
        [sys.executable, script, "sites"], capture_output=True, check=True
    ).stdout
    made = json.loads(printed)
    assert made.pop("about") == json.loads((script.parent / "sites.json").read_text())["about"]
    tables = PLACE.folder.domain.body.tables
    for name, rows in made["tables"].items():
        rows.sort(key=lambda row, key=tables[name].key: row[key])
    assert Recordset.parse(made).digest == PLACE.folder.records["sites"].body.digest


# What the rules forbid, whatever a tool lets pass


def violated(table: str, key: str, actor: str, said: Sequence[str] = (), **fields: Any) -> set[str]:
    """The clauses that a write to a row, or a new one, breaks; where something was `said`, in a conversation."""
    records = Records(ALDER)
    before = records.get(table, key)
    after = {**(before or {}), **fields}
    records.put(table, key, after)
    change = row_change(table, key, before, after)
    assert change is not None
    return {each.name for each in PLACE.clauses.on_write(moment(records, actor, said), [change])}


def moment(records: Records, actor: str, said: Sequence[str] = ()) -> Moment:
    heard = ["…"] * (len(said) + 1) if said else []
    view = View(records, ALDER.clock.now)
    return Moment(view, records.get("employees", actor), [], list(said), heard)


def new_line(actor: str, claim: str, **fields: Any) -> set[str]:
    """The clauses that a new line breaks."""
    row = {
        "line_id": "L99",
        "claim_id": claim,
        "kind": "transport",
        "receipt_id": None,
        "trip_id": None,
        "km": 0.0,
        "guests": [],
        "note": "",
        "held": "",
        "currency": "GBP",
        "day": "2026-10-06",
        **fields,
    }
    return violated("lines", "L99", actor, **{"home": row["amount"], **row})


def step(name: str, by: str, for_id: str = "") -> Args:
    return {"step": name, "by": by, "for_id": for_id or by, "day": "2026-10-14"}


@pytest.mark.parametrize(
    ("actor", "fields", "clauses"),
    [
        ("E05", {"receipt_id": "R02", "amount": 16.4}, set()),
        ("E06", {"receipt_id": "R02", "amount": 16.4}, {"claims/claimant-only"}),
        ("E05", {"receipt_id": "R02", "amount": 16.4, "home": 20.0}, {"receipts/days-rate"}),
        ("E05", {"receipt_id": "R03", "amount": 21.0, "kind": "meal"}, {"receipts/no-splitting"}),
        ("E05", {"amount": 12.0, "note": "Lost"}, set()),
        ("E05", {"amount": 12.0}, {"receipts/small-without"}),
        ("E05", {"amount": 31.0, "note": "Lost"}, {"receipts/small-without"}),
        ("E05", {"amount": 12.0, "note": "Lost", "day": "2026-08-10"}, set()),
        ("E05", {"amount": 12.0, "note": "Lost", "day": "2026-07-10"}, {"receipts/in-time"}),
        (
            "E05",
            {"receipt_id": "R07", "amount": 84.9, "kind": "gift"},
            {"receipts/once", "receipts/gift-declared"},
        ),
        ("E05", {"kind": "mileage", "km": 100.0, "amount": 52.0}, set()),
        ("E05", {"kind": "mileage", "km": 100.0, "amount": 54.0}, {"allowances/mileage-rates"}),
    ],
)
def test_a_clause_catches_a_line_that_breaks_it(
    actor: str, fields: Args, clauses: set[str]
) -> None:
    assert new_line(actor, "C01", **fields) == clauses


@pytest.mark.parametrize(
    ("key", "actor", "fields", "clauses"),
    [
        ("C07", "E04", {"status": "submitted", "approvals": [step("manager", "E04")]}, set()),
        ("C07", "E01", {"approvals": [step("manager", "E01")]}, {"approvals/by-the-right-one"}),
        ("C04", "E03", {"approvals": [step("manager", "E03")]}, {"approvals/not-own"}),
        ("C13", "E08", {"approvals": [step("manager", "E08", "E09")]}, set()),
        ("C03", "E04", {"approvals": [step("manager", "E04")]}, {"approvals/by-the-right-one"}),
        ("C03", "E06", {"approvals": [step("manager", "E03")]}, {"approvals/signed"}),
        (
            "C17",
            "E04",
            {"approvals": [step("manager", "E04"), step("owner", "E04")]},
            {"approvals/not-twice"},
        ),
        ("C07", "E04", {"approvals": [step("owner", "E04")]}, {"approvals/in-order"}),
        ("C02", "E03", {"status": "approved"}, {"approvals/complete"}),
        ("C07", "E04", {"status": "rejected"}, {"approvals/void"}),
        ("C06", "E06", {"status": "draft"}, {"claims/final", "claims/taken-back"}),
        ("C12", "E10", {"status": "draft"}, {"claims/taken-back"}),
        ("C03", "E06", {"status": "draft"}, {"claims/claimant-hands-in"}),
        (
            "C11",
            "E10",
            {"status": "submitted", "submitted": "2026-10-14"},
            {"receipts/handed-in-whole"},
        ),
        ("C12", "E13", {"run_id": "P22"}, set()),
        ("C12", "E13", {"run_id": "P21"}, {"payment/until-cut-off"}),
        ("C12", "E12", {"run_id": "P22"}, {"payment/by-finance"}),
        ("C12", "E13", {"status": "paid"}, {"payment/run-pays"}),
    ],
)
def test_a_clause_catches_a_claim_that_breaks_it(
    key: str, actor: str, fields: Args, clauses: set[str]
) -> None:
    assert violated("claims", key, actor, **fields) == clauses


def test_a_claim_for_a_trip_abroad_needs_the_travel_desk() -> None:
    row = {**ALDER.tables["claims"]["C15"], "status": "draft", "submitted": None, "reason": ""}
    trip = {"claim_id": "C99", "trip_id": "T4"}
    assert violated("claims", "C99", "E11", **{**row, **trip}) == {"allowances/trip-approved"}


def test_a_delegation_is_read_back_first_and_given_to_an_approver() -> None:
    row = {"delegation_id": "D9", "principal_id": "E03", "delegate_id": "E05", **AWAY}
    assert violated("delegations", "D9", "E03", **row) == {
        "approvals/read-back",
        "approvals/who-may-stand-in",
    }


@pytest.mark.parametrize(
    ("said", "clauses"),
    [
        ("One moment, please.", {"approvals/read-back"}),
        ("It begins on 2026-11-02.", {"approvals/read-back"}),
        ("{name} stands in from 2026-11-02. Is that right?", set()),
    ],
)
def test_a_delegation_is_read_back_with_a_name_and_days(said: str, clauses: set[str]) -> None:
    name = ALDER.tables["employees"]["E04"]["name"]
    row = {"delegation_id": "D9", "principal_id": "E03", "delegate_id": "E04", **AWAY}
    assert violated("delegations", "D9", "E03", [said.format(name=name)], **row) == clauses


@pytest.mark.parametrize(
    ("fields", "question", "clause"),
    [
        ({"day": "2026-08-10", "receipt_id": None, "note": "Late"}, "Why so late?", "receipts/asks-why"),
        ({"kind": "per_diem", "trip_id": "T1"}, "Which meals were provided?", "allowances/asks-for-meals"),
    ],
)  # fmt: skip
def test_what_only_the_user_knows_is_asked_for(fields: Args, question: str, clause: str) -> None:
    row = {**ALDER.tables["lines"][line_of("R01")], **fields, "line_id": "L99"}
    assert clause in violated("lines", "L99", "E05", ["One moment, please."], **row)
    assert clause not in violated("lines", "L99", "E05", [question], **row)


def test_a_line_is_taken_out_for_want_of_a_receipt_only_after_asking() -> None:
    records = Records(ALDER)
    key = next(
        k
        for k, x in ALDER.tables["lines"].items()
        if x["claim_id"] == "C11" and not x["receipt_id"]
    )
    change = row_change("lines", key, records.get("lines", key), None)
    assert change is not None
    records.delete("lines", key)
    for said, found in [("One moment.", True), ("Its receipt is missing.", False)]:
        broken = PLACE.clauses.on_write(moment(records, "E10", [said]), [change])
        assert ("receipts/asks-for-receipt" in {each.name for each in broken}) == found


@pytest.mark.parametrize(
    ("tool", "first", "second"),
    [
        ("add_line", {"receipt_id": "R1", "kind": "meal"}, {"receipt_id": "R1", "kind": "other"}),
        (
            "enter_bills",
            {"bills": [{"receipt_id": "R1", "category": "meal"}]},
            {"bills": [{"receipt_id": "R1", "category": "other"}]},
        ),
    ],
)
def test_a_bill_that_was_refused_is_not_tried_with_another_kind(
    tool: str, first: Args, second: Args
) -> None:
    now = moment(Records(ALDER), "E05")
    now.history.append({"tool": tool, "args": first, "result": "no", "status": "refused"})
    assert PLACE.clauses.on_call(now, Call(tool=tool, args=first)) == []
    broken = [each.name for each in PLACE.clauses.on_call(now, Call(tool=tool, args=second))]
    assert broken == [f"acting/same-{'kind' if tool == 'add_line' else 'category'}"]


def test_a_card_payment_is_ticked_off_with_the_line_that_is_that_payment() -> None:
    wrong = {"status": "matched", "line_id": line_of("R19")}
    right = {"status": "matched", "line_id": line_of("R01")}
    assert violated("card_transactions", "X04", "E10", **wrong) == {"payment/matched-alike"}
    assert violated("card_transactions", "X01", "E05", **right) == set()
