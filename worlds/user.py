"""The person at the other end of a dialogue, as a script: how it opens, what it knows, what it says when."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from worlds.cel_functions import IN_SCRIPTS
from worlds.clauses import HISTORY, Moment
from worlds.conditions import (
    Condition,
    ConditionFailed,
    ConditionInvalid,
    ConditionSpent,
    Shape,
    compile_condition,
)
from worlds.definitions import Definitions
from worlds.domain import Domain
from worlds.intent import Line, User
from worlds.template import as_text, render

ASK_USER = "ask_user"
NOTHING_MORE = "That is all I can tell you."
NOT_KNOWN = "I don't know."

MOMENT: dict[str, Shape] = {"actor": None, "history": HISTORY, "said": None, "heard": None}
"""What a line's `when` sees beside the slots."""


def when_condition(
    line: Line, domain: Domain, slots: Mapping[str, Shape], definitions: Definitions | None
) -> Condition:
    """The compiled `when` of a line, which sees the moment and the slots; raises ConditionInvalid."""
    return compile_condition(line.when, domain, {**MOMENT, **slots}, IN_SCRIPTS, definitions)


class ScriptedUser:
    """A user that does the same whenever the agent does the same."""

    def __init__(
        self,
        user: User,
        names: Mapping[str, Any],
        domain: Domain,
        definitions: Definitions | None = None,
    ) -> None:
        """`names` are what templates and conditions may name: the bound slots; `definitions` those of the intent."""
        self._user = user
        self._names = dict(names)
        self.problems: list[tuple[str, ConditionInvalid]] = []
        """Place in the user (`script[0].when`) and what is wrong there; such a line never fires."""
        self.spent: dict[int, str] = {}
        """Lines whose `when` used up its budget, by number, with the reason: they are not tried again."""
        self.failed: dict[int, str] = {}
        """Lines whose `when` failed with an error when it was asked, by number, with the reason."""
        self.fired: tuple[int, ...] = ()
        """Script lines said so far, by number; set it to go back to an earlier moment."""
        self._domain, self._definitions = domain, definitions
        self._when = [self._compiled(number, line) for number, line in enumerate(user.script)]

    def _compiled(self, number: int, line: Line) -> Condition | None:
        slots = dict.fromkeys(self._names)
        try:
            return when_condition(line, self._domain, slots, self._definitions)
        except ConditionInvalid as error:
            self.problems.append((f"script[{number}].when", error))
            return None

    def awaits_refusal(self, tool: str) -> bool:
        """Whether a line waits for a call of the tool to be refused."""
        asked = re.compile(rf"\brefused\(\s*(['\"]){re.escape(tool)}\1\s*\)")
        return any(asked.search(when.text) for when in self._when if when is not None)

    def opening(self, instruction: str) -> str:
        """What the agent is told first: the user's own opening, else the instruction as it stands."""
        return instruction if self._user.opens is None else self._text(self._user.opens)

    def answer(self, about: str) -> str:
        """What the user says when asked about a topic; capitals and `_` for a space make no difference."""
        wanted = plain_topic(about)
        for topic, value in self._user.knows.items():
            if plain_topic(topic) == wanted:
                return self._text(value)
        return NOT_KNOWN

    def reply(self, moment: Moment, text: str) -> str:
        """What the user says to `text`: the first line not yet said whose `when` holds."""
        for number, when in enumerate(self._when):
            waits = number not in self.fired and number not in self.spent
            if waits and when is not None and self._holds(number, when, moment, text):
                self.fired = (*self.fired, number)
                return self._text(self._user.script[number].says)
        return NOTHING_MORE

    def _holds(self, number: int, when: Condition, moment: Moment, text: str) -> bool:
        said = moment.said if moment.said[-1:] == [text] else [*moment.said, text]
        names = {**moment.names(), "said": said, **self._names}
        try:
            return when.holds(moment.view, names, _functions(moment.history, said))
        except ConditionSpent as error:
            self.spent[number] = str(error)
            return False
        except ConditionFailed as error:
            self.failed.setdefault(number, str(error))
            return False

    def _text(self, template: Any) -> str:
        return as_text(render(template, self._names))


def plain_topic(about: str) -> str:
    """A topic's name without what makes no difference."""
    return " ".join(about.replace("_", " ").lower().split())


def _functions(history: list[dict[str, Any]], said: list[str]) -> dict[str, Callable[..., bool]]:
    def refused(tool: str) -> bool:
        return any(
            each["tool"] == tool and each["status"] in ("refused", "guarded") for each in history
        )

    def called(tool: str) -> bool:
        return any(each["tool"] == tool for each in history)

    def asked(about: str) -> bool:
        topics = [each["args"].get("about") for each in history if each["tool"] == ASK_USER]
        return any(
            isinstance(topic, str) and plain_topic(topic) == plain_topic(about) for topic in topics
        )

    def said_like(text: str) -> bool:
        return any(text.lower() in each.lower() for each in said)

    return {"refused": refused, "called": called, "asked": asked, "said_like": said_like}
