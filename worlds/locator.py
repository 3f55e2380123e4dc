"""Where what was found stands: the file and line of a domain's folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from worlds.findings import Finding
from worlds.folder import DomainFolder, File
from worlds.report import Location

STEP = re.compile(r"[^.\[\]]+")


class Locator:
    """Where a finding stands among a folder's files."""

    def __init__(self, folder: DomainFolder) -> None:
        self.folder = folder

    def __call__(self, finding: Finding) -> Location:
        """File and line; line 1 where no better one is known."""
        file = self.folder.file(finding.kind, finding.component)
        if file is None:
            return self.folder.slug, 1
        return file.path, self.line(file, finding) or 1

    def line(self, file: File[Any], finding: Finding) -> int | None:
        """The line of the file at which a finding of its component points, as far as it is known."""
        if finding.kind == "toolserver":
            first = file.line("source") or 1
            line = finding.evidence.get("line")
            return first + line - 1 if isinstance(line, int) else first
        if finding.kind == "records":
            return file.line(*self._row(file, finding.evidence))
        if finding.kind == "rule" and finding.place.startswith("clauses."):
            clause, part = finding.place.removeprefix("clauses."), finding.evidence.get("part")
            return file.line("clauses", self._clause(file, clause), *([part] if part else []))
        return file.line(*_location(finding.place))

    def _row(self, file: File[Any], evidence: Mapping[str, Any]) -> tuple[str | int, ...]:
        table = str(evidence.get("table", ""))
        if table not in self.folder.domain.body.tables:
            return ("tables",)
        key = self.folder.domain.body.tables[table].key
        rows = file.body.tables.get(table, [])
        keys = [row.get(key) for row in rows]
        return ("tables", table, keys.index(evidence["key"]))

    def _clause(self, file: File[Any], clause: str) -> int:
        return [item.id for item in file.body.clauses].index(clause)


def _location(place: str) -> tuple[str | int, ...]:
    """`goal.require[0]` → `("goal", "require", 0)`."""
    return tuple(int(part) if part.isdigit() else part for part in STEP.findall(place))
