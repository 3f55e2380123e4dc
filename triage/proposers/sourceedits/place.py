"""A function under suspicion, and the edits of statements that can be made in it.

Where something cannot be edited (an `elif`, two statements on one line, what failing attempts never come to), there is
no edit.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.outline import (
    Outline,
    bound_in,
    loaded,
    parameters,
    statements,
)
from triage.proposers.sourceedits.sourcecode import SourceCode, Statement
from worlds.sourcecheck import GIVEN

LONGEST = 400
"""Statements of a function that is looked at."""
BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class Words:
    """What an edit says of itself."""

    says: str
    likelihood: float
    authority: str = ""


@dataclass(frozen=True, eq=False)
class Place:
    """A function under suspicion."""

    source: SourceCode
    outline: Outline
    node: ast.FunctionDef

    @property
    def name(self) -> str:
        return self.node.name

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """In the order of the text."""
        return statements(self.node)

    @cached_property
    def parameters(self) -> list[str]:
        return parameters(self.node)

    @cached_property
    def names(self) -> set[str]:
        """What stands for something in it: its own names and all around it."""
        return self.own | self.outline.names | BUILTINS | GIVEN

    @cached_property
    def own(self) -> set[str]:
        """Its parameters and what it binds."""
        return set().union(*map(bound_in, self.node.body)) | set(self.parameters)

    @cached_property
    def unused(self) -> list[str]:
        """The names of its own that it never reads."""
        read = set().union(*map(loaded, self.node.body))
        own = [*self.parameters, *sorted(set().union(*map(bound_in, self.node.body)))]
        return [name for name in dict.fromkeys(own) if name not in read and name[0] != "_"]

    @property
    def first(self) -> int:
        """The line by which the whole function is meant: its first that is executed."""
        lines = [each.lineno for each in self.statements]
        return next((line for line in lines if line in self.source.lines), self.node.lineno)

    def runs(self, node: ast.stmt) -> bool:
        """Whether failing attempts come there, as far as anybody knows."""
        return not self.source.lines or node.lineno in self.source.lines

    def before(self, statement: ast.stmt) -> set[str]:
        """The names that stand for something where a statement begins, whatever the way there."""
        known = {*self.parameters, *self.outline.names, *BUILTINS, *GIVEN}
        for each in self.statements:
            if each.lineno < statement.lineno and not isinstance(each, ast.FunctionDef):
                known |= bound_in(each)
        return known

    # Edits

    def inserted(
        self, anchor: ast.stmt, code: str, words: Words, *, after: bool = False
    ) -> Iterator[Edit]:
        """With statements before one, or after it and all inside it."""
        at = self._editable(anchor)
        if at is not None and not (self._is_elif(at) or (after and _leaves(anchor))):
            yield self._edit(self.source.inserted(at, code, after=after), anchor.lineno, words)

    def rewritten(self, statement: ast.stmt, code: str, words: Words) -> Iterator[Edit]:
        """With other statements in the place of one; empty = none."""
        at = self._editable(statement)
        if at is not None and not self._is_elif(at):
            yield self._edit(self.source.rewritten(at, code), statement.lineno, words)

    def replaced(self, node: ast.expr, code: str, words: Words) -> Iterator[Edit]:
        """With other code in the place of an expression."""
        around = self.outline.around(node)
        if around is not None and self.runs(around) and not self.outline.is_in_text(node):
            line = min(around.lineno, node.lineno)
            yield self._edit(self.outline.replaced(node, code), line, words)

    def moved(self, statement: ast.stmt, to: ast.stmt, words: Words) -> Iterator[Edit]:
        """With a statement taken from where it stands and put after a later one of its block."""
        block = self.outline.block(statement)
        here, there = block.index(statement), block.index(to)
        run = block[here : there + 1]
        if _leaves(to) or not all(self._alone(each) for each in run):
            return
        first, last = self._editable(run[0]), self._editable(run[-1])
        if first is None or last is None or self._is_elif(first):
            return
        moved = self.outline.code(statement)
        text = self.source.inserted(last, moved, after=True)
        yield self._edit(_without(text, statement), statement.lineno, words)

    def whole(self, text: str, words: Words) -> Edit:
        """With another text, made otherwise, for the function as a whole."""
        return self._edit(text, self.first, words)

    def _edit(self, text: str, line: int, words: Words) -> Edit:
        return Edit(text, self.name, line, words.says, min(words.likelihood, 0.95), words.authority)

    def _editable(self, statement: ast.stmt) -> Statement | None:
        if not (self.runs(statement) and self._alone(statement)):
            return None
        return self.source.statements.get(statement.lineno)

    def _alone(self, statement: ast.stmt) -> bool:
        """Whether it has its lines to itself."""
        return self._beginning[statement.lineno] == 1

    @cached_property
    def _beginning(self) -> Counter[int]:
        return Counter(each.lineno for each in self.statements)

    def _is_elif(self, at: Statement) -> bool:
        return isinstance(at, cst.If) and isinstance(self.source.parent(at), cst.If)


def places(source: SourceCode) -> Iterator[Place]:
    """The functions under suspicion, the most suspicious first, then as they stand."""
    outline = Outline.of(source.text)
    if outline is None:
        return
    focus = [name for name in outline.functions if source.focus.get(name)]
    for name in sorted(focus, key=lambda each: -source.focus[each]):
        place = Place(source, outline, outline.functions[name])
        if len(place.statements) <= LONGEST:
            yield place


def donors(source: SourceCode) -> Iterator[tuple[Outline, bool]]:
    """What may be borrowed from: the source itself, then its neighbours; and whether it is one of these."""
    for text in dict.fromkeys([source.text, *source.neighbours]):
        outline = Outline.of(text)
        if outline is not None:
            yield outline, text != source.text


def _leaves(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _without(text: str, statement: ast.stmt) -> str:
    lines = text.split("\n")
    del lines[statement.lineno - 1 : statement.end_lineno]
    return "\n".join(lines)
