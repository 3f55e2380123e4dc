"""What a check concludes: a sound shop is solvable, and each fault has its code at its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents import panel
from tests.worlds.shop import INTENT, RECORDS, RULE, SOURCE, Whole, bundle, checked, codes
from worlds.bundle import Pin
from worlds.check import CheckResult, check
from worlds.findings import Finding

PLAN = INTENT["plans"]["default"]


def plan(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"plans": Whole({"default": list(steps)})}


def only(result: CheckResult, code: str) -> Finding:
    found = [item for item in result.findings if item.code == code]
    assert len(found) == 1, [(item.code, item.message) for item in result.findings]
    return found[0]


def test_a_sound_environment_is_solvable_by_its_plan_and_has_no_finding() -> None:
    result = checked()
    assert (result.status, result.witness, result.findings) == ("solvable", "plan", [])
    assert [(e.agent, e.verdict and e.verdict.reward) for e in result.episodes] == [
        ("reference", 1),
        ("noop", 0),
        ("refuser", 0),
        ("refuser", 0),
        ("parrot", 0),
    ]


def test_an_intent_without_a_plan_is_unproven() -> None:
    result = checked(intent={"plans": Whole()})
    assert (result.status, result.witness, result.findings) == ("unproven", "", [])


# Controls


def test_a_tool_that_crashes_is_named_with_its_line_and_the_call() -> None:
    source = SOURCE.replace('order["status"] != "pending"', 'order["state"] != "pending"')
    found = only(checked(source=source), "tool-crash")
    assert (found.kind, found.component, found.symbol) == ("toolserver", "shop", "cancel_order")
    line = 1 + SOURCE[: SOURCE.index('order["status"]')].count("\n")
    assert found.place == f"cancel_order:{line}"
    assert "KeyError" in found.message
    assert found.evidence["tool"] == "cancel_order"


def test_a_refused_write_of_the_plan_is_blocking() -> None:
    again = {"call": "cancel_order", "args": {"order_id": "{order.order_id}", "reason": "x"}}
    result = checked(intent=plan(*PLAN[:2], again, PLAN[2]))
    found = only(result, "plan-refused")
    assert (found.severity, found.place) == ("blocking", "plans.default[2]")
    assert "Only pending orders can be cancelled." in found.message
    assert result.status == "broken"


def test_a_refused_read_of_a_plan_that_meets_its_goal_is_a_warning() -> None:
    lost = {"call": "find_order", "args": {"order_id": "W9"}}
    result = checked(intent=plan(lost, *PLAN))
    found = only(result, "plan-refused")
    assert (found.severity, found.place) == ("warning", "plans.default[0]")
    assert result.status == "solvable"


def test_a_refused_read_is_blocking_when_the_goal_is_then_missed() -> None:
    lost = {"call": "find_order", "args": {"order_id": "W9"}}
    result = checked(intent=plan(lost, {"finish": {"outcome": "done"}}))
    assert codes(result) == {"plan-refused": "blocking"}


def test_a_step_that_a_guard_stops_is_a_refused_step() -> None:
    forced = {"call": "set_status", "args": {"order_id": "W3", "status": "delivered"}}
    found = only(checked(intent=plan(*PLAN[:2], forced, PLAN[2])), "plan-refused")
    assert "Nothing is ever delivered by hand" in found.message


def test_a_plan_that_breaks_a_rule_names_the_clause_and_the_step() -> None:
    source = SOURCE.replace('if order["status"] != "pending"', 'if order["status"] == "cancelled"')
    delivered = {"slots": {"order": {"match": {"status": "delivered"}}}}
    found = only(checked(source=source, intent=delivered), "plan-breaks-rule")
    assert (found.kind, found.component) == ("intent", "cancel")
    assert found.symbol == "plan cancel_order cancelling/pending-only"
    assert (found.place, found.evidence["step"]) == ("plans.default[1]", 1)


def test_a_plan_that_misses_the_goal_says_what_is_missing() -> None:
    source = SOURCE.replace('{"status": "cancelled", "reason": reason}', '{"reason": reason}')
    found = only(checked(source=source), "plan-misses-goal")
    assert found.place == "goal.require[0]"
    assert "get('orders', order.order_id).status == 'cancelled'" in found.message


def test_a_plan_that_changes_more_than_is_allowed_misses_the_goal_and_makes_no_progress() -> None:
    stray = {"call": "set_status", "args": {"order_id": "W3", "status": "pending"}}
    result = checked(intent=plan(*PLAN[:2], stray, PLAN[2]))
    assert "orders/W3#status" in only(result, "plan-misses-goal").message
    verdict = result.episodes[0].verdict
    assert verdict is not None
    assert verdict.progress == 0


def test_a_goal_that_doing_nothing_meets_is_vacuous() -> None:
    goal = {"goal": Whole({"require": ["get('orders', 'W3').status == 'delivered'"]})}
    found = only(checked(intent=goal), "goal-vacuous")
    assert (found.kind, found.component, found.severity) == ("intent", "cancel", "blocking")


@pytest.mark.parametrize("outcome", ["refused", "handed_off"])
def test_a_goal_that_refusing_at_once_meets_is_trivial(outcome: str) -> None:
    goal = {"goal": Whole({"outcome": outcome, "changes": []})}
    result = checked(intent={**goal, **plan({"finish": {"outcome": outcome}})})
    assert only(result, "goal-trivial").evidence["agent"] == "refuser"


def test_a_goal_that_reading_and_repeating_everything_meets_is_trivial() -> None:
    goal = {"goal": Whole({"outcome": "done", "changes": [], "mentions": ["Bob"]})}
    says = plan({"say": "There are Ann and Bob."}, {"finish": {}})
    assert only(checked(intent={**goal, **says}), "goal-trivial").evidence["agent"] == "parrot"


def test_a_plan_whose_effect_is_no_longer_the_pinned_one_is_told_apart() -> None:
    goal = {"goal": {"matches_plan": True}}
    sound = bundle(intent=goal)
    assert sound.manifest.pin is not None
    assert sound.manifest.pin.effect is not None
    assert checked(intent=goal).status == "solvable"
    moved = SOURCE.replace('"amount": order["total"]', '"amount": 0')
    result = checked(intent=goal, source=moved, pinned=sound.manifest.pin)
    found = only(result, "effect-moved")
    assert found.place == "pin.effect"
    assert "+refunds:1#amount" in found.message


def test_a_tool_that_runs_for_ever_is_stopped_and_named() -> None:
    source = SOURCE.replace(
        '    refund = db.next_id("refunds", "R")', "    while True:\n        refund = 1"
    )
    result = checked(source=source)
    found = only(result, "limit-exceeded")
    assert (found.component, found.symbol) == ("shop", "cancel_order")
    assert result.status == "broken"


# Static


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        ({"instruction": "Cancel {ordr.order_id}"}, "name-unknown", "instruction"),
        ({"instruction": "Cancel {order.id}"}, "name-unknown", "instruction"),
        ({"actor": "nobody"}, "name-unknown", "actor"),
        ({"slots": {"order": {"table": "ordres"}}}, "name-unknown", "slots.order.table"),
        ({"slots": {"order": {"where": "row.totl > 1.0"}}}, "name-unknown", "slots.order.where"),
        ({"goal": {"require": ["get('ordes', 'W1') == null"]}}, "name-unknown", "goal.require[0]"),
        ({"goal": {"require": ["1 +"]}}, "condition-invalid", "goal.require[0]"),
        ({"goal": {"changes": ["orders"]}}, "body-invalid", "goal.changes[0]"),
        ({"goal": {"changes": ["orders/*#stat"]}}, "name-unknown", "goal.changes[0]"),
        (plan({"call": "cancel"}), "name-unknown", "plans.default[0]"),
        (plan({"call": "find_order"}), "arguments-invalid", "plans.default[0].args"),
        (
            plan({"call": "find_order", "args": {"order_id": 5}}),
            "arguments-invalid",
            "plans.default[0].args",
        ),
    ],
)
def test_what_an_intent_names_wrongly_is_found_at_its_place(
    changes: dict[str, Any], code: str, place: str
) -> None:
    found = [(item.code, item.place) for item in checked(intent=changes).findings]
    assert (code, place) in found


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"instruction": "Because {order.reason}"}, "instruction"),
        ({"goal": {"mentions": ["{order.reason}"]}}, "goal.mentions"),
        ({"goal": {"changes": ["orders/{order.reason}"]}}, "goal.changes[0]"),
        ({"user": {"opens": "{order.reason}"}}, "user.opens"),
        ({"user": {"knows": {"why": "{order.reason}"}}}, "user.knows"),
        (
            {"user": {"script": [{"when": "true", "says": "{order.reason}"}]}},
            "user.script[0].says",
        ),
    ],
)
def test_a_field_that_the_schema_allows_but_the_bound_row_lacks_is_found_before_anybody_acts(
    changes: dict[str, Any], place: str
) -> None:
    result = checked(intent=changes)
    assert only(result, "name-unknown").place == place
    assert (result.status, result.episodes) == ("broken", [])


def test_a_plan_that_asks_nobody_is_told_who_has_ask_user() -> None:
    found = only(
        checked(intent=plan({"call": "ask_user", "args": {"about": "why"}})), "name-unknown"
    )
    assert found.message == "There is no tool 'ask_user': only an intent with a user has it."


def test_a_clause_that_gives_way_to_no_clause_is_found() -> None:
    result = checked(rule={"clauses": [{**RULE["clauses"][0], "unless": ["nothing"]}]})
    assert only(result, "name-unknown").place == "clauses[0].unless[0]"


def test_a_slot_that_no_row_fits_is_unbound() -> None:
    found = only(
        checked(intent={"slots": {"order": {"where": "row.total > 99.0"}}}), "slot-unbound"
    )
    assert (found.symbol, found.kind) == ("order", "intent")


def test_a_pinned_row_that_no_longer_fits_is_bound_anew_with_a_warning() -> None:
    pinned = Pin(binding={"order": "W3", "user": "bob"})
    result = checked(pinned=pinned)
    assert only(result, "slot-rebound").severity == "warning"
    assert result.status == "solvable"


def test_what_was_never_pinned_is_bound_without_a_warning() -> None:
    result = checked(pinned=Pin(binding={}))
    assert not [each for each in result.findings if each.code == "slot-rebound"]
    assert result.status == "solvable"


def test_a_pin_holds_when_rows_are_added() -> None:
    before = bundle().manifest.pin
    more = [
        {"order_id": f"N{n}", "user_id": "ann", "status": "pending", "total": n} for n in range(9)
    ]
    orders = [*RECORDS["tables"]["orders"], *more]
    after = checked(records={"tables": {"orders": orders}}, pinned=before)
    assert after.findings == []


def test_a_quote_that_the_text_does_not_have_is_missing() -> None:
    text = RULE["text"].replace("Only pending", "Most pending")
    assert only(checked(rule={"text": text}), "quote-missing").place == "clauses[0].quote"


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "import socket",
        "COUNT = [0]\ndef tick() -> int:\n    COUNT[0] += 1\n    return 1",
    ],
)
def test_source_that_may_not_run_is_never_run(line: str) -> None:
    result = checked(source=f"{line}\n{SOURCE}")
    assert codes(result) == {"source-invalid": "blocking"}
    assert result.episodes == []


def test_a_row_that_breaks_its_schema_blocks_only_who_touches_it() -> None:
    orders = [dict(row) for row in RECORDS["tables"]["orders"]]
    orders[2]["status"] = "lost"
    elsewhere = checked(records={"tables": {"orders": orders}})
    assert elsewhere.findings == []
    orders[0]["total"], orders[1]["total"] = "20", "25"
    assert only(checked(records={"tables": {"orders": orders}}), "row-invalid").kind == "records"


def test_a_reference_to_no_row_dangles() -> None:
    users = [{"user_id": "cem", "name": "Cem"}]
    intent = {
        "slots": Whole({"order": INTENT["slots"]["order"]}),
        "instruction": "Cancel.",
        "actor": None,
    }
    result = checked(records={"tables": {"users": users}}, intent=intent)
    assert only(result, "reference-dangling").symbol == "orders.user_id"


def test_criteria_that_count_for_nothing_are_a_warning() -> None:
    unscored = {"unscored": [{"kind": "nl_assertion", "text": "is polite"}]}
    result = checked(intent=unscored)
    assert codes(result) == {"criteria-unused": "warning"}
    assert result.status == "solvable"


def test_a_condition_built_never_to_end_is_refused_before_it_runs() -> None:
    deep = "[1].exists(a, [1].exists(b, [1].exists(c, a + b + c > 3)))"
    found = only(checked(intent={"goal": {"require": [deep]}}), "condition-invalid")
    assert found.place == "goal.require[0]"


def test_a_condition_that_fails_on_the_plans_own_episode_is_invalid() -> None:
    broken = {"goal": {"require": ["get('orders', 'W9').status == 'cancelled'"]}}
    assert only(checked(intent=broken), "condition-invalid").place == "goal.require[0]"


def _ruled(enforce: str = "audit", **changes: str) -> CheckResult:
    return checked(rule={"clauses": [{**RULE["clauses"][0], "enforce": enforce, **changes}]})


@pytest.mark.parametrize("enforce", ["audit", "guard"])
def test_a_clause_whose_when_fails_at_the_plans_own_write_is_switched_off_and_blocks(
    enforce: str,
) -> None:
    when = "table == 'orders' && before.reason == 'late'"
    result = _ruled(enforce, when=when, require="false")
    found = only(result, "condition-invalid")
    assert (result.status, found.severity) == ("broken", "blocking")
    assert (found.kind, found.component, found.place) == (
        "rule",
        "cancelling",
        "clauses.pending-only",
    )
    assert found.message.startswith(
        "`when` of the clause cancelling/pending-only failed at update orders/W1#reason,status"
        " (step 1, cancel_order): there is no field 'reason', in the condition: "
    )
    assert (found.evidence["step"], found.evidence["part"]) == (1, "when")


def test_a_guard_whose_require_fails_at_the_plans_own_write_is_named_before_the_refusal() -> None:
    result = _ruled("guard", require="before.reason == 'late'")
    assert [item.code for item in result.findings][:2] == ["condition-invalid", "plan-refused"]
    assert "`require` of the clause cancelling/pending-only failed" in result.findings[0].message


def test_a_clause_that_fails_at_the_plans_call_names_the_tool() -> None:
    result = _ruled(on="call", when="call.args.id == 'W1'", require="true")
    assert "failed at call of find_order (step 0, find_order): there is no field 'id'" in (
        only(result, "condition-invalid").message
    )


def test_a_clause_that_fails_at_another_agents_call_is_named_with_the_agent() -> None:
    when = "call.tool == 'list_users' && call.args.page == 2"
    found = only(_ruled(on="call", when=when, require="true"), "condition-invalid")
    assert found.evidence["agent"] != "reference"


def test_a_clause_that_asks_first_whether_the_field_is_there_is_no_finding() -> None:
    when = "table == 'orders' && has(before.reason) && before.reason == 'late'"
    assert _ruled(when=when).findings == []


WORDS = ",".join("a" for _ in range(900))
COSTLY = f"split('{WORDS}', ',').all(a, split('{WORDS}', ',').all(b, a != b + 'x'))"


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"intent": {"goal": {"require": [COSTLY]}}}, "goal.require[0]"),
        ({"intent": {"slots": {"order": {"where": COSTLY}}}}, "slots.order.where"),
        (
            {"rule": {"clauses": [{**RULE["clauses"][0], "require": COSTLY}]}},
            "clauses.pending-only",
        ),
        (
            {
                "domain": {
                    "invariants": [{"id": "i", "text": "", "table": "orders", "require": COSTLY}]
                }
            },
            "invariants[0].require",
        ),
        (
            {"rule": {"clauses": [{**RULE["clauses"][0], "when": COSTLY}]}},
            "clauses.pending-only",
        ),
        (
            {
                "intent": {
                    "user": {"script": [{"when": COSTLY, "says": "No."}]},
                    "plans": Whole({"default": [{"say": "Hello."}, *PLAN]}),
                }
            },
            "user.script[0].when",
        ),
    ],
    ids=["goal", "slot", "rule", "invariant", "when", "script"],
)
def test_a_condition_that_costs_too_much_is_stopped_and_named_wherever_it_stands(
    changes: dict[str, Any], place: str
) -> None:
    assert only(checked(**changes), "condition-invalid").place == place


def _invariant(require: str) -> dict[str, str]:
    return {"id": "sound", "text": "Orders are sound.", "table": "orders", "require": require}


def test_a_row_that_breaks_an_invariant_is_blamed_and_one_that_it_cannot_be_told_of_is_not() -> (
    None
):
    broken = only(checked(domain={"invariants": [_invariant("row.total > 50.0")]}), "row-invalid")
    assert (broken.kind, broken.symbol, broken.place) == ("records", "orders sound", "orders/W1")
    assert broken.message == "orders/W1 breaks the invariant “Orders are sound”."
    assert (broken.evidence["invariant"], broken.evidence["key"]) == ("sound", "W1")
    assert broken.evidence["asked"] == {"total": RECORDS["tables"]["orders"][0]["total"]}
    lacking = checked(domain={"invariants": [_invariant("row.reason != 'x'")]})
    assert only(lacking, "condition-invalid").kind == "domain"


# Definitions

PAID_BACK = {
    "define": {"mine": "row.user_id != ''", "cancelled": "'cancelled'"},
    "invariants": [_invariant("mine && row.total > 0")],
}
NAMED = {
    "define": {
        "gone": "get('orders', order.order_id).status == cancelled",
        "price": "order.total",
        "open_one": "mine && row.status == 'pending'",
        "at_work": "size(history) > 0",
    },
    "slots": {"order": {"where": "open_one"}},
    "goal": {
        "require": ["gone"],
        "answer": {"refund": {"type": "number", "unit": "USD", "equals": "price"}},
    },
    "user": {"script": [{"when": "at_work", "says": "No."}]},
    "plans": Whole({"default": [PLAN[0], {"say": "Well?"}, *PLAN[1:]]}),
}
CANCELS = {
    "define": {"cancels": "table == 'orders' && after.status == cancelled"},
    "clauses": [{**RULE["clauses"][0], "when": "cancels"}, RULE["clauses"][1]],
}


def test_every_condition_may_use_definitions_and_is_judged_as_if_written_out() -> None:
    result = checked(domain=PAID_BACK, intent=NAMED, rule=CANCELS)
    assert (result.status, result.findings) == ("solvable", [])
    heard = [step.text for step in result.episodes[0].steps if step.kind == "hear"]
    assert heard[-1] == "No."
    assert [(e.agent, e.verdict and e.verdict.reward) for e in result.episodes][:2] == [
        ("reference", 1),
        ("noop", 0),
    ]
    tried = only(
        checked(
            domain=PAID_BACK,
            rule=CANCELS,
            records={"tables": {"orders": [{**RECORDS["tables"]["orders"][0], "total": 0}]}},
        ),
        "row-invalid",
    )
    assert tried.evidence["asked"] == {"user_id": "ann", "total": 0}


@pytest.mark.parametrize(
    ("changes", "kind", "place", "said"),
    [
        ({"domain": {"define": {"a": "b", "b": "a"}}}, "domain", "define.a", "by itself"),
        ({"domain": {"define": {"total": "1"}}}, "domain", "define.total", "a field of orders"),
        ({"intent": {"define": {"user": "1"}}}, "intent", "define.user", "a slot already"),
        ({"intent": {"define": {"a": "1 +"}}}, "intent", "define.a", "ends too early"),
        ({"rule": {"define": {"reason": "1"}}}, "rule", "define.reason", "a field of orders"),
        (
            {"domain": {"define": {"order": "1"}}},
            "intent",
            "slots.order",
            "'order' is a definition of the domain already",
        ),
        (
            {
                "domain": {"define": {"late": "row.stauts == 'x'"}},
                "intent": {"slots": {"order": {"where": "late"}}},
            },
            "intent",
            "slots.order.where",
            "in the definition 'late'",
        ),
    ],
    ids=["itself", "field", "slot", "syntax", "rule", "domain-slot", "where-used"],
)
def test_a_wrong_definition_is_named_at_its_place_and_a_wrong_use_at_its_own(
    changes: dict[str, Any], kind: str, place: str, said: str
) -> None:
    found = checked(**changes).findings
    assert (kind, place) in [(item.kind, item.place) for item in found if said in item.message]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"pattern": "(("},
        {"$ref": "#/definitions/nothing"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$schema": "http://127.0.0.1:9/schema.json"},
        {"type": 5},
        {"properties": ["order_id"]},
        {"properties": {"status": 5}},
        {"anyOf": 5},
    ],
)
def test_a_schema_that_is_none_is_the_domains_fault_and_nothing_is_fetched(
    schema: dict[str, Any],
) -> None:
    found = only(checked(domain={"tables": {"orders": {"schema": Whole(schema)}}}), "body-invalid")
    assert (found.kind, found.place) == ("domain", "tables.orders.schema")


def test_a_reference_to_no_table_is_the_domains_fault() -> None:
    wrong = {"tables": {"orders": {"references": [{"from": "user_id", "to": "uses"}]}}}
    assert only(checked(domain=wrong), "name-unknown").place == "tables.orders.references[0].to"


def test_a_pin_for_a_slot_that_is_gone_is_left_aside() -> None:
    pinned = Pin(binding={"order": "W1", "user": "ann", "ghost": "x"})
    assert checked(pinned=pinned).findings == []


def test_what_a_crash_leaves_undone_is_no_finding_of_its_own() -> None:
    source = SOURCE.replace("    return order\n", '    return order["nothing"]\n', 1)
    assert [found.code for found in checked(source=source).findings] == ["tool-crash"]


def test_a_call_that_the_schema_refuses_is_found_once() -> None:
    steps = plan({"call": "find_order", "args": {"order_id": 5}}, *PLAN)
    assert only(checked(intent=steps), "arguments-invalid").place == "plans.default[0].args"


def test_a_rule_that_costs_too_much_leaves_the_goal_its_own_allowance() -> None:
    clauses = [
        {**RULE["clauses"][0], "id": f"c{number}", "on": "call", "when": "true", "require": COSTLY}
        for number in range(60)
    ]
    result = checked(rule={"clauses": clauses})
    assert {item.kind for item in result.findings} == {"rule"}
    assert result.seconds < 30


@pytest.mark.parametrize("inside", [7, "the order of ann", ["ann", 7], {"ann": 1}])
def test_a_reference_into_a_row_looks_at_keys_and_items_only(inside: Any) -> None:
    domain = {
        "tables": {
            "orders": {
                "schema": Whole({}),
                "references": [{"from": "user_id", "to": "users[owner].inside"}],
            },
            "users": {"schema": Whole({})},
        }
    }
    orders = [{**RECORDS["tables"]["orders"][0], "owner": owner} for owner in ("ann",)]
    users = [{"user_id": "ann", "name": "Ann", "inside": inside}]
    result = checked(domain=domain, records={"tables": {"orders": orders, "users": users}})
    assert ("reference-dangling" in codes(result)) == isinstance(inside, (int, str))
    orders[0]["owner"] = {"no": "key"}
    assert (
        codes(checked(domain=domain, records={"tables": {"orders": orders, "users": users}})) == {}
    )


def test_two_records_sets_that_say_the_same_are_blamed_each_by_its_name() -> None:
    bad = {"tables": {"users": [{"user_id": "ann", "name": 5}, RECORDS["tables"]["users"][1]]}}
    assert only(checked(records=bad), "row-invalid").component == "small"
    other = bundle(records=bad)
    named = other.manifest.records.model_copy(update={"slug": "other"})
    manifest = other.manifest.model_copy(update={"records": named})
    result = check(replace(other, manifest=manifest), panel())
    assert only(result, "row-invalid").component == "other"


def test_a_text_into_which_too_much_is_put_is_found_before_anybody_acts() -> None:
    users = [{**row, "name": "x" * 500_000} for row in RECORDS["tables"]["users"]]
    result = checked(
        intent={"instruction": "{user.name}" * 5000}, records={"tables": {"users": users}}
    )
    assert only(result, "body-invalid").place == "instruction"
    assert result.episodes == []


def _reading(lines: str) -> str:
    return SOURCE.replace('    """Read an order."""\n', f'    """Read an order."""\n{lines}')


def test_a_tool_that_floods_the_records_is_stopped_and_named() -> None:
    flood = "    for n in range(9000):\n        db.put('refunds', {'refund_id': str(n), 'x': 'x' * 900000})\n"
    found = checked(source=_reading(flood)).findings
    assert {(item.code, item.symbol) for item in found} == {
        ("limit-exceeded", "find_order"),
        ("limit-exceeded", "cancel_order"),
    }


def test_calls_that_are_small_each_and_too_much_together_cut_the_attempt_off() -> None:
    large = _reading("    return {**(db.get('orders', order_id) or {}), 'x': 'x' * 900000}\n")
    look = {"call": "find_order", "args": {"order_id": "W1"}}
    result = checked(source=large, intent={"plans": Whole({"default": [look] * 30})})
    found = only(result, "limit-exceeded")
    assert (found.kind, found.symbol) == ("toolserver", "find_order")
    assert "plan-misses-goal" not in codes(result)
    assert len(result.episodes[0].steps) < 25


def test_a_result_that_would_take_for_ever_to_hash_is_the_tools_finding_and_not_our_end() -> None:
    bomb = (
        "    key = (1,)\n    for _ in range(60):\n        key = (key, key)\n    return {key: 1}\n"
    )
    result = checked(source=SOURCE.replace("    return order\n", bomb, 1))
    assert only(result, "tool-crash").symbol == "find_order"
    assert result.status == "broken"


def test_what_each_part_took_is_told_beside_the_result_and_is_no_part_of_an_episode() -> None:
    result = checked()
    attempts = {name: len(seconds) for name, seconds in result.times.items()}
    agents = {"reference": 1, "noop": 1, "refuser": 2, "parrot": 1}
    expected = {"static": 1, **agents, "controls": 1, "soundness": 1}
    assert attempts == expected
    assert 0 < sum(map(sum, result.times.values())) < result.seconds
    assert [episode.model_dump() for episode in checked().episodes] == [
        episode.model_dump() for episode in result.episodes
    ]


def test_a_goal_missed_after_a_tool_that_saved_nothing_names_the_tool() -> None:
    saving = 'return db.update("orders", order_id, {"status": "cancelled", "reason": reason})'
    forgetting = 'return {**order, "status": "cancelled", "reason": reason}'
    assert saving in SOURCE
    source = SOURCE.replace(saving, forgetting).replace("    db.insert", "    dict")
    source = source.replace('dict("refunds", {', "dict(**{")
    found = next(f for f in checked(source=source).findings if f.code == "plan-misses-goal")
    said = (
        "find_order (step 0), cancel_order (step 1) answered without an error and changed no row."
    )
    assert found.message.endswith(said)
    assert found.evidence["idle"] == [0, 1]


def test_a_goal_missed_after_some_writes_names_the_writing_tool_that_saved_nothing() -> None:
    saving = 'return db.update("orders", order_id, {"status": status})'
    assert saving in SOURCE
    source = SOURCE.replace(saving, f"if status != 'delivered':\n        {saving}\n    return {{}}")
    late = {"call": "set_status", "args": {"order_id": "W3", "status": "delivered"}}
    calls = [*INTENT["plans"]["default"][:2], late, INTENT["plans"]["default"][2]]
    goal = {"require": ["get('orders', 'W2').status == 'delivered'"]}
    clauses = [RULE["clauses"][0]]
    result = checked(
        source=source, rule={"clauses": clauses}, intent={"goal": goal, "plans": {"default": calls}}
    )
    found = next(f for f in result.findings if f.code == "plan-misses-goal")
    said = "set_status (step 2) answered without an error and changed no row."
    assert found.message.endswith(said)
