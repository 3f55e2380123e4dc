"""A records set as its file says it: a clock and rows. `worlds.records` brings it to life."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from worlds.body import Body, Kind, Part
from worlds.canonical import canonical

MOST_CALLS = 1_000
"""More than any attempt makes."""
EARLIEST, LATEST = 2, 9998
"""So that the time has a place in every zone."""


class Clock(Part):
    """The time when an episode starts, and how far each call moves it (ISO 8601)."""

    now: datetime = Field(default=datetime.fromisoformat("2025-01-01T00:00:00+00:00"))
    per_call: timedelta = timedelta(0)

    @model_validator(mode="after")
    def _goes_on(self) -> Self:
        try:
            years = (self.now.year, (self.now + MOST_CALLS * self.per_call).year)
        except OverflowError:
            years = (0, 0)
        if not all(EARLIEST <= year <= LATEST for year in years):
            raise ValueError(
                f"the clock must stay within the years {EARLIEST} to {LATEST} for {MOST_CALLS} calls"
            )
        return self


class Recordset(Body):
    """Rows by table; a row carries its own key in the field that the domain names."""

    kind: ClassVar[Kind] = "records"

    clock: Clock = Clock()
    tables: dict[str, list[dict[str, Any]]]

    def content(self) -> dict[str, Any]:
        """As of every body, with the rows of each table in one order whatever the file's."""
        content = super().content()
        content["tables"] = {
            name: sorted(rows, key=canonical) for name, rows in self.tables.items()
        }
        return content
