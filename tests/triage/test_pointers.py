"""Whom a finding points at beside the component that it blames."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.triage.observing import CLAUSE, misses, observation, rounds, sign
from triage.observations import Location, Observation
from triage.pointers import CONDITION_FAILED, ROLES, cited, may_show, pointers, unproven
from worlds.findings import CODES

PEN, DESK, CONTRACT = ("toolserver", "pen"), ("records", "desk"), ("domain", "domain")


def test_every_code_says_where_its_cause_may_lie_and_no_other_does() -> None:
    assert ROLES.keys() == CODES.keys()
    assert all(0 < weight <= 1 for roles in ROLES.values() for weight in roles.values())


def test_a_plan_that_misses_its_goal_points_at_the_servers_and_at_the_intent() -> None:
    mine = misses("a")
    found = pointers(mine, observation(1, [mine], intent="a"))
    assert max(found, key=lambda each: found[each]) == PEN
    assert found.keys() == {PEN, DESK, CONTRACT, ("intent", "a")}


def test_a_tool_that_a_finding_cites_is_its_server_only_where_it_was_called() -> None:
    mine = sign("idle-step", "intent", "a", "plans.default", evidence={"tool": "write"})
    called = observation(1, [mine], intent="a", tools={"write": "pen"})
    assert pointers(mine, called) == {("intent", "a"): 0.5, PEN: 0.5}
    assert pointers(mine, replace(called, tools={})) == {("intent", "a"): 0.5}


def test_an_odd_call_points_at_its_server_where_it_may_show_so() -> None:
    mine = misses("a")
    odd = observation(1, [mine], intent="a", tools={"write": "pen"}, odd={"write": "saves nothing"})
    assert pointers(mine, odd)[PEN] == 0.9
    vacuous = sign("goal-vacuous", "intent", "a", "goal")
    assert pointers(vacuous, odd)[PEN] == ROLES["goal-vacuous"]["servers"]


def test_a_clause_that_is_cited_is_its_rule() -> None:
    mine = sign("plan-breaks-rule", "intent", "a", evidence={"clause": "policy/pending-only"})
    assert pointers(mine, observation(1, [mine], intent="a"))["rule", "policy"] == 0.35
    assert CLAUSE in cited(mine)
    several = sign("rule-conflict", "", "", evidence={"clauses": ["policy/one", "other/two", "x"]})
    assert cited(several) == [Location("rule", "policy", "one"), Location("rule", "other", "two")]


@pytest.mark.parametrize(
    ("code", "more", "first"),
    [
        ("slot-unbound", {"message": f"slot note: {CONDITION_FAILED}"}, DESK),
        ("slot-unbound", {}, ("intent", "a")),
        ("arguments-invalid", {"place": "plans.default.finish"}, ("intent", "a")),
        ("plan-misses-goal", {"place": "goal.outcome"}, ("intent", "a")),
    ],
)
def test_what_a_finding_says_sharpens_the_table(
    code: str, more: dict[str, str], first: tuple[str, str]
) -> None:
    mine = sign(code, "intent", "a", "slots.note", **more)
    found = pointers(mine, observation(1, [mine], intent="a"))
    assert max(found, key=lambda each: found[each]) == first


def test_criteria_that_are_volatile_are_as_likely_the_contract_s_matter() -> None:
    mine = sign("criteria-unused", "intent", "a", evidence={"volatile": "notes/*#seen"})
    found = pointers(mine, observation(1, [mine], intent="a"))
    assert found["intent", "a"] == found[CONTRACT]
    assert Location("domain", "domain", "volatile notes/*#seen") in cited(mine)


def test_a_plan_unbinds_no_slot() -> None:
    plan, slot = (Location("intent", "a", each) for each in ("plans.default", "slots.note"))
    assert may_show(misses("a"), plan)
    for mine in (
        sign("slot-unbound", "intent", "a", "slots.note"),
        sign("name-unknown", "intent", "a", "slots.note"),
        sign("goal-vacuous", "intent", "a", "goal"),
    ):
        assert not may_show(mine, plan)
        assert may_show(mine, slot)


def test_what_nobody_solved_stands_for_its_intent_wherever_it_is_used() -> None:
    one, other = (observation(n, intent="a", status="unproven") for n in (1, 2))
    assert unproven(one) == unproven(other)
    assert unproven(one).fingerprint != unproven(observation(3)).fingerprint


@given(rounds(), st.data())
def test_weights_lie_between_nought_and_one_and_hold_whom_the_finding_blames(
    made: list[Observation], data: st.DataObject
) -> None:
    each = data.draw(st.sampled_from(made))
    for mine in each.signs:
        found = pointers(mine, each)
        assert all(0 < weight <= 1 for weight in found.values())
        if mine.code in CODES and "blamed" in ROLES[mine.code] and mine.kind:
            assert mine.blamed.component in found
