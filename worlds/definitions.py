"""Names for conditions, given by a domain, an intent or a rule, written out wherever its conditions use them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from worlds.cel_errors import ConditionInvalid, NameUnbound
from worlds.cel_functions import IN_SCRIPTS, SIGNATURES, TYPE_NAMES
from worlds.cel_tree import DEPTH_LIMIT, Node, Scope, free_names, parse, scoped_names

NAMES = frozenset(
    {
        *("actor", "history", "said", "heard", "table", "key", "before", "after", "call"),
        *("said_now", "row"),
    }
)
"""What conditions see under names of their own, whatever the domain and its intents."""
WORDS = frozenset({"true", "false", "null", "in"}) | TYPE_NAMES
"""Words of the language: no condition can use them as names."""
MOST_DEFINED = 200
KEPT = 256
"""Intents and rules of one domain whose definitions are remembered with what was written out."""


def _free(name: str) -> str:
    if name in NAMES:
        raise ValueError(f"{name!r} is the name of something that conditions see: choose another")
    if name in SIGNATURES or name in IN_SCRIPTS:
        raise ValueError(f"{name!r} is a function of conditions: choose another name")
    if name in WORDS:
        raise ValueError(f"{name!r} is a word of the conditions' language: choose another name")
    return name


Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$"), AfterValidator(_free)]
Define = Annotated[dict[Name, str], Field(max_length=MOST_DEFINED)]
"""Name → the condition that it stands for: `cancels: after.status == 'cancelled'`."""

Level = Literal["domain", "intent", "rule"]


@dataclass(frozen=True)
class Span:
    """Where in a text a definition was written out."""

    start: int
    end: int
    name: str


@dataclass(frozen=True)
class Written:
    """A text written out, and how many definitions stand on one another in it."""

    text: str
    height: int
    spans: tuple[Span, ...]
    """A definition before those that stand in it."""


class Definitions:
    """The definitions that a condition may use: those of its own level, and of the domain `below` it.

    One may use others, in any order, but not itself; what else it names is what is in scope where it is used.
    """

    def __init__(
        self,
        define: Mapping[str, str],
        level: Level = "rule",
        below: Definitions | None = None,
        taken: Mapping[str, str] | None = None,
    ) -> None:
        """`taken` are names that are something else already, with what they are: `a slot`."""
        self.levels: dict[str, tuple[str, ...]] = below.levels if below else {}
        """The names that each level defines, where it defines any."""
        if define:
            self.levels = {**self.levels, level: tuple(define)}
        self._own, self._below = define, below
        self._taken: dict[str, str] = {**(below._taken if below else {}), **(taken or {})}
        self._known: dict[str, Written] = {}
        """Texts already written out: every world asks for the same ones."""
        self._meanings: dict[str, Written] = {}
        self._above: OrderedDict[tuple[object, ...], Definitions] = OrderedDict()

    def above(
        self, level: Level, define: Mapping[str, str], taken: Collection[str] = ()
    ) -> Definitions:
        """Those of an intent or a rule, whose slots are `taken`, on top of these; made once."""
        key = (level, *define.items(), *taken)
        known = self._above.pop(key, None)
        if known is None:
            known = Definitions(define, level, self, dict.fromkeys(taken, "a slot"))
        self._above[key] = known
        if len(self._above) > KEPT:
            self._above.popitem(last=False)
        return known

    def problems(self) -> Iterator[tuple[str, ConditionInvalid]]:
        """The names of this level that are something else already, and those that cannot be written out."""
        for name, text in self._own.items():
            try:
                self._check_free(name, text)
                self.written_out(name)
            except ConditionInvalid as error:
                yield name, error

    def _check_free(self, name: str, text: str) -> None:
        is_below = self._below is not None and name in self._below
        what = "a definition of the domain" if is_below else self._taken.get(name)
        if what is not None:
            raise ConditionInvalid(f"{name!r} is {what} already: choose another name", text)

    def written_out(self, text: str) -> str:
        """`text` with each defined name replaced by what it stands for; raises ConditionInvalid."""
        return self._whole(text).text

    def locate(self, error: ConditionInvalid, text: str) -> None:
        """Let an error of `text`, written out, say in which definition it stands, and which there are."""
        if isinstance(error, NameUnbound):
            error.beside(self.levels)
        if text in self._known and error.at is not None:
            spans = self._known[text].spans
            error.within = tuple(each.name for each in spans if each.start <= error.at < each.end)

    def __contains__(self, name: object) -> bool:
        return name in self._own or (self._below is not None and name in self._below)

    def _whole(self, text: str) -> Written:
        if not self.levels:
            return Written(text, 0, ())
        if text not in self._known:
            self._known[text] = self._written(text, ())
        return self._known[text]

    def _written(self, text: str, within: tuple[str, ...]) -> Written:
        uses = sorted(self._uses(parse(text)), key=lambda use: use[0].at)
        pieces, spans, end, height, length = [], [], 0, 0, 0
        for node, bound in uses:
            meaning = self._meaning(node, text, within)
            hidden = bound & free_names(parse(meaning.text))
            if hidden:
                said = f"the variable {min(hidden)!r} hides a name that {node.text!r} stands on"
                raise ConditionInvalid(said, text, node.at)
            pieces += [text[end : node.at], _bracketed(meaning.text)]
            start = length + len(pieces[-2])
            length = start + len(pieces[-1])
            spans += [Span(start, length, node.text), *_moved(meaning.spans, start + 1)]
            end, height = node.at + len(node.text), max(height, meaning.height + 1)
        return Written("".join([*pieces, text[end:]]), height, tuple(spans))

    def _meaning(self, node: Node, text: str, within: tuple[str, ...]) -> Written:
        name = node.text
        if name not in self._own and self._below is not None:
            return self._below._meaning(node, text, within)
        if name in within:
            raise ConditionInvalid(f"{name!r} is defined by itself", text, node.at)
        height = self._meanings[name].height if name in self._meanings else 0
        if len(within) + height >= DEPTH_LIMIT:
            said = f"definitions stand at most {DEPTH_LIMIT} deep on one another"
            raise ConditionInvalid(said, text, node.at)
        if name not in self._meanings:
            self._meanings[name] = self._own_meaning(name, within)
        return self._meanings[name]

    def _own_meaning(self, name: str, within: tuple[str, ...]) -> Written:
        try:
            return self._written(self._own[name], (*within, name))
        except ConditionInvalid as error:
            error.within = error.within or (*within, name)
            raise

    def _uses(self, node: Node) -> Iterator[tuple[Node, Scope]]:
        for name, scope in scoped_names(node):
            if name.text in self:
                yield name, scope


def _bracketed(meaning: str) -> str:
    # The line ends a comment, which would go on behind the bracket.
    return f"({meaning}\n)" if "//" in meaning else f"({meaning})"


def _moved(spans: tuple[Span, ...], by: int) -> list[Span]:
    return [replace(span, start=span.start + by, end=span.end + by) for span in spans]
