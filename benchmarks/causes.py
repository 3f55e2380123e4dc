"""Findings of one class that share a cause, so that a reader meets each cause once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.readings import Row, defects


@dataclass(frozen=True)
class Cause:
    """What findings of a domain, in one class, have in common."""

    domain: str
    name: str
    """A clause, a place of the task (`goal`), or what of a shared component."""
    defects: Sequence[Sequence[Row]]
    """Each with the findings that show it, in one task or in many."""

    @property
    def first(self) -> Row:
        return self.defects[0][0]

    @property
    def message(self) -> str | None:
        """What all of them say, where they say the same."""
        said = {shown[0]["message"] for shown in self.defects}
        return said.pop() if len(said) == 1 and len(self.defects) > 1 else None

    def by_correction(self) -> Mapping[str, Sequence[Sequence[Row]]]:
        """Correction → the defects that it would mend; those without one are under the empty text."""
        found: dict[str, list[Sequence[Row]]] = {}
        for shown in self.defects:
            found.setdefault((shown[0]["correction"] or "").strip("\n"), []).append(shown)
        return found


def causes(rows: Iterable[Row]) -> list[Cause]:
    """The causes of findings of one class, the widest first in each domain."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row["domain"], _name(row)), []).append(row)
    made = [Cause(domain, name, defects(group)) for (domain, name), group in found.items()]
    return sorted(made, key=lambda cause: (cause.domain, -len(cause.defects)))


def _name(row: Mapping[str, Any]) -> str:
    """In a task, the clause or what of it; of a component that tasks share, the component too."""
    if row["kind"] == "intent":
        return str(row["clause"] or row["symbol"])
    return f"{row['component']}: {row['symbol']}"
