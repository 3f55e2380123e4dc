"""Business policy: a section of prose, with the clauses that a program can decide anchored in it."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints, field_validator

from worlds.body import Body, Kind, Part
from worlds.definitions import Definitions

Trigger = Literal["write", "call", "say", "end"]
NAMES = frozenset(
    {"actor", "history", "said", "heard", "table", "key", "before", "after", "call", "said_now"}
)
"""What clauses see under names of their own."""
WORDS = frozenset({"true", "false", "null", "in"})
"""Words of the language: no condition can use them as names."""
MOST_DEFINED = 200
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]


class Clause(Part):
    """Whenever `on` happens and `when` holds, `require` must hold, unless a clause in `unless` applies.

    Names: `write` sees table, key, before, after; `call` sees call.tool and call.args; `say` sees said_now
    (the text just said); all see actor, history, said, heard.
    """

    id: str
    quote: str
    on: Trigger
    when: str | None = None
    require: str
    unless: list[str] = []
    enforce: Literal["audit", "guard"] = "audit"


class Rule(Body):
    """One section of a policy."""

    kind: ClassVar[Kind] = "rule"

    text: str
    define: Annotated[dict[Name, str], Field(max_length=MOST_DEFINED)] = {}
    """Conditions under a name, for all clauses and definitions of the rule: `cancels: after.status == 'cancelled'`."""
    clauses: list[Clause] = []
    judgement: list[str] = []
    """Sentences of the text that need judgement, verbatim."""

    @cached_property
    def definitions(self) -> Definitions:
        """What writes the defined names out."""
        return Definitions(self.define)

    @field_validator("define")
    @classmethod
    def _names_are_free(cls, define: dict[str, str]) -> dict[str, str]:
        for name in sorted(NAMES & define.keys()):
            raise ValueError(f"{name!r} is the name of something that clauses see: choose another")
        for name in sorted(WORDS & define.keys()):
            raise ValueError(f"{name!r} is a word of the conditions' language: choose another name")
        return define
