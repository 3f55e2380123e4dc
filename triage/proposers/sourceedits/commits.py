"""Writes to a database that nobody commits."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.sourcecode import SourceCode, Statement

WRITE = re.compile(r"^\W*[a-zA-Z]*['\"]+\s*(INSERT|UPDATE|DELETE|REPLACE)\b", re.IGNORECASE)
BEGIN, COMMIT = (
    re.compile(r"['\"]\s*BEGIN\b", re.IGNORECASE),
    re.compile(r"['\"]\s*COMMIT\b", re.IGNORECASE),
)
AT_ONCE = re.compile(r"isolation_level\s*=\s*None|autocommit\s*=\s*True")


def commits(source: SourceCode) -> Iterator[Edit]:
    """Commit what a function wrote, after its last write."""
    for function in source.suspects(cst.FunctionDef):
        runs = [call for call in source.all(cst.Call, function) if _runs(call)]
        ends = _ends(source, function)
        if not runs or ends:
            continue
        begins = [call for call in runs if BEGIN.search(source.code(call.args[0]))]
        writes = [call for call in runs if WRITE.match(source.code(call.args[0]))]
        if begins:
            yield from _edit(source, function, begins[-1], 'execute("COMMIT")', 0.75)
        elif writes and not _commits_at_once(source):
            yield from _edit(source, function, writes[-1], "commit()", _likelihood(source))


def _runs(call: cst.Call) -> bool:
    called = call.func
    return (
        isinstance(called, cst.Attribute)
        and called.attr.value in ("execute", "executemany")
        and bool(call.args)
    )


def _ends(source: SourceCode, function: cst.FunctionDef) -> bool:
    """Whether it commits already, itself or by `with connection:`."""
    code = source.code(function)
    with_one = any(
        isinstance(item.item, (cst.Name, cst.Attribute))
        for block in source.all(cst.With, function)
        for item in block.items
    )
    return with_one or ".commit(" in code or bool(COMMIT.search(code))


def _commits_at_once(source: SourceCode) -> bool:
    return any(AT_ONCE.search(text) for text in (source.text, *source.neighbours))


def _likelihood(source: SourceCode) -> float:
    others = any(".commit(" in text for text in (source.text, *source.neighbours))
    return 0.65 if others else 0.4


def _edit(
    source: SourceCode, function: cst.FunctionDef, call: cst.Call, code: str, likelihood: float
) -> Iterator[Edit]:
    statement = _outermost(source, function, call)
    receiver = source.code(call.func.value) if isinstance(call.func, cst.Attribute) else ""
    if statement is None or not re.fullmatch(r"[\w.]+", receiver):
        return
    begun = "BEGIN" in source.code(call).upper()
    after = (_next(function, statement) if begun else None) or statement
    if isinstance(after, cst.SimpleStatementLine) and isinstance(after.body[0], cst.Return):
        return
    said = [
        text.strip()
        for text in source.text.split("\n")
        if ".commit(" in text or COMMIT.search(text)
    ]
    yield Edit(
        source.inserted(after, f"{receiver}.{code}", after=True),
        source.function(function),
        source.line(call),
        f"Commit in `{function.name.value}` what it wrote",
        likelihood,
        f"`{said[0][:80]}`, as elsewhere in the file" if said else "",
    )


def _outermost(
    source: SourceCode, function: cst.FunctionDef, node: cst.CSTNode
) -> Statement | None:
    """The statement of the function's own block in which a node stands; of a `with`, of that block."""
    around: cst.CSTNode | None = node
    while around is not None and source.parent(around) is not function.body:
        parent = source.parent(around)
        holder = source.parent(parent) if parent is not None else None
        if isinstance(holder, cst.With) and parent is holder.body:
            break
        around = parent
    if isinstance(around, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
        return around
    return None


def _next(function: cst.FunctionDef, statement: Statement) -> Statement | None:
    """The `try` that follows what begins a transaction."""
    blocks = [
        function.body,
        *(each.body for each in function.body.body if isinstance(each, cst.With)),
    ]
    for block in blocks:
        found = list(block.body)
        if statement in found[:-1]:
            after = found[found.index(statement) + 1]
            return after if isinstance(after, cst.Try) else None
    return None
