"""What titles of faults are made from: the findings that show a fault, and its best suspect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from triage.observations import Location, Sign

LONGEST_REASON = 160
"""Characters of what a message adds."""


@dataclass(frozen=True)
class Told:
    """What a title is made from."""

    suspect: Location | None
    """The best one, where it is a component."""
    sign: Sign
    """That stands for the others."""
    signs: Sequence[Sign]
    """All of its code."""

    @property
    def culprit(self) -> str:
        """The component that the findings blame, as a reader knows it; several intents have no name in common."""
        slugs = {(sign.kind, sign.slug) for sign in self.signs}
        if len(slugs) == 1:
            return self._one
        return {"intent": "several intents", "": "several components"}.get(
            self.sign.kind, f"several {self.sign.kind} components"
        )

    @property
    def _one(self) -> str:
        words = {"records": "the records {}", "rule": "the rule {}", "domain": "the contract"}
        return words.get(self.sign.kind, "{}").format(self.sign.slug or "a check")

    @property
    def plan(self) -> str:
        """Whose plan."""
        is_one = len({sign.slug for sign in self.signs}) == 1
        return f"{self.sign.slug}'s plan" if is_one else "a plan"

    @property
    def server(self) -> str | None:
        """Its function, or its name, where a tool server is the best suspect and the findings blame something else."""
        if self.suspect is None or self.suspect.kind != "toolserver":
            return None
        return code(first(self.suspect.symbol) or self.suspect.slug)

    @property
    def symbol(self) -> str:
        """The symbol as code."""
        return code(self.sign.symbol)

    @property
    def head(self) -> str:
        """The first word of the symbol: a tool, a slot, a place."""
        return code(first(self.sign.symbol))

    @property
    def rest(self) -> str:
        """What the symbol says after its first word: for `plan TOOL`, the tool."""
        return code(self.sign.symbol.partition(" ")[2] or self.sign.symbol)

    @property
    def called(self) -> str:
        """The tool of a symbol that reads `plan TOOL …`."""
        return code(first(self.sign.symbol.removeprefix("plan ")))

    def reason(self, pattern: str) -> str:
        """`: ` and what all messages say at a group of the pattern; empty where they say different things."""
        found = {match[1].strip() for match in self._matches(pattern)}
        said = found.pop() if len(found) == 1 else ""
        return f": {short(said)}" if said else ""

    def _matches(self, pattern: str) -> Iterable[re.Match[str]]:
        for sign in self.signs:
            if match := re.search(pattern, sign.message, re.DOTALL):
                yield match

    def blames(self, *kinds: str) -> bool:
        """Whether the best suspect is of one of these kinds."""
        return self.suspect is not None and self.suspect.kind in kinds

    @property
    def where(self) -> str:
        """The best suspect, in words."""
        if self.suspect is None:
            return self.culprit
        of = f"the {self.suspect.kind} {self.suspect.slug}"
        return f"{code(self.suspect.symbol)} of {of}" if self.suspect.symbol else of

    @property
    def table(self) -> str:
        """Of the row at rest that a finding speaks of."""
        return code(self.sign.place.partition("/")[0])

    @property
    def field(self) -> str:
        """The same's field, or what it breaks."""
        return self.sign.symbol.rpartition(".")[2] or self.sign.symbol

    @property
    def relation(self) -> str:
        """Of a symbol that reads `goal RELATION`; empty where it names none."""
        return self.sign.symbol.partition("goal ")[2]


def first(symbol: str) -> str:
    """The first word of a symbol."""
    return symbol.partition(" ")[0]


def code(name: str) -> str:
    """As code."""
    return f"`{name}`"


def short(text: str) -> str:
    """What a message says, in one line that is not too long."""
    text = " ".join(text.split()).rstrip(".")
    return text if len(text) <= LONGEST_REASON else f"{text[: LONGEST_REASON - 1]}…"
