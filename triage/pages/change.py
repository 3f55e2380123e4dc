"""One component's part of a proposal, ready to be drawn: a text diff, or the rows that differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from components.models import Body, Component
from triage.models import Change, Proposal
from triage.pages import bodies
from triage.pages.rowedits import keyed, row_edits
from triage.pages.sidebyside import Diff, Side, side_by_side
from triage.patches import patched
from triage.proposalfiles import text_of_body
from worlds.patch import Patch

MOST_ROWS = 40
"""Rows of records that a page draws."""


@dataclass(frozen=True)
class Part:
    """A change with what it does: `diffs` are (what it is of, diff); all of a file, each row of records, or each place
    of a source outside that a patch changes."""

    change: Change
    diffs: list[tuple[str, Diff]] = field(default_factory=list)
    more: int = 0
    """Rows of records that are not drawn."""
    is_patch: bool = False
    """Whether it changes the source of an outside server, which no approval does."""

    @property
    def removed(self) -> int:
        return sum(one.removed for _, one in self.diffs)

    @property
    def added(self) -> int:
        return sum(one.added for _, one in self.diffs)


def parts_of(proposal: Proposal) -> list[Part]:
    """Its changes, each with what it does to its base."""
    rows = proposal.changes.select_related(
        "component__domain", "component__current", "base__body", "body", "version"
    )
    return [part_of(change) for change in rows]


def part_of(change: Change) -> Part:
    """A change with what it does to its base."""
    body = patched(change)
    diffs = (
        list(_patch_diffs(Patch.parse(body.patch)))
        if body
        else diffs_of(change.component, change.base.body, change.body)
    )
    return Part(change, diffs[:MOST_ROWS], max(0, len(diffs) - MOST_ROWS), body is not None)


def _patch_diffs(patch: Patch) -> Iterator[tuple[str, Diff]]:
    """Place (`file:line`) and lines of each hunk, numbered as the file is."""
    for file in patch.files:
        grown = 0
        for hunk in file.hunks:
            diff = side_by_side("".join(hunk.before), "".join(hunk.after))
            yield f"{file.path}:{hunk.start + 1}", _numbered(diff, hunk.start, hunk.start + grown)
            grown += len(hunk.after) - len(hunk.before)


def _numbered(diff: Diff, before: int, after: int) -> Diff:
    def moved(side: Side | None, by: int) -> Side | None:
        return replace(side, number=side.number + by) if side else None

    rows = [
        replace(row, one=moved(row.one, before), other=moved(row.other, after)) for row in diff.rows
    ]
    return replace(diff, rows=rows)


def diffs_of(component: Component, before: Body, after: Body) -> list[tuple[str, Diff]]:
    """What becomes of a body: by row where it is records, else of the whole file."""
    if component.kind != "records":
        one, other = (text_of_body(component, body.parsed()) for body in (before, after))
        return [("", side_by_side(one, other))]
    contract = contract_of(component)
    edits = row_edits(keyed(before.content, contract), keyed(after.content, contract))
    return [(one.place, side_by_side(one.before, one.after)) for one in edits]


def contract_of(component: Component) -> Any:
    """The contract of a component's domain as plain JSON."""
    rows = component.domain.components.filter(kind="domain").select_related("current")
    contract = rows.first()
    return bodies.content(contract.current.body_id) if contract and contract.current else {}
