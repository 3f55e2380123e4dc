"""Probing: what tools let through is named, what they refuse is not, and what nobody saw is said."""

from __future__ import annotations

import time
from random import Random
from typing import Any

from agents.reference import Reference
from tests.worlds.shop import INTENT, RECORDS, RULE, SOURCE, Whole, bundle
from worlds.play import Play
from worlds.probing import Limits, Probed, Probes, probe
from worlds.probing.found import Example
from worlds.probing.judging import Ruling
from worlds.probing.near import Near
from worlds.probing.prober import Prober, clauses_of
from worlds.probing.report import document, summary
from worlds.probing.stands import Plans, Stand
from worlds.probing.tally import Tally
from worlds.step import Call
from worlds.toolsession import ToolSession
from worlds.world import World

STRICT = SOURCE[: SOURCE.index("def set_status")]
"""Its only writing tool cancels what is pending."""
LAX = STRICT.replace('order["status"] != "pending"', 'order["status"] == "cancelled"')
ROWS = [
    *RECORDS["tables"]["orders"],
    {"order_id": "W4", "user_id": "ann", "status": "cancelled", "total": 3, "reason": "late"},
    {"order_id": "W5", "user_id": "ann", "status": "delivered", "total": 5},
]
CLAUSE = "cancelling/pending-only"
DEAR = {
    "id": "dear",
    "text": "Totals are 20 at least.",
    "table": "orders",
    "require": "row.total >= 20.0",
}


def probed(*, seed: int = 0, limits: Limits | None = None, **changes: Any) -> Probes:
    changes.setdefault("records", {"tables": {"orders": ROWS}})
    return probe({"first": bundle(**changes)}, Reference.of, seed=seed, limits=limits)


def row(probes: Probes, tool: str, name: str) -> Probed:
    return next(each for each in probes.rows if (each.tool, each.name) == (tool, name))


def found(probes: Probes) -> list[tuple[str, str, str]]:
    return [(item.code, item.severity, item.symbol) for item in probes.findings()]


def ruled(*clauses: dict[str, Any]) -> dict[str, Any]:
    return {"clauses": list(clauses)}


def test_a_tool_that_refuses_what_is_forbidden_is_clean() -> None:
    probes = probed(source=STRICT)
    assert found(probes) == []
    seen = row(probes, "cancel_order", CLAUSE)
    assert (seen.accepted, seen.example) == (0, None)
    assert seen.tried > seen.applied > 0, "orders that are not pending were tried, and refused"


def test_a_tool_that_lets_it_through_is_named_with_the_clause_and_the_call() -> None:
    probes = probed(source=LAX)
    assert found(probes) == [("rule-unenforced", "warning", f"cancel_order {CLAUSE}")]
    (item,) = probes.findings()
    assert (item.kind, item.component, item.place) == ("toolserver", "shop", "cancel_order")
    evidence = item.evidence
    assert evidence["environment"] == "first"
    assert evidence["before"] == []
    assert evidence["call"]["args"]["order_id"] in ("W3", "W5")
    assert evidence["row"]["before"] == {"status": "delivered"}
    assert evidence["row"]["after"]["status"] == "cancelled"
    assert LAX.splitlines()[evidence["line"] - 1].startswith("def cancel_order")


def test_what_a_guard_takes_back_is_counted_and_no_finding() -> None:
    guarded = {**RULE["clauses"][0], "enforce": "guard"}
    probes = probed(source=LAX, rule=ruled(guarded))
    seen = row(probes, "cancel_order", CLAUSE)
    assert seen.accepted > 0
    assert (seen.enforce, found(probes)) == ("guard", [])


def test_a_call_that_a_guard_stops_says_nothing_of_the_tool() -> None:
    probes = probed()
    tried = {each.tool: each for each in probes.tools}["set_status"]
    assert tried.stopped > 0
    assert row(probes, "set_status", "cancelling/no-hand-delivery").accepted == 0


def test_values_that_the_contract_knows_reach_a_tool_that_no_plan_calls() -> None:
    assert ("rule-unenforced", "warning", f"set_status {CLAUSE}") in found(probed())


def test_what_no_tool_is_told_is_counted_and_no_finding() -> None:
    once = {
        "id": "once",
        "quote": "Only pending orders can be cancelled",
        "on": "call",
        "when": "call.tool == 'cancel_order'",
        "require": "!history.exists(h, h.tool == 'cancel_order')",
    }
    probes = probed(source=STRICT, rule=ruled(once))
    seen = row(probes, "cancel_order", "cancelling/once")
    assert (seen.unseen, found(probes)) == (["history"], [])


