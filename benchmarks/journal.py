"""The rows that a long run has come to, for the next run of the same code to go on where it was broken off."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
CODE = ("agents", "benchmarks", "components", "library", "triage", "worlds")
Row = dict[str, Any]


class Journal:
    """A file of a line each: what was asked for, by which code, and the row that came of it."""

    def __init__(self, folder: Path | None, name: str = "rows.jsonl") -> None:
        """Without a folder it knows nothing, and keeps nothing."""
        self.path = folder / name if folder else None

    def row(self, asked: Row) -> Row | None:
        """What came of the same, asked of the same code."""
        if self.path is None or not self.path.exists():
            return None
        key = _key(asked)
        lines = self.path.read_text().splitlines()
        return next((row for said in lines for at, row in [json.loads(said)] if at == key), None)

    def add(self, asked: Row, row: Row) -> None:
        """Keep a row; a line at a time, so that one broken off leaves the others whole."""
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as file:
                file.write(json.dumps([_key(asked), row], ensure_ascii=False) + "\n")


def _key(asked: Row) -> str:
    said = json.dumps([code(), asked], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()


@cache
def code() -> str:
    """A digest of all that a row may depend on."""
    files = sorted(
        path
        for name in CODE
        for path in (ROOT / name).rglob("*")
        if path.suffix in {".py", ".yaml"}
    )
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()
