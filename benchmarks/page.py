"""Write the generated parts of the docs from the JSON files beside this: python -m benchmarks.page

A block of a page begins with `<!-- NAME -->` and ends with `<!-- end -->`; what stands between is made
from NAME.json: where it ran, its headline, and its rows where they are few. `<!-- tau2 PART -->` is a part of the
report on the published τ² tasks (`benchmarks/tau2_page.py`), `<!-- detection PART -->` of that on planted faults
(`benchmarks/faults/page.py`), `<!-- attribution PART -->` of that on who is at fault
(`benchmarks/faults/attribution_page.py`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from benchmarks import tau2_page
from benchmarks.faults import attribution_page
from benchmarks.faults import page as faults_page
from benchmarks.report import FOLDER, kept

DOCS = FOLDER.parent / "docs"
PAGES = [DOCS / name for name in ("benchmarks.md", "tau2.md", "tau2-findings.md")]
BLOCK = re.compile(r"<!-- (?P<name>\w+)(?: (?P<part>\w+))? -->\n.*?<!-- end -->", re.DOTALL)
PARTS = {
    "tau2": tau2_page.BLOCKS,
    "detection": faults_page.BLOCKS,
    "attribution": attribution_page.BLOCKS,
}
FEW = 20
"""More rows than these are left to the JSON file."""


def rendered(text: str, folder: Path = FOLDER) -> str:
    """The page with each block as its JSON file has it. Raises FileNotFoundError when one has none."""
    return BLOCK.sub(lambda found: _block(found["name"], found["part"], folder), text)


def _block(name: str, part: str | None, folder: Path) -> str:
    document = kept(name, folder)
    if part:
        return f"<!-- {name} {part} -->\n{PARTS[name][part](document)}\n\n<!-- end -->"
    machine = document["machine"]
    where = (
        f"`make bench NAME={name}`: {document['seconds']:g} s on {machine['cores']} "
        f"{'cores' if machine['cores'] > 1 else 'core'}, {machine['system']} "
        f"{machine['processor']}, Python {machine['python']}"
    )
    if "load_before" in machine:
        where += f"; load before it: {machine['load_before']}"
    headline = [
        {"": key, name: value}
        for key, value in document["headline"].items()
        if not isinstance(value, dict)
    ]
    tables = [headline, document["rows"]] if len(document["rows"]) <= FEW else [headline]
    return "\n\n".join([f"<!-- {name} -->\n{where}.", *map(_table, tables), "<!-- end -->"])


def _table(rows: list[dict[str, Any]]) -> str:
    names = list(rows[0])
    lines = [[name.replace("_", " ") for name in names], ["---"] * len(names)]
    lines += [[_cell(row[name]) for name in names] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value).replace("_", " ")


def main() -> None:
    """Bring the pages up to date."""
    for page in PAGES:
        page.write_text(rendered(page.read_text()))


if __name__ == "__main__":
    main()
