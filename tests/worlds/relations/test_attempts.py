"""worlds.relations.attempts"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.worlds.shop import bundle
from worlds.intent import Finish
from worlds.relations.attempts import Attempts
from worlds.replay import replay
from worlds.step import Action, Call
from worlds.toolsession import ToolSession
from worlds.world import World

READ = Call(tool="find_order", args={"order_id": "W1"})
WRITE = Call(tool="cancel_order", args={"order_id": "W1", "reason": "changed"})
OTHER = Call(tool="set_status", args={"order_id": "W3", "status": "pending"})
END = Finish(outcome="done", answer={"refund": 20})
ACTIONS: list[Action] = [READ, WRITE, END]
EDIT = {"table": "users", "key": "ann", "op": "update", "fields": {"name": {"after": "Anne"}}}


@pytest.fixture
def session() -> Iterator[ToolSession]:
    with ToolSession() as opened:
        yield opened


@pytest.mark.parametrize(
    "actions",
    [
        ACTIONS,
        [WRITE, END],
        [READ, OTHER, WRITE, END],
        [READ, WRITE, OTHER, END],
        [READ, WRITE, WRITE, END],
    ],
)
@pytest.mark.parametrize("edits", [[], [EDIT]])
def test_what_is_forked_ends_as_what_is_played_from_the_start(
    session: ToolSession, actions: list[Action], edits: list[dict[str, object]]
) -> None:
    world = World(bundle())
    attempts = Attempts(world, session, ACTIONS)
    attempts.run([READ, OTHER, END])  # leaves nothing behind
    trial, whole = attempts.run(actions, edits), replay(world, session, actions, edits)
    assert (trial.steps, trial.diff, trial.verdict) == (whole.steps, whole.diff, whole.verdict)


def test_what_was_played_once_is_not_played_again(session: ToolSession) -> None:
    attempts = Attempts(World(bundle()), session, ACTIONS)
    assert attempts.calls == 2
    others: list[list[Action]] = [ACTIONS, [READ, OTHER, END], [WRITE, END]]
    assert [attempts.new_calls(actions) for actions in others] == [0, 1, 1]
    attempts.run([READ, WRITE, OTHER, END])
    assert attempts.calls == 3
