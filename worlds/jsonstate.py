"""State that a server keeps in a JSON file."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path
from typing import Any

from worlds.outsidestate import differing, overlaid
from worlds.pointer import PointsNowhere, at, nested
from worlds.records import Base, Snapshot
from worlds.servers import ServerUnavailable

MOST_BYTES = 64 * 2**20
SETTLED = 0.1
"""Seconds after a write in which another one may leave the same time on the file."""


class JsonFile:
    """The rows under `pointer` (RFC 6901) in the file at `path`."""

    def __init__(self, path: Path, pointer: str, base: Base) -> None:
        self.path, self.pointer, self.base = path, pointer, base
        self._seen: tuple[int, int, int] | None = None
        self._last: Snapshot = {}

    def settle(self) -> bool:
        """See OutsideState. A file that is not there is made."""
        if not self.path.exists():
            tables = {name: dict(rows) for name, rows in self.base.tables.items()}
            self._put(nested(self.pointer, tables))
            return True
        strays = self.read()
        self.write({(table, key): self.base.tables[table].get(key) for table, key in strays})
        return bool(strays)

    def read(self) -> Snapshot:
        """See OutsideState. A file that was not touched is not read again."""
        seen = self._stamp()
        if seen != self._seen:
            self._last = differing(self._tables(self._document()), self.base)
            self._seen = seen if time.time() - seen[0] / 1e9 > SETTLED else None
        return dict(self._last)

    def write(self, changes: Snapshot) -> None:
        """See OutsideState."""
        if not changes:
            return
        document = self._document()
        tables = self._tables(document)
        wanted = {**differing(tables, self.base), **changes}
        for table in {name for name, _ in changes}:
            rows = overlaid(self.base, wanted, table)
            tables[table] = list(rows.values()) if isinstance(tables.get(table), list) else rows
        self._put(document)

    def _stamp(self) -> tuple[int, int, int]:
        try:
            status = self.path.stat()
        except OSError as error:
            raise ServerUnavailable(f"its state {self.path} is gone: {error.strerror}") from error
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _tables(self, document: Any) -> Any:
        try:
            return at(document, self.pointer)
        except PointsNowhere as error:
            raise ServerUnavailable(f"its state {self.path}: {error}") from error

    def _document(self) -> Any:
        try:
            with open(self.path, "rb", opener=_without_waiting) as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise ServerUnavailable(f"its state {self.path} is no file")
                text = file.read(MOST_BYTES + 1)
            if len(text) > MOST_BYTES:
                raise ServerUnavailable(f"its state {self.path} is larger than {MOST_BYTES} bytes")
            return json.loads(text)
        except (OSError, ValueError, RecursionError) as error:
            raise ServerUnavailable(f"its state {self.path} cannot be read: {error}") from error

    def _put(self, document: Any) -> None:
        draft = self.path.with_name(f".{self.path.name}.new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps(document))
            draft.replace(self.path)
        except OSError as error:
            raise ServerUnavailable(f"its state {self.path} cannot be written: {error}") from error


def _without_waiting(path: str, flags: int) -> int:
    """For `open`: a pipe that nobody writes to would be waited for."""
    return os.open(path, flags | os.O_NONBLOCK)
