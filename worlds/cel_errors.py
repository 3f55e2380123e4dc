"""What can be wrong with a condition, before and while it is evaluated."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches


class ConditionInvalid(ValueError):
    """A condition does not compile, or a gate refuses it; the message says what, where and in which text."""

    def __init__(self, what: str, text: str, at: int | None = None) -> None:
        self.what = what
        self.text = text
        self.at = at
        super().__init__(f"{what}{_place(text, at)}, in the condition: {_shortened(text)}")


class NameUnknown(ConditionInvalid):
    """A variable, function, field or table is named that does not exist."""


class NameUnbound(NameUnknown):
    """A name that nothing stands for, where there are the names `known`, and those that a rule defines."""

    def __init__(
        self, name: str, known: Collection[str], text: str, at: int, defined: Collection[str] = ()
    ) -> None:
        self._place = (name, known, text, at)
        near = get_close_matches(name, [*known, *defined], 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        there = f"there are {', '.join(sorted(known)) or 'none'}"
        rule = f"; the rule defines {', '.join(sorted(defined))}" if defined else ""
        super().__init__(f"unknown name {name!r} ({there}{rule}{hint})", text, at)

    def beside(self, defined: Collection[str]) -> NameUnbound:
        """The same in a rule that defines names."""
        return NameUnbound(*self._place, defined)


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
