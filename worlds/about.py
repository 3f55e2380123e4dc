"""The `about:` block of a file: what people say of a component; no part of its body."""

from __future__ import annotations

from typing import Any, Literal

from worlds.body import Part
from worlds.findings import Finding


class Accepted(Part):
    """A finding that was looked at and accepted: shown, never counted."""

    code: str
    at: str
    """The place, or the symbol, as the finding says it."""
    reason: str
    by: str


class About(Part):
    """Who owns a component and how it may be blamed."""

    title: str | None = None
    notes: str | None = None
    owner: str | None = None
    authority: Literal["given", "ours"] = "ours"
    """*given* mirrors a product, a law or a published benchmark: blamed only on direct evidence."""
    accept: list[Accepted] = []

    def accepts(self, finding: Finding) -> Accepted | None:
        """The entry that accepts a finding of the component that this is about; None where it counts."""
        return self.accepting(finding.code, finding.place, finding.symbol)

    def accepting(self, code: str, *at: str) -> Accepted | None:
        """The entry that accepts `code` at one of the places or symbols `at`; None where there is none."""
        return next((each for each in self.accept if each.code == code and each.at in at), None)

    def content(self) -> dict[str, Any]:
        """As plain JSON, defaults left out."""
        return self.model_dump(mode="json", exclude_defaults=True)
