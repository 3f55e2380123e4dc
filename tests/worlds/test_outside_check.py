"""Checks of environments whose tools run outside: the same verdicts, and what is hidden is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents import panel
from tests.worlds import shop
from tests.worlds.outside import BLIND, KINDS, QUICK, bundle, install, settings
from tests.worlds.shop import Whole, codes
from worlds.check import CheckResult, check
from worlds.servers import Servers, ServerUnavailable


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    install(shop=settings())
    yield
    Servers.install(None)


def checked(**changes: Any) -> CheckResult:
    return check(bundle(**changes), panel())


def planned(*calls: dict[str, Any]) -> dict[str, Any]:
    """An intent whose plan makes these calls and then finishes."""
    finish = {"finish": {"outcome": "done", "answer": {"refund": 20}}}
    return {"plans": Whole(default=[*calls, finish]), "open": ["misbehave.how"]}


CANCEL = {"call": "cancel_order", "args": {"order_id": "{order.order_id}", "reason": "changed"}}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_verdicts_are_those_of_the_same_tools_run_here(kind: dict[str, Any]) -> None:
    install(shop=settings(kind))
    here, there = shop.checked(), checked()
    assert there.status == here.status == "solvable"
    for one, other in zip(here.episodes, there.episodes, strict=True):
        assert (one.diff, one.state, one.verdict) == (other.diff, other.state, other.verdict)
    assert [item.what for item in there.unobserved] == ["rows that shop reads"]
    assert here.unobserved == ()


def test_a_clause_on_writes_holds_for_servers_from_outside() -> None:
    set_status = {"call": "set_status", "args": {"order_id": "W3", "status": "cancelled"}}
    found = codes(checked(intent=planned(CANCEL, set_status)))
    assert found["plan-breaks-rule"] == "blocking"


def test_a_guard_takes_the_write_back_outside_too() -> None:
    clauses = [{**shop.RULE["clauses"][0], "enforce": "guard"}]
    set_status = {"call": "set_status", "args": {"order_id": "W3", "status": "cancelled"}}
    look = {"call": "find_order", "args": {"order_id": "W3"}}
    result = checked(rule={"clauses": clauses}, intent=planned(set_status, look))
    guarded, looked = result.episodes[0].steps[:2]
    assert guarded.status == "guarded"
    assert looked.result["status"] == "delivered"


@pytest.mark.parametrize(
    ("how", "code"),
    [("hang", "limit-exceeded"), ("flood", "limit-exceeded"), ("die", "tool-crash")],
)
def test_a_server_that_fails_is_a_finding_against_it(how: str, code: str) -> None:
    misbehave = {"call": "misbehave", "args": {"how": how}}
    (item,) = [f for f in checked(intent=planned(misbehave, CANCEL)).findings if f.code == code]
    assert (item.kind, item.component, item.symbol) == ("toolserver", "shop", "misbehave")


def test_what_it_says_beside_its_messages_is_a_warning() -> None:
    babble = {"call": "misbehave", "args": {"how": "babble"}}
    result = checked(intent=planned(babble, CANCEL))
    assert codes(result) == {"source-invalid": "warning"}
    assert result.status == "solvable"
    assert "Traceback, or a greeting" in result.findings[0].message


def test_a_schema_that_is_none_is_a_finding_before_anything_runs() -> None:
    spoilt = "outside_shop.TOOLS[0]['inputSchema']['properties']['order_id'] = {'type': 3}; "
    command = [
        *BLIND["command"][:2],
        "-c",
        f"import outside_shop; {spoilt}outside_shop.main('memory')",
    ]
    install(shop=settings({"command": command, "env": {"PYTHONPATH": "tests/worlds"}}))
    result = checked()
    assert ("source-invalid", "find_order") in {(f.code, f.symbol) for f in result.findings}
    assert result.episodes == []


def test_a_goal_on_a_state_that_nobody_sees_is_not_judged_and_said_so() -> None:
    install(shop=settings(BLIND))
    result = checked()
    assert result.status == "unproven"
    assert {episode.verdict for episode in result.episodes} == {None}
    assert [item.what for item in result.unobserved] == [
        "rows that shop reads",
        "ways to the goal through shop",
        "whether shop begins with the records",
        "the goal: what asks for the final state",
        "clauses on writes",
    ]
    assert codes(result) == {"plan-refused": "warning"}


def test_a_goal_that_asks_for_words_alone_is_judged_without_a_state() -> None:
    install(shop=settings(BLIND))
    goal: dict[str, Any] = {"require": [], "changes": None, "answer": Whole(), "outcome": "refused"}
    intent = {"goal": goal, "plans": Whole(default=[{"finish": {"outcome": "refused"}}])}
    result = checked(intent=intent)
    assert result.episodes[0].verdict is not None
    assert result.episodes[0].verdict.reward == 1


def test_a_server_that_cannot_be_had_is_trouble_of_ours_and_no_finding() -> None:
    made = bundle()
    install(shop=settings({"command": ["/no/such/program"]}, limits=QUICK))
    with pytest.raises(ServerUnavailable, match="/no/such/program"):
        check(made, panel())


def test_a_server_that_starts_slowly_has_not_spent_what_its_calls_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("worlds.play.CALLS_SECONDS", 0.6)
    slow = ["{python}", "-S", "-c", "import time, sys; time.sleep(0.8); sys.path.insert(0, '.'); "]
    slow[-1] += "import outside_shop; outside_shop.main('json', sys.argv[1])"
    command = [*slow, KINDS["json"]["command"][-1]]
    install(shop=settings({**KINDS["json"], "command": command}, folder="tests/worlds"))
    assert checked().status == "solvable"


COUNTS = """
import sys, outside_shop
calls, called = [], outside_shop.called
def counting(store, name, args):
    calls.append(name)
    value = called(store, name, args)
    return {**value, "calls": len(calls)} if isinstance(value, dict) else value
outside_shop.called = counting
outside_shop.main("sqlite", sys.argv[1])
"""


@pytest.mark.parametrize(
    ("process", "found"), [("attempt", {}), ("check", {"state-leak": "blocking"})]
)
def test_what_a_server_keeps_beside_its_state_shows_where_one_process_serves_a_check(
    process: str, found: dict[str, str]
) -> None:
    kind = KINDS["sqlite"]
    command = ["{python}", "-S", "-c", COUNTS, kind["command"][-1]]
    install(shop=settings({**kind, "command": command}, folder="tests/worlds", process=process))
    assert codes(checked()) == found
