"""What a component says: a frozen model, the same for file, database and world."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict

from worlds.canonical import FORMAT, canonical, digest

Kind = Literal["domain", "intent", "rule", "records", "toolserver"]

KINDS: tuple[Kind, ...] = ("domain", "intent", "rule", "records", "toolserver")


class Part(BaseModel):
    """A piece of a body: immutable, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy. A changed one says something else: what was found out about this one, its digest, stays behind."""
        copy = super().model_copy(update=update, deep=deep)
        if update:
            for name in copy.__dict__.keys() - type(self).model_fields.keys():
                del copy.__dict__[name]
        return copy


class Body(Part):
    """A whole body. Two bodies that say the same have the same digest, whatever their spelling."""

    kind: ClassVar[Kind]

    def content(self) -> dict[str, Any]:
        """The body as plain JSON, keys as in the files, defaults left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    @cached_property
    def digest(self) -> str:
        """sha256 of kind, format number and canonical content."""
        return digest({"kind": self.kind, "format": FORMAT, "body": self.content()})

    def canonical(self) -> str:
        """The canonical JSON of the content: what the database stores."""
        return canonical(self.content())

    @classmethod
    def parse(cls, content: Any) -> Self:
        """The body that `content` (plain JSON) says; raises pydantic.ValidationError."""
        return cls.model_validate(content)
