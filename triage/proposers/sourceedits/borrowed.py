"""Statements as a function that is much alike has them, of the same server or of another of the domain."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.proposers.sourceedits.adapting import adapted
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.likeness import Part, counterparts, forms, likeness, parts
from triage.proposers.sourceedits.outline import Outline, loaded, said
from triage.proposers.sourceedits.place import Place, Words, donors, places
from triage.proposers.sourceedits.sourcecode import SourceCode

LIKE = 0.4
COMMON = 3
"""Statements that functions of other names must share."""
MOST_DONORS = 4
MOST_PARTS = 8


@dataclass(frozen=True)
class Model:
    """A function that another is held against."""

    outline: Outline
    node: ast.FunctionDef
    is_neighbour: bool
    like: float

    @property
    def is_twin(self) -> bool:
        """Whether it is the same function in another server."""
        return self.is_neighbour and self.like > 0

    def cited(self, statement: ast.expr | ast.stmt) -> str:
        """As an authority."""
        where = " of another tool server" if self.is_neighbour else ""
        return f"`{self.node.name}`{where} has “{_line(self.outline.code(statement))}”"


def borrowed(source: SourceCode) -> Iterator[Edit]:
    """What functions much alike say otherwise."""
    for place in places(source):
        for model in models(place):
            yield from _from(place, model)
    yield from _constants(source)


def _constants(source: SourceCode) -> Iterator[Edit]:
    """Module-level values that another server gives otherwise under the same name."""
    outline = Outline.of(source.text)
    for other, is_neighbour in donors(source) if outline is not None else ():
        for name, theirs in other.constants.items() if is_neighbour else ():
            mine = outline.constants.get(name) if outline is not None else None
            if outline is None or mine is None or mine.value is None or theirs.value is None:
                continue
            users = [
                f for f, n in outline.functions.items() if source.focus.get(f) and name in loaded(n)
            ]
            if said(mine.value) != said(theirs.value) and (users or source.focus.get("")):
                code = other.code(theirs.value)
                yield Edit(
                    outline.replaced(mine.value, code),
                    "",
                    mine.lineno,
                    f"Give `{name}` the value “{_line(code)}”",
                    0.5,
                    f"another tool server has “{name} = {_line(code)}”",
                )


def models(place: Place) -> list[Model]:
    """The functions most like one, the likest first."""
    found = []
    for outline, is_neighbour in donors(place.source):
        for name, node in outline.functions.items():
            if is_neighbour or name != place.name:
                like = likeness(place.node, node)
                same = is_neighbour and name == place.name
                if like >= LIKE / 2 if same else _is_alike(place.node, node, like):
                    found.append(Model(outline, node, is_neighbour, like))
    ranked = sorted(found, key=lambda m: (m.node.name != place.name, -m.like, m.node.name))
    return ranked[:MOST_DONORS]


def _is_alike(one: ast.FunctionDef, other: ast.FunctionDef, like: float) -> bool:
    """Whether two functions have enough in common that one may have been the other's model."""
    return like >= LIKE and like * (len(forms(one)) + len(forms(other))) / 2 >= COMMON


def _from(place: Place, model: Model) -> Iterator[Edit]:
    differing = parts(place.node, model.node)
    names = counterparts(place.node, model.node)
    same = model.node.name == place.name
    trust = (
        model.like * (0.95 if same else 0.4) / (1 + (0.25 if same else 0.4) * (len(differing) - 1))
    )
    for part in differing[:MOST_PARTS] if differing else []:
        yield from _made(place, model, part, names, max(trust, 0.03))


def _made(
    place: Place, model: Model, part: Part, names: dict[str, str], trust: float
) -> Iterator[Edit]:
    if len(part.here) == len(part.there) == 1:
        yield from _exchanged(place, model, part, names, trust)
        return
    if part.there:
        yield from _added(place, model, part, names, trust)
    if not part.there and len(part.here) == 1:
        code = said(part.here[0])
        says = f"Leave “{_line(code)}” out of `{place.name}`"
        where = " of another tool server" if model.is_neighbour else ""
        authority = f"`{model.node.name}`{where} does without it"
        yield from place.rewritten(part.here[0], "", Words(says, trust * 0.6, authority))


def _exchanged(
    place: Place, model: Model, part: Part, names: dict[str, str], trust: float
) -> Iterator[Edit]:
    (mine,), (theirs,) = part.here, part.there
    for name in ("test", "iter"):
        one, other = getattr(mine, name, None), getattr(theirs, name, None)
        if type(mine) is type(theirs) and one is not None and other is not None:
            code = adapted(model.outline, other, names, place.names)
            if code is not None and said(one) != said(other):
                says = f"Say “{_line(code)}” instead of “{_line(said(one))}” in `{place.name}`"
                yield from place.replaced(one, code, Words(says, trust, model.cited(other)))
            return
    code = adapted(model.outline, theirs, names, place.names)
    if code is not None:
        says = f"Say “{_line(code)}” instead of “{_line(said(mine))}” in `{place.name}`"
        yield from place.rewritten(mine, code, Words(says, trust, model.cited(theirs)))


def _added(
    place: Place, model: Model, part: Part, names: dict[str, str], trust: float
) -> Iterator[Edit]:
    """What the other has more: all of it, and each statement alone."""
    runs = [part.there] if len(part.there) <= 4 else []
    runs += [[each] for each in part.there[:MOST_PARTS]] if len(part.there) > 1 else []
    for run in runs:
        code = _adapted_run(place, model, run, names)
        if code is None:
            continue
        words = Words(f"Put “{_line(code)}” into `{place.name}`", trust, model.cited(run[0]))
        if part.here and run is part.there and all(isinstance(h, ast.Pass) for h in part.here):
            yield from place.rewritten(part.here[0], code, words)
        elif part.at + len(part.here) > 0 and not part.at < len(part.block):
            yield from place.inserted(part.block[-1], code, words, after=True)
        elif part.at < len(part.block):
            yield from place.inserted(part.block[part.at], code, words)


def _adapted_run(
    place: Place,
    model: Model,
    run: Sequence[ast.stmt],
    names: dict[str, str],
) -> str | None:
    known, found = set(place.names), []
    for each in run:
        code = adapted(model.outline, each, names, known)
        if code is None:
            return None
        known |= {n.id for n in ast.walk(each) if isinstance(n, ast.Name)}
        found.append(code)
    return "\n".join(found)


def _line(code: str) -> str:
    """Code in one short line."""
    text = " ".join(code.split())
    return text if len(text) <= 100 else f"{text[:99]}…"
