"""What can be wrong with a condition, before and while it is evaluated."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches


class ConditionInvalid(ValueError):
    """A condition does not compile, or a gate refuses it; the message says what, where and in which text."""

    def __init__(self, what: str, text: str, at: int | None = None) -> None:
        super().__init__(what, text, at)
        self.what = what
        self.text = text
        self.at = at
        self.within: tuple[str, ...] = ()
        """The definitions in which it stands, the outermost first."""

    def __str__(self) -> str:
        defined = " → ".join(map(repr, self.within))
        origin = f", in the definition {defined}" if defined else ""
        place = _place(self.text, self.at)
        return f"{self.what}{place}{origin}, in the condition: {_shortened(self.text)}"


class NameUnknown(ConditionInvalid):
    """A variable, function, field or table is named that does not exist."""


class NameUnbound(NameUnknown):
    """A name that nothing stands for, where there are the names `known`, and those that a domain, an intent or a
    rule defines."""

    def __init__(self, name: str, known: Collection[str], text: str, at: int) -> None:
        super().__init__("", text, at)
        self._name, self._known = name, known
        self.beside({})

    def beside(self, levels: Mapping[str, Collection[str]]) -> None:
        """Say too what each level (a rule …) defines."""
        defined = [name for names in levels.values() for name in names]
        near = get_close_matches(self._name, [*self._known, *defined], 1)
        there = [f"there are {', '.join(sorted(self._known)) or 'none'}"]
        there += [f"the {level} defines {', '.join(sorted(levels[level]))}" for level in levels]
        there += [f"did you mean {near[0]!r}?"] if near else []
        self.what = f"unknown name {self._name!r} ({'; '.join(there)})"


class ConditionFailed(ValueError):
    """A condition could not be evaluated on this state: it counts as not met."""


class ConditionSpent(ConditionFailed):
    """A condition used up its rounds, values or seconds: trying it on more rows would cost as much again."""


def _place(text: str, at: int | None) -> str:
    if at is None:
        return ""
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return f" at line {line}, column {column}" if "\n" in text.strip() else f" at column {column}"


def _shortened(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= 200 else one_line[:199] + "…"
