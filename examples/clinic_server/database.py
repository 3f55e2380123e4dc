"""The SQLite database. CLINIC_DB names the file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError

SCHEMA = Path(__file__).with_name("schema.sql")


def connect() -> sqlite3.Connection:
    """A connection with rows by name and foreign keys enforced."""
    db = sqlite3.connect(os.environ.get("CLINIC_DB", "clinic.db"), timeout=10)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    return db


def create_tables() -> None:
    """Create the tables that are missing."""
    with closing(connect()) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(SCHEMA.read_text())


@contextmanager
def session() -> Iterator[sqlite3.Connection]:
    """A connection for one call; commits at the end, rolls back when anything is raised."""
    with closing(connect()) as db, db:
        yield db


def get(db: sqlite3.Connection, table: str, key: int) -> sqlite3.Row:
    """The row with this id."""
    row: sqlite3.Row | None = db.execute(f"SELECT * FROM {table} WHERE id = ?", (key,)).fetchone()  # noqa: S608
    if row is None:
        raise ToolError(f"There is no {table.rstrip('s').replace('_', ' ')} {key}.")
    return row
