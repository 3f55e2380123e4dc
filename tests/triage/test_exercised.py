"""What took part in the reference's attempt."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from agents.reference import Reference
from tests.worlds.shop import INTENT, RULE, Whole, bundle
from triage.exercised import MOST_ROWS, exercised
from triage.observations import Location
from worlds.episode import play
from worlds.library import read
from worlds.step import Episode
from worlds.toolserver_body import OutsideBody, ToolServerBody
from worlds.toolsession import ToolSession
from worlds.world import World

LIBRARY = Path(__file__).parents[2] / "library"


def attempt(world: World) -> Episode:
    with ToolSession() as session:
        return play(world, Reference.of(world), session)


def of(**changes: Any) -> frozenset[Location]:
    world = World(bundle(**changes))
    return exercised(world, attempt(world))


def symbols(found: frozenset[Location], kind: str) -> set[str]:
    return {each.symbol for each in found if each.kind == kind}


def test_the_parts_that_the_plan_used_are_named_and_no_other() -> None:
    found = of(domain={"invariants": [
        {"id": "paid", "text": "Totals.", "table": "orders", "require": "row.total > 0.0"},
    ]})  # fmt: skip
    assert symbols(found, "intent") == {
        "", "slots.order", "slots.user",
        "goal.require[0]", "goal.changes", "goal.answer.refund.equals", "goal.outcome",
    }  # fmt: skip
    assert symbols(found, "toolserver") == {"find_order", "cancel_order"}
    assert symbols(found, "rule") == {"pending-only"}
    assert len(symbols(found, "records")) == 2  # the new refund is no row of theirs
    assert symbols(found, "domain") == {"orders", "users", "refunds", "paid"}
    assert {each.slug for each in found} == {"cancel", "shop", "cancelling", "small", "domain"}


def test_without_an_attempt_only_what_is_bound_is_named() -> None:
    found = exercised(World(bundle()), None)
    assert not symbols(found, "toolserver") | symbols(found, "rule")
    assert len(symbols(found, "records")) == 2
    assert symbols(found, "domain") == {"orders", "users"}


@pytest.mark.parametrize("on", ["call", "write"])
def test_a_guard_that_refused_took_part(on: str) -> None:
    asked = {
        "call": {"when": "call.tool == 'set_status'", "require": "call.args.status != 'delivered'"},
        "write": {"when": "table == 'orders' && after.status == 'delivered'", "require": "false"},
    }[on]
    guard = {**RULE["clauses"][1], "on": on, **asked}
    step = {"call": "set_status", "args": {"order_id": "W1", "status": "delivered"}}
    plan = Whole(default=[step, *INTENT["plans"]["default"]])
    found = of(rule={"clauses": [RULE["clauses"][0], guard]}, intent={"plans": plan})
    assert symbols(found, "rule") == {"pending-only", "no-hand-delivery"}
    assert symbols(of(rule={"clauses": [guard]}), "rule") == set()


def test_clauses_about_words_and_the_end_take_part_and_one_that_cannot_be_decided_too() -> None:
    def clause(name: str, on: str, when: str) -> dict[str, str]:
        quote = "Only pending orders can be cancelled"
        return {"id": name, "quote": quote, "on": on, "when": when, "require": "true"}

    plan = INTENT["plans"]["default"]
    rule = {
        "clauses": [
            clause("spoken", "say", "said_now == 'Wait.'"),
            clause("last", "end", "'Bye.' in said"),
            clause("never", "end", "'Hello.' in said"),
            clause("undecided", "end", "history[99].tool == 'x'"),
        ]
    }
    done = {"finish": {**plan[2]["finish"], "message": "Bye."}}
    spoken = Whole(default=[{"say": "Wait."}, *plan[:2], done])
    found = of(rule=rule, intent={"plans": spoken})
    assert symbols(found, "rule") == {"spoken", "last", "undecided"}


def test_of_many_rows_those_bound_and_written_come_first() -> None:
    users = [{"user_id": f"u{number:04}", "name": "X"} for number in range(1000)]
    rows = {"tables": {"users": [*users, {"user_id": "ann", "name": "Ann"},
                                 {"user_id": "bob", "name": "Bob"}]}}  # fmt: skip
    plan = INTENT["plans"]["default"]
    plans = Whole(default=[{"call": "list_users"}, *plan])
    found = of(records=rows, intent={"plans": plans})
    named = symbols(found, "records")
    assert MOST_ROWS - 1 <= len(named) <= MOST_ROWS
    assert any(name.startswith("orders/") for name in named)


def test_the_tools_of_an_outside_server_are_known_without_asking_it() -> None:
    made = bundle()
    ours = attempt(World(made))
    far = OutsideBody(server="nowhere")
    refs = (made.manifest.toolservers[0].model_copy(update={"slug": "far", "body": far.digest}),)
    manifest = made.manifest.model_copy(update={"toolservers": refs})
    world = World(
        type(made)(manifest, *(made.domain, made.intent, made.rules, made.records), (far,))
    )
    found = exercised(world, ours)
    assert {each for each in found if each.kind == "toolserver"} == {
        Location("toolserver", "far", "find_order"),
        Location("toolserver", "far", "cancel_order"),
    }


@pytest.mark.parametrize("slug", ["meetings", "helpdesk", "expenses"])
def test_it_costs_at_most_twenty_milliseconds_an_environment(slug: str) -> None:
    (folder,) = read(LIBRARY, [slug])
    specs = folder.all_environments()
    spent = []
    for spec in specs[:: max(1, len(specs) // 8)]:
        made = folder.bundle(spec, folder.pins.get(spec.slug))
        if not all(isinstance(each, ToolServerBody) for each in made.toolservers):
            continue
        world = World(made)
        episode = attempt(world)
        began = time.process_time()
        assert symbols(exercised(world, episode), "toolserver")
        spent.append(time.process_time() - began)
    print(slug, [round(1000 * each, 1) for each in spent])
    assert median(spent) < 0.02
