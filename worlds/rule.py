"""Business policy: a section of prose, with the clauses that a program can decide anchored in it."""

from __future__ import annotations

from typing import ClassVar, Literal

from worlds.body import Body, Kind, Part
from worlds.definitions import Define, Definitions
from worlds.domain import Domain

Trigger = Literal["write", "call", "say", "end"]


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
    define: Define = {}
    """For all clauses and definitions of the rule."""
    clauses: list[Clause] = []
    judgement: list[str] = []
    """Sentences of the text that need judgement, verbatim."""

    def definitions(self, domain: Domain) -> Definitions:
        """What its conditions may use: its own definitions, and those of the domain."""
        return domain.definitions.above("rule", self.define)
