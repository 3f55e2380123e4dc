"""What an agent may do, and what came of it: actions and steps."""

from __future__ import annotations

from typing import Any, Literal

from worlds.body import Part
from worlds.intent import Finish, Outcome


class Call(Part):
    """Call a tool. `ask_user(about)` is a tool too, in dialogues."""

    tool: str
    args: dict[str, Any] = {}


class Say(Part):
    """Say something to the user."""

    text: str


Action = Call | Say | Finish

Status = Literal["ok", "refused", "guarded", "invalid", "crashed", "limit"]
"""`refused` by the tool, `guarded` by a clause, `invalid` arguments or unknown tool: an agent can go on after any."""


class Step(Part):
    """One step of an episode."""

    index: int
    kind: Literal["call", "say", "hear", "finish"]
    tool: str = ""
    args: dict[str, Any] = {}
    result: Any = None
    """What the agent got: the tool's result, or the text of a refusal or error."""
    status: Status = "ok"
    text: str = ""
    """What was said or heard."""
    changes: list[dict[str, Any]] = []
    """Rows that this step wrote, as in a state diff."""
    violations: list[str] = []
    """Clauses violated here, as `rule/clause`."""
    guard: str = ""
    """The clause that stopped it, as `rule/clause`; empty = none did."""
    line: int | None = None
    function: str = ""
    """Where the tool refused, crashed or was stopped, in its source."""
    outcome: Outcome | None = None


class Assertion(Part):
    """One thing that the verdict checked."""

    kind: Literal["outcome", "require", "changes", "answer", "mention", "effect", "clause"]
    place: str
    text: str
    met: bool
    at_start: bool
    """Whether it held before the agent did anything."""
    weight: int = 1
    met_weight: int = 0
    detail: str = ""
    """Why not, in one sentence."""
    invalid: bool = False
    """Whether the condition failed with an error rather than being false."""


class Verdict(Part):
    """How an episode is judged. An episode that could not be judged has no verdict, never a reward of 0."""

    reward: Literal[0, 1]
    progress: float
    assertions: list[Assertion]
    violations: list[str] = []


class Episode(Part):
    """One attempt by one agent; the same bytes for the same bundle, seed and actions."""

    bundle: str
    agent: str
    seed: int = 0
    attempt: int = 0
    steps: list[Step]
    ended: Literal["finished", "cut"]
    """Ended by the agent's finish, or cut off by us (`cut` says why)."""
    cut: str = ""
    forbidden: list[tuple[int, str]] = []
    """Forbidden things that tool code tried, swallowed or not: step and what (a file, a socket)."""
    noise: list[tuple[int, str]] = []
    """What outside servers wrote among their messages: step and line."""
    diff: list[dict[str, Any]]
    touched: list[str] = []
    """`table/key` of every row read, written or bound, sorted."""
    state: str
    """Digest of the final state."""
    verdict: Verdict | None
