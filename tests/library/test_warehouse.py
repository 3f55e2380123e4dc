"""The warehouse of the library: what both servers refuse and do, what its rules forbid, what no call may lose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.reference import Reference
from tests.library.workplace import Workplace
from worlds.clauses import Moment
from worlds.conditions import View
from worlds.diff import row_change
from worlds.environments import EnvironmentSpec
from worlds.episode import play
from worlds.records import Records
from worlds.toolsession import ToolSession
from worlds.world import World

PLACE = Workplace("warehouse")
SMALL = PLACE.base("small")
CLAUSES = PLACE.clauses
RULES = tuple(PLACE.folder.rules)
CARRIED = {"book-in-time", "book-too-late", "cancel-order", "cancel-order-gone"}
ASKED = sorted(set(PLACE.intents) - {"allocate-two-lots"})
"""Requests that the small company has rows for."""


@pytest.fixture(scope="module")
def session() -> Iterator[ToolSession]:
    with ToolSession() as opened:
        yield opened


# What both servers refuse


@dataclass(frozen=True)
class Refusal:
    name: str
    wms: tuple[str, dict[str, Any]]
    erp: tuple[str, dict[str, Any]]
    words: str
    """What both say."""


def _move(badge: str, stock: str, place: str, qty: int, name: str, words: str) -> Refusal:
    wms = {"badge": badge, "stock_id": stock, "bin_id": place, "qty": qty}
    erp = {"quant": stock, "quantity": qty, "bin_or_plant": place}
    kind = {"user_badge": badge, "movement_type": "311"}
    return Refusal(name, ("move_stock", wms), ("post_movement", {**kind, **erp}), words)


def _reserve(
    order: str, line: int, stock: str, qty: int, name: str, words: str, badge: str = "W11"
) -> Refusal:
    wms = {"badge": badge, "order_id": order, "line": line, "stock_id": stock, "qty": qty}
    erp = {"user_badge": badge, "order": order, "item": line, "quant": stock, "quantity": qty}
    return Refusal(name, ("allocate", wms), ("reserve", erp), words)


def _status(
    badge: str, key: str, tool: str, field: str, action: str, name: str, words: str, text: str = ""
) -> Refusal:
    said = {"reason": text} if text else {}
    erp = {"user_badge": badge, "action": action}
    call = ("change_status", {**erp, "order_lot_or_count": key})
    if action not in ("release", "approve"):
        call = ("stop", {**erp, "order_lot_or_bin": key, "note": text or "asked for"})
    return Refusal(name, (tool, {"badge": badge, field: key, **said}), call, words)


def _receive(badge: str, delivery: str, place: str, name: str, words: str) -> Refusal:
    wms = {"badge": badge, "delivery_id": delivery, "bin_id": place}
    erp = {"user_badge": badge, "movement_type": "101", "delivery_or_transfer": delivery}
    qty = SMALL.tables["deliveries"][delivery]["qty"]
    call = ("post_receipt", {**erp, "storage_bin": place, "quantity": qty})
    return Refusal(name, ("receive_delivery", wms), call, words)


def _ship(order: str, name: str) -> Refusal:
    wms, erp = {"badge": "W11", "order_id": order}, {"user_badge": "W11", "order": order}
    return Refusal(name, ("ship_order", wms), ("post_issue", erp), order)


REFUSALS = [
    _move("W11", "S107", "LDS-A1", 10, "recalled-lot-stays", "is recalled"),
    _move("W16", "S107", "LDS-A1", 10, "quality-only-to-hold", "hold bin"),
    _move("W11", "S113", "LDS-A1", 10, "out-of-blocked", "is blocked"),
    _move("W11", "S105", "LDS-A4", 10, "into-blocked", "is blocked"),
    _move("W11", "S108", "LDS-A1", 8, "too-warm", "chilled"),
    _move("W11", "S105", "LDS-F1", 10, "wrong-class", "flammable"),
    _move("W11", "S105", "LDS-A2", 7, "broken-case", "whole cases of 10"),
    _move("W11", "S112", "LDS-A3", 20, "no-room", "10"),
    _move("W11", "S101", "LDS-F2", 36, "reserved-stays", "24"),
    _move("W11", "S105", "LDS-H1", 10, "good-stock-in-hold", "LDS-H1"),
    _move("W11", "S105", "BRS-A1", 10, "other-site", "BRS"),
    _move("W21", "S105", "LDS-A2", 10, "other-people", "Gwen Pryce"),
    _move("W11", "S105", "LDS-A2", 0, "nothing", "0"),
    _reserve("O304", 1, "S110", 16, "quarantined", "is quarantine"),
    _reserve("O302", 1, "S104", 24, "near-identical", "S104"),
    _reserve("O306", 1, "S113", 48, "blocked-stock", "is blocked"),
    _reserve("O302", 1, "S102", 25, "more-than-asked", "24"),
    _reserve("O310", 1, "S106", 10, "shipped-already", "is shipped"),
    _ship("O305", "ships-complete"),
    _ship("O302", "nothing-reserved"),
    _receive("W11", "D802", "LDS-A2", "over-tolerance", "110"),
    _receive("W21", "D801", "LDS-F2", "receives-elsewhere", "Gwen Pryce"),
    _receive("W11", "D801", "LDS-A2", "into-wrong-bin", "flammable"),
    _status("W15", "P501", "place_po", "po_id", "release", "below-minimum", "448.00"),
    _status("W15", "P503", "place_po", "po_id", "release", "on-hold", "P503|V3|Brightway"),
    _status("W13", "P502", "place_po", "po_id", "release", "no-buyer", "Carol Dunn"),
    _status("W15", "P505", "cancel_po", "po_id", "cancel", "part-received", "P505", "over"),
    _status("W15", "P504", "close_po", "po_id", "close", "not-part-received", "is confirmed", "over"),
    _status("W13", "KX3", "release_lot", "lot_id", "release", "not-quality", "Carol Dunn"),
    _status("W16", "GL3", "release_lot", "lot_id", "release", "recalled-for-good", "is recalled"),
    _status("W16", "SL2", "release_lot", "lot_id", "release", "expired-for-good", "is expired"),
    _status("W11", "C2", "approve_count", "count_id", "approve", "picker-approves", "Ada Brook"),
    _status("W13", "LDS-A3", "block_bin", "bin_id", "block", "not-empty", "not empty", "broken"),
    _status("W11", "O309", "cancel_order", "order_id", "cancel", "carrier-is-booked", "O309"),
    _status("W11", "O310", "cancel_order", "order_id", "cancel", "has-left", "is shipped"),
]  # fmt: skip


@pytest.mark.parametrize("server", ["wms", "erp"])
@pytest.mark.parametrize("case", REFUSALS, ids=[case.name for case in REFUSALS])
def test_both_servers_refuse_what_the_policy_forbids(
    case: Refusal, server: str, session: ToolSession
) -> None:
    tool, args = case.wms if server == "wms" else case.erp
    outcome, records = PLACE.call(server, tool, args, "small", session)
    assert outcome.status == "refused", outcome
    assert any(words in outcome.message for words in case.words.split("|")), outcome.message
    assert records.diff() == []


@pytest.mark.parametrize(
    ("tool", "args", "words"),
    [
        ("book_shipment", {"badge": "W11", "order_id": "O309", "service_id": "H1"}, "shipment already"),
        ("book_shipment", {"badge": "W11", "order_id": "O301", "service_id": "E1"}, "no hazardous"),
        ("book_shipment", {"badge": "W21", "order_id": "O301", "service_id": "H1"}, "works at BRS"),
        ("book_shipment", {"badge": "W11", "order_id": "O302", "service_id": "H1"}, "Nothing of"),
        ("cancel_shipment", {"badge": "W11", "shipment_id": "X2"}, "picked_up already"),
        ("print_label", {"badge": "W11", "shipment_id": "X2"}, "picked_up already"),
    ],
)  # fmt: skip
def test_the_carriers_refuse(
    tool: str, args: dict[str, Any], words: str, session: ToolSession
) -> None:
    outcome, records = PLACE.call("carrier", tool, args, "small", session)
    assert outcome.status == "refused", outcome
    assert words in outcome.message
    assert records.diff() == []


# What they do


def did(server: str, tool: str, session: ToolSession, **args: Any) -> tuple[Any, Records]:
    outcome, records = PLACE.call(server, tool, args, "small", session)
    assert outcome.status == "ok", outcome
    return outcome.value, records


def row(records: Records, table: str, key: str) -> dict[str, Any]:
    found = records.get(table, key)
    assert found is not None
    return found


def test_held_stock_is_there_and_cannot_be_promised(session: ToolSession) -> None:
    position, _ = did("wms", "get_position", session, sku="SL-12")
    assert (position["on_hand"], position["available"]) == (132, 60)
    assert position["position"] == 60 + 240 - 96
    stock, _ = did("erp", "stock_requirements", session, material="SL-12")
    assert (stock["total_stock"], stock["promisable"], stock["net"]) == (132, 60, 204)
    assert (position["reorder_due"], stock["action"]) == (False, "NONE")


def test_goods_on_the_road_are_owned_and_at_no_site(session: ToolSession) -> None:
    position, _ = did("wms", "get_position", session, sku="GL-200")
    assert (position["in_transit"], position["owned"]) == (20, position["on_hand"] + 20)
    sites = [
        did("wms", "list_stock", session, site_id=s, sku="GL-200")[0] for s in ("LDS", "BRS", "GLA")
    ]
    assert sum(site["on_hand"] for site in sites) == position["on_hand"]


def test_the_price_break_and_the_hold_decide_who_is_cheapest(session: ToolSession) -> None:
    few, _ = did("wms", "list_offers", session, sku="KX-104", qty=96)
    many, _ = did("wms", "list_offers", session, sku="KX-104", qty=288)
    assert [(o["supplier_id"], o["unit_price"]) for o in few] == [
        ("V2", 6.2),
        ("V1", 6.4),
        ("V3", 5.6),
    ]
    assert [(o["supplier_id"], o["unit_price"]) for o in many] == [
        ("V1", 5.85),
        ("V2", 6.2),
        ("V3", 5.6),
    ]
    assert not many[-1]["can_order"]


def test_lead_times_are_working_days_after_the_cut_off(session: ToolSession) -> None:
    offers, _ = did("wms", "list_offers", session, sku="KX-104", qty=1)
    arrives = {o["supplier_id"]: o["arrives_on"] for o in offers}
    assert arrives == {"V1": "2026-03-26", "V2": "2026-03-23", "V3": "2026-03-20"}


@pytest.mark.parametrize(("quantity", "uom"), [(2, "PAL"), (120, "CS"), (720, "EA")])
def test_cases_pallets_and_units_are_the_same_goods(
    quantity: int, uom: str, session: ToolSession
) -> None:
    items = [{"material": "KX-104B", "quantity": quantity, "uom": uom}]
    args = {"user_badge": "W15", "vendor": "V2", "plant": "LDS", "items": items}
    order, _ = did("erp", "create_purchase_order", session, **args)
    assert (order["items"][0]["ordered"], order["items"][0]["ordered_each"]) == ("120 CS", 720)


def test_a_part_of_a_delivery_keeps_the_order_open(session: ToolSession) -> None:
    args = {"badge": "W11", "delivery_id": "D803", "bin_id": "LDS-C2"}
    _, records = did("wms", "receive_delivery", session, **args)
    order = row(records, "purchase_orders", "P505")
    assert (order["status"], order["lines"][0]["received"]) == ("part_received", 64)


def test_a_count_above_the_limit_changes_no_stock(session: ToolSession) -> None:
    args = {"badge": "W11", "stock_id": "S102", "counted": 18, "reason": "loss"}
    count, records = did("wms", "record_count", session, **args)
    assert (count["status"], count["value"]) == ("pending", 1420.8)
    assert row(records, "stock", "S102")["on_hand"] == 240


def test_a_cancelled_order_gives_everything_back(session: ToolSession) -> None:
    args = {"badge": "W11", "order_id": "O306"}
    _, records = did("wms", "cancel_order", session, **args)
    assert row(records, "backorders", "B2")["status"] == "cancelled"
    args = {"badge": "W11", "order_id": "O301"}
    _, records = did("wms", "cancel_order", session, **args)
    assert row(records, "stock", "S106")["reserved"] == 30
    assert row(records, "allocations", "A2")["status"] == "released"


# Both servers


def ended(intent: str, server: str, session: ToolSession) -> list[dict[str, Any]]:
    """How the small company differs after the plan for a server, its log of moves apart."""
    servers = (server, "carrier") if intent in CARRIED else (server,)
    spec = EnvironmentSpec(f"{intent}.both", intent, RULES, "small", servers)
    world = World(PLACE.folder.bundle(spec))
    episode = play(world, Reference.of(world), session)
    assert episode.verdict is not None
    assert episode.verdict.reward == 1
    return [change for change in episode.diff if change["table"] != "moves"]


@pytest.mark.parametrize("intent", ASKED)
def test_both_servers_lead_to_the_same_rows(intent: str, session: ToolSession) -> None:
    assert ended(intent, "wms", session) == ended(intent, "erp", session)


# What the rules forbid


def violated(
    actor: str, table: str, key: str, opens: str = "", said: str = "", **fields: Any
) -> set[str]:
    """The clauses that a change of a row of the small company breaks; a new row where there is none.

    With `opens`, in a conversation that the user opened so and in which the agent `said` something.
    """
    records = Records(SMALL)
    before = records.get(table, key)
    after = {**(before or {SMALL.domain.tables[table].key: key}), **fields}
    records.put(table, key, after)
    change = row_change(table, key, before, after)
    assert change is not None
    heard = [opens, "…"] if opens else []
    view, staff = View(records, SMALL.clock.now), records.get("staff", actor)
    moment = Moment(view, staff, [], [said] if said else [], heard)
    return {violation.name for violation in CLAUSES.on_write(moment, [change])}


def allocation(order: str, stock: str, qty: int = 1) -> dict[str, Any]:
    held = SMALL.tables["stock"][stock]
    more = {"lot_id": held["lot_id"], "sku": held["sku"], "qty": qty, "status": "reserved"}
    return {"order_id": order, "line": 1, "stock_id": stock, **more}


SHORT = {"status": "shipped"}
PLACED = {"status": "placed", "placed_on": "2026-03-18", "due_on": "2026-03-26"}


def ordered(sku: str, qty: int, price: float, received: int = 0) -> dict[str, Any]:
    line = {"line": 1, "sku": sku, "ordered": qty, "received": received, "price": price}
    return {**(PLACED if received == 0 else {}), "lines": [line]}


SMALLER = {"supplier_id": "V1", **ordered("KX-104", 132, 6.1)}


def booked(order: str, service: str, day: str) -> dict[str, Any]:
    return {"order_id": order, "service_id": service, "status": "booked", "arrive_on": day}


@pytest.mark.parametrize(
    ("actor", "table", "key", "fields", "clauses"),
    [
        ("W11", "allocations", "A9", allocation("O302", "S102"), set()),
        ("W11", "allocations", "A9", allocation("O302", "S101"), {"lots/lasts-long-enough"}),
        ("W11", "allocations", "A9", allocation("O304", "S109"), {"lots/lasts-long-enough"}),
        ("W11", "allocations", "A9", allocation("O304", "S110"), {"lots/held-not-allocated"}),
        ("W11", "allocations", "A9", allocation("O311", "S106"), {"lots/first-expired"}),
        ("W11", "allocations", "A9", allocation("O307", "S112"), set()),
        ("W11", "allocations", "A9", allocation("O306", "S112"), {"orders/by-due-date"}),
        ("W11", "allocations", "A9", allocation("O308", "S112"), {"orders/by-priority"}),
        ("W16", "lots", "KX3", {"status": "ok"}, set()),
        ("W13", "lots", "KX3", {"status": "ok"}, {"people/quality-releases"}),
        ("W16", "lots", "GL3", {"status": "ok"}, {"lots/never-back"}),
        ("W11", "lots", "KX2", {"status": "quarantine"}, set()),
        ("W14", "counts", "C1", {"status": "posted", "approved_by": "W14"}, set()),
        ("W13", "counts", "C1", {"status": "posted", "approved_by": "W13"}, {"counting/not-ones-own"}),
        ("W11", "counts", "C2", {"status": "posted"}, {"counting/limit"}),
        ("W11", "stock", "S107", {"on_hand": 30}, {"lots/held-stays"}),
        ("W16", "stock", "S107", {"on_hand": 30}, set()),
        ("W11", "stock", "S115", {"on_hand": 90}, {"people/own-site"}),
        ("W11", "stock", "S113", {"on_hand": 40}, {"storing/blocked"}),
        ("W11", "stock", "S106", {"on_hand": 187}, {"storing/whole-cases"}),
        ("W11", "stock", "S105", {"on_hand": 190}, {"storing/room"}),
        ("W11", "stock", "S106", {"on_hand": 60}, {"storing/reserved-stays", "counting/reserved-counted"}),
        ("W11", "stock", "S105", {"bin_id": "LDS-C1"}, {"storing/right-temperature"}),
        ("W11", "stock", "S105", {"bin_id": "LDS-F1"}, {"storing/own-class"}),
        ("W11", "stock", "S105", {"bin_id": "LDS-H1"}, set()),
        ("W13", "bins", "LDS-A3", {"blocked": True, "block_reason": "Bent"}, {"storing/blocked-empty"}),
        ("W11", "orders", "O305", SHORT, {"orders/complete"}),
        ("W11", "orders", "O310", {"status": "cancelled"}, {"orders/shipped-stays"}),
        ("W11", "orders", "O309", {"status": "cancelled"}, {"orders/carrier-first"}),
        ("W15", "purchase_orders", "P502", PLACED, set()),
        ("W11", "purchase_orders", "P502", PLACED, {"people/buyers-only"}),
        ("W15", "purchase_orders", "P501", PLACED, {"purchasing/least-value"}),
        ("W15", "purchase_orders", "P503", PLACED, {"purchasing/not-on-hold"}),
        ("W15", "purchase_orders", "P502", {"supplier_id": "V1", **ordered("KX-104", 147, 6.1)}, {"purchasing/cases"}),
        ("W15", "purchase_orders", "P502", SMALLER, {"purchasing/price-of-the-break"}),
        ("W15", "purchase_orders", "P502", ordered("GL-190", 200, 4.6), {"purchasing/not-discontinued"}),
        ("W15", "purchase_orders", "P502", ordered("SL-12", 240, 2.62), {"purchasing/approved"}),
        ("W11", "purchase_orders", "P507", ordered("GL-200", 100, 4.95, 120), {"purchasing/tolerance"}),
        ("W15", "purchase_orders", "P505", {"status": "cancelled", "reason": "x"}, {"purchasing/received-stays"}),
        ("W15", "purchase_orders", "P504", {"status": "cancelled"}, {"purchasing/told-why"}),
        ("W11", "shipments", "X2", {"status": "cancelled"}, {"carriers/not-called-back"}),
        ("W11", "shipments", "X9", booked("O312", "G1", "2026-03-23"), {"carriers/in-time"}),
        ("W11", "shipments", "X9", booked("O301", "E1", "2026-03-20"), {"carriers/takes-hazards"}),
        ("W11", "shipments", "X9", booked("O309", "H1", "2026-03-20"), {"carriers/one-shipment"}),
    ],
)  # fmt: skip
def test_a_clause_catches_a_write_that_breaks_it(
    actor: str, table: str, key: str, fields: dict[str, Any], clauses: set[str]
) -> None:
    assert violated(actor, table, key, **fields) == clauses


@pytest.mark.parametrize("server", ["wms", "erp"])
def test_only_the_policy_stops_a_supervisor_from_approving_an_own_count(
    server: str, session: ToolSession
) -> None:
    tool, args = {
        "wms": ("approve_count", {"badge": "W13", "count_id": "C1"}),
        "erp": (
            "change_status",
            {"user_badge": "W13", "order_lot_or_count": "C1", "action": "approve"},
        ),
    }[server]
    assert PLACE.call(server, tool, args, "small", session)[0].status == "ok"


# What no call may lose

BINS = sorted(SMALL.tables["bins"])
STOCK = sorted(SMALL.tables["stock"])
PEOPLE = sorted(SMALL.tables["staff"])


def lots(records: Records) -> Counter[str]:
    """Units of each lot over all bins."""
    found: Counter[str] = Counter()
    for stock in records.find("stock", {}):
        found[stock["lot_id"]] += stock["on_hand"]
    return found


@pytest.mark.parametrize("server", ["wms", "erp"])
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    badge=st.sampled_from(PEOPLE),
    stock=st.sampled_from(STOCK),
    place=st.sampled_from(BINS),
    qty=st.integers(-2, 60),
)
def test_a_move_loses_nothing_and_touches_nothing_reserved(
    server: str, session: ToolSession, badge: str, stock: str, place: str, qty: int
) -> None:
    case = _move(badge, stock, place, qty, "", "")
    tool, args = case.wms if server == "wms" else case.erp
    outcome, records = PLACE.call(server, tool, args, "small", session)
    assert outcome.status in ("ok", "refused"), outcome
    assert lots(records) == lots(Records(SMALL))
    assert all(s["on_hand"] >= s["reserved"] for s in records.find("stock", {}))
    if outcome.status == "refused":
        assert records.diff() == []


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    order=st.sampled_from(sorted(SMALL.tables["orders"])),
    stock=st.sampled_from(STOCK),
    qty=st.integers(1, 60),
)
def test_both_servers_agree_on_what_can_be_reserved(
    session: ToolSession, order: str, stock: str, qty: int
) -> None:
    asked = _reserve(order, 1, stock, qty, "", "")
    ends = [
        PLACE.call("wms", *asked.wms, "small", session),
        PLACE.call("erp", *asked.erp, "small", session),
    ]
    assert ends[0][0].status == ends[1][0].status
    assert ends[0][1].diff() == ends[1][1].diff()


@pytest.mark.parametrize(
    ("key", "fields", "opens", "said", "clause"),
    [
        (
            "P502",
            PLACED,
            "Order 15 cases of GL-190.",
            "GL-190 is discontinued. Will GL-200 do?",
            "purchasing/asks-for-successor",
        ),
        (
            "P505",
            {"status": "closed", "reason": "stopped"},
            "Cancel P505.",
            "Part of it was received.",
            "purchasing/closed-if-wanted",
        ),
    ],
)
def test_what_was_not_asked_for_is_done_only_after_asking(
    key: str, fields: dict[str, Any], opens: str, said: str, clause: str
) -> None:
    unasked = violated("W15", "purchase_orders", key, opens, "One moment, please.", **fields)
    assert unasked == {clause}
    assert violated("W15", "purchase_orders", key, opens, said, **fields) == set()
    assert violated("W15", "purchase_orders", key, **fields) == set()
