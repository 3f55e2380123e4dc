"""What can be wrong with a condition, before and while it is evaluated."""

from __future__ import annotations


class ConditionInvalid(ValueError):
    """A condition does not compile, or a gate refuses it; the message says what, where and in which text."""

    def __init__(self, what: str, text: str, at: int | None = None) -> None:
        self.what = what
        self.text = text
        self.at = at
        super().__init__(f"{what}{_place(text, at)}, in the condition: {_shortened(text)}")


class NameUnknown(ConditionInvalid):
    """A variable, function, field or table is named that does not exist."""


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