def test_clauses_about_words_and_what_no_call_came_under_are_listed_as_not_probed() -> None:
    quote = "Only pending orders can be cancelled"
    clauses = [
        {"id": "polite", "quote": quote, "on": "say", "require": "said_now != ''"},
        {
            "id": "heard",
            "quote": quote,
            "on": "write",
            "when": "size(heard) > 1",
            "require": "false",
        },
        {
            "id": "nobody",
            "quote": quote,
            "on": "write",
            "when": "table == 'users'",
            "require": "false",
        },
    ]
    probes = probed(source=STRICT, rule=ruled(*clauses))
    assert {each.name: each.why for each in probes.not_probed} == {
        "cancelling/polite": "it is about what is said",
        "cancelling/heard": "it is about the conversation",
        "cancelling/nobody": "no call came under it",
    }


def test_a_clause_whose_condition_failed_is_said_to_have_failed() -> None:
    pending = RULE["clauses"][0]
    off = {**pending, "when": "table == 'orders' && before.reason == 'late'"}
    odd = {**pending, "id": "odd", "require": "before.reason == 'late'"}
    probes = probed(source=STRICT, rule=ruled(off, odd))
    assert {each.name: each.why for each in probes.not_probed} == {
        CLAUSE: "its when failed: there is no field 'reason', in the condition: "
        "table == 'orders' && before.reason == 'late'",
        "cancelling/odd": "its require failed: there is no field 'reason', in the condition: "
        "before.reason == 'late'",
    }


def test_a_clause_that_fails_at_some_calls_only_is_counted_and_said_to_fail() -> None:
    some = {**RULE["clauses"][0], "when": "table == 'orders' && before.reason == 'late'"}
    probes = probed(rule=ruled(some))
    assert row(probes, "set_status", CLAUSE).applied > 0
    (left,) = probes.not_probed
    assert left.why.startswith("in part: its when failed: there is no field 'reason'")


def test_a_row_that_breaks_an_invariant_names_the_tool_that_wrote_it() -> None:
    cheaper = STRICT.replace(
        '{"status": "cancelled",', '{"total": order["total"] - 10, "status": "cancelled",'
    )
    rows = [{**each, "total": 25} for each in ROWS]
    probes = probed(
        source=cheaper, records={"tables": {"orders": rows}}, domain={"invariants": [DEAR]}
    )
    assert found(probes) == [("row-invalid", "blocking", "cancel_order dear")]
    assert row(probes, "cancel_order", "dear").kind == "invariant"


def test_a_row_that_was_unsound_before_is_not_the_tool_s() -> None:
    probes = probed(
        source=STRICT,
        domain={"invariants": [DEAR]},
        intent={"slots": {"order": {"match": {"order_id": "W2"}}}},
    )
    assert found(probes) == []


def test_a_value_outside_the_schema_names_the_field_whatever_the_row() -> None:
    probes = probed()
    assert ("row-invalid", "blocking", "set_status orders.status") in found(probes)
    assert row(probes, "set_status", "orders.status").kind == "schema"


def test_what_shows_only_after_another_call_comes_with_that_call() -> None:
    source = (
        STRICT
        + '''

def hurry(order_id: str) -> dict:
    """Deliver a cancelled order all the same."""
    order = find_order(order_id)
    if order["status"] != "cancelled":
        raise ValueError("Only what was cancelled.")
    return db.update("orders", order_id, {"status": "delivered"})
'''
    )
    final = {
        "id": "final",
        "quote": "Only pending orders can be cancelled",
        "on": "write",
        "when": "table == 'orders' && before.status == 'cancelled'",
        "require": "after.status == 'cancelled'",
    }
    rows = RECORDS["tables"]["orders"]
    probes = probed(source=source, rule=ruled(final), records={"tables": {"orders": rows}})
    assert found(probes) == [("rule-unenforced", "warning", "hurry cancelling/final")]
    (item,) = probes.findings()
    assert [each["tool"] for each in item.evidence["before"]] == ["cancel_order"]


