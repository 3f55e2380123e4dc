"""Bodies, stored once by digest."""

from __future__ import annotations

import json
from typing import Any

from django.db import models

from worlds import body, bundle


class Kind(models.TextChoices):
    """The kinds of component; `domain` is the contract that the others share."""

    DOMAIN = "domain"
    INTENT = "intent"
    RULE = "rule"
    RECORDS = "records"
    TOOLSERVER = "toolserver"


class Body(models.Model):
    """What a component version says, as the canonical JSON that its digest was taken of; immutable."""

    digest = models.CharField(primary_key=True, max_length=64)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    text = models.TextField()

    def __str__(self) -> str:
        return f"{self.kind} {self.digest[:12]}"

    @property
    def content(self) -> Any:
        """The body as plain JSON."""
        return json.loads(self.text)

    def parsed(self) -> body.Body:
        """The body as the model of its kind."""
        return bundle.PARSERS[self.kind](self.content)  # type: ignore[index]  # a CharField is str
