"""What a proposal would change, as a patch of the files."""

from __future__ import annotations

from triage import alternatives
from triage.candidates import changes_of, texts
from triage.models import Proposal


def unified(proposal: Proposal) -> str:
    """A unified diff of the files as they would be written, those that do not change left out."""
    rows = proposal.changes.select_related("component").order_by("component_id")
    names = [f"{row.component.kind}/{row.component.slug}" for row in rows]
    said = texts(changes_of([proposal])) if names else []
    return "".join(
        f"{line}\n"
        for name, (before, after) in zip(names, said, strict=True)
        for line in alternatives.unified(name, before.splitlines(), after.splitlines())
    )
