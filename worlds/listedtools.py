"""The tools that an outside server lists, as the project understands them, and what is wrong with the list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from worlds.contract import OPEN
from worlds.sourcecheck import SourceProblem
from worlds.toolserver import Tool

if TYPE_CHECKING:
    import mcp_types as types


class SchemaInvalid(ValueError):
    """What a server gives as a schema is none."""


@dataclass(frozen=True)
class ListedTools:
    """Tools by name, the schemas of their answers, and problems."""

    tools: dict[str, Tool] = field(default_factory=dict)
    problems: list[SourceProblem] = field(default_factory=list)
    answers: dict[str, jsonschema_rs.Validator] = field(default_factory=dict)
    """What the structured results of tools must be, for those that say it."""

    @classmethod
    def of(cls, told: Iterable[types.Tool], hidden: set[str]) -> ListedTools:
        """What a server lists; the arguments `hidden` are no agent's business."""
        listed = cls()
        for tool in told:
            listed._take(tool, hidden)
        return listed

    def contradiction(self, tool: str, structured: Any) -> str:
        """How a structured result (None = none) differs from what the tool said it would be; empty when it does not."""
        if tool not in self.answers:
            return ""
        error = next(iter(self.answers[tool].iter_errors(structured)), None)
        said = "it is not what the tool's output schema says"
        return f"{said}: {error.message[:300]}" if error else ""

    def _take(self, tool: types.Tool, hidden: set[str]) -> None:
        if tool.name in self.tools:
            self._complain(tool, "is listed twice")
        hint = tool.annotations.read_only_hint if tool.annotations is not None else None
        about, schema = (tool.description or "").strip(), self._arguments(tool, hidden)
        self.tools[tool.name] = Tool(
            tool.name, about, schema, hint is not True, line=0, declared=hint is not None
        )
        if tool.output_schema is not None:
            try:
                self.answers[tool.name] = _validator(tool.output_schema)
            except SchemaInvalid as error:
                self._complain(tool, f"has an output schema that is none: {error}")

    def _arguments(self, tool: types.Tool, hidden: set[str]) -> dict[str, Any]:
        schema = _shown(tool.input_schema, hidden)
        try:
            _validator(schema)
        except SchemaInvalid as error:
            self._complain(tool, f"has an input schema that is none: {error}")
            return {"type": "object"}
        return schema

    def _complain(self, tool: types.Tool, what: str) -> None:
        self.problems.append(SourceProblem(0, 0, tool.name, f"the tool {tool.name} {what}"))


def _validator(schema: Any) -> jsonschema_rs.Validator:
    """It fetches nothing, and its patterns end. Raises SchemaInvalid."""
    try:
        return jsonschema_rs.validator_for(schema, offline=True)
    except (jsonschema_rs.ValidationError, ValueError) as error:
        raise SchemaInvalid(str(error)[:200]) from error


def _shown(given: dict[str, Any], hidden: set[str]) -> dict[str, Any]:
    """The schema of the arguments that agents give, closed where it does not say that it is open."""
    schema = dict(given)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        schema["properties"] = {k: v for k, v in properties.items() if k not in hidden}
    if isinstance(schema.get("required"), list):
        schema["required"] = [name for name in schema["required"] if name not in hidden]
    if not OPEN & schema.keys():
        schema.setdefault("additionalProperties", False)
    return schema
