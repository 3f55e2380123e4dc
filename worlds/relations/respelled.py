"""Texts that a schema declares free: worded otherwise (`x-text`), or in other case (`x-caseless`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from worlds.contract import row_shape
from worlds.relations.copied import stands
from worlds.relations.likeness import CASELESS, WORDED, declared, together, written
from worlds.relations.subject import Mutant, Subject, replaced, texts
from worlds.step import Call

QUOTES = (("'", "'"), ('"', '"'), ("“", "”"), ("‘", "’"), ("„", "“"), ("«", "»"))


def worded(subject: Subject) -> Iterator[Mutant]:
    """The same said in other words, where a tool was given the text; but not what the agent was told word for word."""
    told = "\n".join([subject.world.opening, *subject.trial.play.heard])
    return _respelled(
        subject,
        WORDED,
        lambda text: text if not text or is_quoted(text, told) else f"In other words: {text}",
        "worded otherwise",
    )


def cased(subject: Subject) -> Iterator[Mutant]:
    """The same in capitals, or in small letters, where a tool was given the text; but not what stands in the records:
    that is copied, and whoever copies keeps the case."""
    domain, base = subject.world.bundle.domain, subject.world.base
    groups = [
        set(filter(_is_text, group))
        for taken in subject.writes
        for change in taken.changes
        for group in together(written(change), row_shape(domain, change["table"]), CASELESS)
    ]
    spelled = {text for group in groups if not stands(group, base) for text in group}
    return _respelled(
        subject,
        CASELESS,
        lambda text: _other_case(text) if text in spelled else text,
        "in other case",
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_quoted(text: str, told: str) -> bool:
    """Whether the agent was told these very words."""
    return any(f"{left}{text}{right}" in told for left, right in QUOTES)


def _other_case(text: str) -> str:
    return text.upper() if text.upper() != text else text.lower()


def _respelled(
    subject: Subject, mark: str, respell: Callable[[str], str], how: str
) -> Iterator[Mutant]:
    domain = subject.world.bundle.domain
    for taken in subject.writes:
        free = {
            text: respell(text)
            for change in taken.changes
            for text in declared(written(change), row_shape(domain, change["table"]), mark)
            if isinstance(text, str) and respell(text) != text
        }
        args = replaced(taken.call.args, free)
        if args != taken.call.args:
            said = ", ".join(
                repr(free[text]) for text in dict.fromkeys(texts(taken.call.args)) if text in free
            )
            call = Call(tool=taken.call.tool, args=args)
            what = f"a text for {taken.call.tool} (step {taken.step.index}) is {how}: {said}"
            yield Mutant(subject.instead(taken.at, call), what, taken.step.index)
