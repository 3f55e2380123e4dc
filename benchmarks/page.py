"""Write the tables of docs/benchmarks.md from the JSON files beside this: python -m benchmarks.page

A block of the page begins with `<!-- NAME -->` and ends with `<!-- end -->`; what stands between is made
from NAME.json: where it ran, its headline, and its rows where they are few.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks.report import FOLDER

PAGE = FOLDER.parent / "docs" / "benchmarks.md"
BLOCK = re.compile(r"<!-- (?P<name>\w+) -->\n.*?<!-- end -->", re.DOTALL)
FEW = 20
"""More rows than these are left to the JSON file."""


def rendered(text: str, folder: Path = FOLDER) -> str:
    """The page with each block as its JSON file has it. Raises FileNotFoundError when one has none."""
    return BLOCK.sub(lambda found: _block(found["name"], folder), text)


def _block(name: str, folder: Path) -> str:
    document = json.loads((folder / f"{name}.json").read_text())
    machine = document["machine"]
    where = (
        f"`make bench NAME={name}`: {document['seconds']:g} s on {machine['cores']} "
        f"{'cores' if machine['cores'] > 1 else 'core'}, {machine['system']} "
        f"{machine['processor']}, Python {machine['python']}"
    )
    if "load_before" in machine:
        where += f"; load before it: {machine['load_before']}"
    headline = [{"": key, name: value} for key, value in document["headline"].items()]
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
    """Bring the page up to date."""
    PAGE.write_text(rendered(PAGE.read_text()))


if __name__ == "__main__":
    main()
