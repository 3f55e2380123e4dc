"""No condition of the retail library fails, whatever its tools are called with: one that fails says nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import given, settings

from tests.library.retail_calls import sequences
from tests.library.tau2 import RETAIL, Call
from worlds.clauses import CompiledClause, Moment, written
from worlds.conditions import Allowance
from worlds.intent import Goal, Intent, Line, User
from worlds.library import File
from worlds.play import Play
from worlds.recordcheck import RowCheck
from worlds.step import Call as Called
from worlds.step import Say
from worlds.toolsession import ToolSession
from worlds.world import World


@cache
def talking() -> World:
    """A published task, with a user who says yes to everything."""
    user = User(opens="Hello.", script=[Line(when="true", says="Yes.")])
    intent = Intent(instruction="Go.", user=user, goal=Goal(outcome="done"))
    spec = next(iter(RETAIL.folder.all_environments()))
    intents = {spec.intent: File(spec.intent, intent, {})}
    return World(replace(RETAIL.folder, intents=intents).bundle(spec))


def told(clause: CompiledClause, moment: Moment, event: Mapping[str, Any]) -> None:
    """Ask a clause; raises ConditionFailed where one of its conditions does."""
    names = {**moment.names(), **event}
    if clause.table is not None and clause.table != event.get("table"):
        return
    if clause.when is None or clause.when.holds(moment.view, names):
        clause.require.holds(moment.view, names)


def unsound(play: Play) -> Iterator[str]:
    """Invariants that could not be told of the rows that the last call wrote."""
    spec = RowCheck(play.records, play.now, Allowance())
    for change in play.steps[-1].changes:
        row = play.records.get(change["table"], change["key"])
        if row is not None:
            for problem in spec.problems(change["table"], change["key"], row):
                if problem.failed:
                    yield problem.message


@given(sequences())
@settings(max_examples=60, deadline=None)
def test_every_condition_says_yes_or_no(calls: list[Call]) -> None:
    world = talking()
    with ToolSession() as session:
        play = Play(world, session)
        play.act(Say(text="Shall I?"))
        for tool, args in calls:
            play.allowance = Allowance()
            for clause in world.clauses.on("call"):
                told(clause, play.moment, {"call": {"tool": tool, "args": args}})
            play.act(Called(tool=tool, args=args))
            assert list(unsound(play)) == []
            for change in play.steps[-1].changes:
                for clause in world.clauses.on("write"):
                    told(clause, play.moment, written(play.moment, change))
        for clause in (*world.clauses.on("say"), *world.clauses.on("end")):
            told(clause, play.moment, {"said_now": "Goodbye."})