def test_a_likelier_call_that_shows_it_alone_comes_without_the_calls_of_the_plan() -> None:
    source = (
        STRICT
        + '''

def set_total(order_id: str, total: int) -> dict:
    """Change the total of an order."""
    return db.update("orders", order_id, {"total": total})
'''
    )
    whole = bundle(source=source, domain={"invariants": [DEAR]})
    odd, likely = (
        Call(tool="set_total", args={"order_id": "W2", "total": total}) for total in (-1, 5)
    )
    cancelled = Call(tool="cancel_order", args={"order_id": "W1", "reason": "late"})
    with ToolSession() as session:
        tally = Tally(whole.domain, clauses_of(whole))
        prober = Prober(Plans(session, 0), tally, Limits())
        after = Stand("first", Play(World(whole), session), cancelled).made()
        assert after.steps[-1].status == "ok"
        ruling = Ruling("dear", "row-invalid", True, {})
        best = Example(environment="first", call=odd, message="")
        example = prober._smallest(Stand("first", after, likely), ruling, best)
    assert (example.before, example.call) == ([], likely)


def test_a_tool_of_which_no_call_was_carried_out_is_unobserved() -> None:
    closed = STRICT.replace('if order["status"] != "pending"', "if True")
    probes = probed(source=closed, intent={"goal": {"outcome": "refused"}})
    (tool,) = probes.tools
    assert not tool.is_observed
    assert tool.refused > 0
    assert "cancel_order: unobserved" in summary(document("shop", probes))


def test_a_tool_that_crashes_is_told_with_the_call() -> None:
    probes = probed(source=STRICT.replace('order["total"]}', 'order["price"]}'))
    (tool,) = probes.tools
    assert tool.failure is not None
    assert tool.failed > 0
    assert tool.failure.call.tool == "cancel_order"


def test_the_same_seed_makes_the_same_calls() -> None:
    assert probed() == probed()


def test_another_seed_makes_other_calls() -> None:
    assert probed(seed=1) != probed(seed=2)


def test_the_time_that_runs_out_is_told() -> None:
    assert probed(limits=Limits(seconds=0)).cut
    assert not probed(limits=Limits(calls=5)).cut


def test_nothing_is_probed_where_there_is_nothing() -> None:
    assert probe({}, Reference.of) == Probes()
    no_plan = probed(source=STRICT, intent={"plans": Whole()})
    assert no_plan.tools[0].tool == "cancel_order"
    assert not no_plan.tools[0].is_observed


def test_the_smaller_example_is_the_likelier_one() -> None:
    call = Call(tool="pay", args={"amount": 20})
    odd = Call(tool="pay", args={"amount": -1})
    examples = [
        Example(environment="e", before=before, call=each, message="")
        for before, each in (([], odd), ([call], call), ([], call))
    ]
    assert min(examples, key=lambda each: each.rank) == examples[2]
    assert max(examples, key=lambda each: each.rank) == examples[0]


def test_a_call_is_aimed_at_another_row_with_what_belongs_to_it() -> None:
    with ToolSession() as session:
        play = Play(World(bundle()), session)
        near = Near(play.records, Random(0))
        args = {"order_id": "W1", "user_id": "ann", "name": "Ann", "reason": "late"}
        assert near.aimed(args, "orders", "W1", "W3") == {
            "order_id": "W3",
            "user_id": "bob",
            "name": "Bob",
            "reason": "late",
        }


def test_a_plan_that_violates_a_clause_shows_what_its_tool_lets_through() -> None:
    intent = {"slots": {"order": {"match": {"status": "delivered"}}}}
    probes = probed(source=LAX, intent=intent, limits=Limits(calls=0))
    assert INTENT["slots"]["order"]["match"] == {"status": "pending"}
    assert row(probes, "cancel_order", CLAUSE).accepted == 1


def test_code_that_may_not_run_and_clauses_that_cannot_be_asked_are_told() -> None:
    broken = {**RULE["clauses"][0], "require": "before.stat == 1"}
    probes = probed(source="import os\n" + STRICT, rule=ruled(broken))
    assert [(each.tool, each.is_observed) for each in probes.tools] == [("cancel_order", False)]
    assert {each.why for each in probes.not_probed} == {"it cannot be asked: a check tells why"}


def test_a_tool_that_hangs_takes_little_more_than_the_time_there_is() -> None:
    hangs = (
        STRICT
        + '''

def touch(order_id: str) -> dict:
    """Touch an order, for ever."""
    while True:
        db.update("orders", order_id, {"reason": "x"})
'''
    )
    began = time.monotonic()
    probes = probed(source=hangs, limits=Limits(seconds=1.0))
    assert probes.cut
    assert time.monotonic() - began < 15.0
