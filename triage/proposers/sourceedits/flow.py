"""Where a function leaves too early, goes on too long, or goes through the wrong things."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.outline import bound_in, loaded, said
from triage.proposers.sourceedits.place import Place, Words, places
from triage.proposers.sourceedits.sourcecode import SourceCode

LISTS = (ast.List, ast.ListComp)


def flow(source: SourceCode) -> Iterator[Edit]:
    """Returns moved out of loops, leaps left out, other collections and rows to go through, calls that are missing."""
    for place in places(source):
        for node in place.statements:
            if isinstance(node, ast.For):
                yield from _early_return(place, node)
                yield from _other_collection(place, node)
                yield from _unused_turn(place, node)
            if isinstance(node, (ast.Break, ast.Continue)):
                words = Words(f"Do not {type(node).__name__.lower()} in `{place.name}`", 0.2)
                yield from place.rewritten(node, "", words)


def _early_return(place: Place, loop: ast.For) -> Iterator[Edit]:
    """A return that ends the first turn, after the loop instead."""
    last = loop.body[-1]
    if not isinstance(last, ast.Return) or len(loop.body) < 2:
        return
    code = place.outline.code(last)
    words = Words(
        f"Return from `{place.name}` only after all", 0.75, f"“{code[:60]}” ends the first turn"
    )
    block = place.outline.block(loop)
    following = block[block.index(loop) + 1 :]
    if following and isinstance(following[0], ast.Return):
        yield from place.rewritten(last, "", words)
        return
    for edit in place.inserted(loop, code, words, after=True):
        lines = edit.source.split("\n")
        del lines[last.lineno - 1 : last.end_lineno]
        yield place.whole("\n".join(lines), words)


def _other_collection(place: Place, loop: ast.For) -> Iterator[Edit]:
    """Another list of the function's own, one that nothing else reads first."""
    if not isinstance(loop.iter, ast.Name):
        return
    known = place.before(loop) & place.own
    lists = [
        name
        for each in place.statements
        if isinstance(each, ast.Assign)
        and each.lineno < loop.lineno
        and isinstance(each.value, LISTS)
        for name in sorted(bound_in(each))
    ]
    for name in list(dict.fromkeys(lists))[:4]:
        if name != loop.iter.id and name in known:
            likelihood = 0.5 if _reads(place, name) == 0 else 0.15
            words = Words(
                f"Go through `{name}` in `{place.name}`, not `{loop.iter.id}`", likelihood
            )
            yield from place.replaced(loop.iter, name, words)


def _reads(place: Place, name: str) -> int:
    return sum(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        for n in ast.walk(place.node)
    )


def _unused_turn(place: Place, loop: ast.For) -> Iterator[Edit]:
    """The row of the turn where a loop reads another row all the time."""
    own = bound_in(loop.target)
    if len(own) != 1 or any(own & loaded(each) for each in loop.body):
        return
    (name,) = own
    if name.startswith("_"):
        return
    fields: dict[str, list[ast.Name]] = {}
    for each in [n for s in loop.body for n in ast.walk(s)]:
        if isinstance(each, ast.Subscript) and isinstance(each.value, ast.Name):
            fields.setdefault(each.value.id, []).append(each.value)
    why = f"`{name}` is never read in the loop over “{said(loop.iter)[:60]}”"
    for other, uses in sorted(fields.items()):
        if other not in place.outline.names and other not in bound_in(loop):
            words = Words(f"Take `{name}`, not `{other}`, in each turn in `{place.name}`", 0.7, why)
            text = _each_replaced(place, uses, name)
            if text is not None:
                yield place.whole(text, words)


def _each_replaced(place: Place, uses: list[ast.Name], name: str) -> str | None:
    """With another name at several places, as far as they are not within texts."""
    lines = place.source.text.split("\n")
    for use in sorted(uses, key=lambda u: (-u.lineno, -u.col_offset)):
        if place.outline.is_in_text(use):
            return None
        line = lines[use.lineno - 1].encode()
        at, end = use.col_offset, use.end_col_offset or use.col_offset
        lines[use.lineno - 1] = (line[:at] + name.encode() + line[end:]).decode()
    return "\n".join(lines)
