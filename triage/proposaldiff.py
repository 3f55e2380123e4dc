"""What a proposal would change, as a patch of the files."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from triage.candidates import changes_of, texts
from triage.models import Proposal


def unified(proposal: Proposal) -> str:
    """A unified diff of the files as they would be written, those that do not change left out."""
    rows = proposal.changes.select_related("component").order_by("component_id")
    names = [f"{row.component.kind}/{row.component.slug}" for row in rows]
    said = texts(changes_of([proposal])) if names else []
    return "".join(
        line
        for name, (before, after) in zip(names, said, strict=True)
        for line in _lines(name, before, after)
    )


def _lines(name: str, before: str, after: str) -> Iterator[str]:
    one, other = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for line in unified_diff(one, other, f"a/{name}", f"b/{name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
