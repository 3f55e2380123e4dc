"""JSON that comes back exactly as canonical JSON has it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models

from worlds.canonical import canonical

if TYPE_CHECKING:
    Field = models.Field[Any, Any]
else:
    Field = models.Field


class ExactJSONField(Field):
    """JSON kept as its canonical text. PostgreSQL's jsonb would make an integer of 1e16, which is another digest."""

    def get_internal_type(self) -> str:
        """The kind of column."""
        return "TextField"

    def from_db_value(self, value: str | None, *_: object) -> Any:
        """What the column's text says; None for no text."""
        return None if value is None else json.loads(value)

    def get_prep_value(self, value: Any) -> str | None:
        """The text to keep; no text for None."""
        return None if value is None else canonical(value)
