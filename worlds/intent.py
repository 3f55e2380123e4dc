"""What a user wants, how to tell that it was met, and ways known to get there."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from worlds.body import Body, Kind, Part
from worlds.definitions import Define, Definitions
from worlds.domain import Domain

Outcome = Literal["done", "refused", "handed_off", "impossible"]
AnswerType = Literal["string", "number", "integer", "boolean", "date", "datetime", "list"]


class Line(Part):
    """Something the scripted user says, once, as soon as `when` holds and the agent speaks."""

    when: str
    says: str


class User(Part):
    """The person at the other end of a dialogue."""

    opens: str | None = None
    """Replaces the instruction as what the agent is told first."""
    brief: str | None = None
    """Stage directions for a simulated user; no agent ever sees them."""
    knows: dict[str, Any] = {}
    """What `ask_user(about)` answers, by topic; values may be templates."""
    script: list[Line] = []


class Slot(Part):
    """A row of `table` to be chosen: equal to `match`, and `where` (a condition on `row`) holds."""

    table: str
    match: dict[str, Any] = {}
    where: str | None = None


class Answer(Part):
    """A typed answer, given to `finish`; `equals` is a condition-language expression."""

    type: AnswerType
    unit: str | None = None
    equals: str


class Goal(Part):
    """What must hold in the end. Everything that is given counts; nothing else does."""

    outcome: Outcome | None = None
    require: list[str] = []
    changes: list[str] | None = None
    """All that may change: `table/key`, `table/key#field,field`, `table/+n`; [] = nothing, null = not said."""
    answer: dict[str, Answer] = {}
    mentions: list[str] = []
    matches_plan: bool = False


class Finish(Part):
    """How an attempt ends."""

    outcome: Outcome = "done"
    answer: dict[str, Any] = {}
    message: str = ""


class PlanStep(Part):
    """One of: a call (its result kept `as` a name for later templates), something said, or the finish."""

    call: str | None = None
    args: dict[str, Any] = {}
    as_: str | None = Field(alias="as", default=None)
    say: str | None = None
    finish: Finish | None = None

    @model_validator(mode="after")
    def _one_thing(self) -> PlanStep:
        given = [name for name in ("call", "say", "finish") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"a plan step has one of call, say, finish; this one has {given or 'none'}"
            )
        if self.call is None and (self.args or self.as_):
            raise ValueError("args and as belong to a call")
        return self


class Unscored(Part):
    """A criterion carried along that never counts here."""

    kind: str
    text: str
    counts: bool = False
    """Whether it counts where the intent came from, by a model or by code that nothing here can run."""


class Intent(Body):
    """The intent of an environment; text may hold `{slot.field}` templates."""

    kind: ClassVar[Kind] = "intent"

    instruction: str
    actor: str | None = None
    """The slot on whose behalf the agent acts."""
    user: User | None = None
    define: Define = {}
    """For all conditions of the intent."""
    slots: dict[str, Slot] = {}
    goal: Goal
    plans: dict[str, list[PlanStep]] = {}
    open: list[str] = []
    unscored: list[Unscored] = []

    def plan(self, toolservers: tuple[str, ...]) -> list[PlanStep] | None:
        """The plan for these tool servers: that of the first one with its own, else the default."""
        own = next((self.plans[slug] for slug in toolservers if slug in self.plans), None)
        return own if own is not None else self.plans.get("default")

    def definitions(self, domain: Domain) -> Definitions:
        """What its conditions may use: its own definitions, and those of the domain."""
        return domain.definitions.above("intent", self.define, self.slots)

    @property
    def is_turned_down(self) -> bool:
        """Whether what is asked for must not be done, or not here."""
        return self.goal.outcome in ("refused", "handed_off", "impossible")

    @property
    def is_dialogue(self) -> bool:
        """Whether a person answers at the other end."""
        return self.user is not None
