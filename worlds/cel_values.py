"""JSON on its way into a condition: numbers as the schema says, and never more than an evaluation can bear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LIST_LIMIT = 1_000
"""Elements that one list may have."""
VALUE_LIMIT = 20_000
"""Values inside one row or variable; long text counts once for every 64 characters."""

Shape = Mapping[str, Any] | None
"""A JSON Schema for a value; None where anything may come."""


class TooLarge(ValueError):
    """A value is larger than a condition may look at."""


@dataclass(frozen=True)
class Plan:
    """What a schema says about numbers, worked out once. A field with type `number` becomes a double."""

    number: bool = False
    integer: bool = False
    properties: Mapping[str, Plan] = field(default_factory=dict)
    extra: Plan | None = None
    items: Plan | None = None

    @classmethod
    def of(cls, schema: Any) -> Plan:
        """The plan of a schema; what it does not say, and what stands behind `$ref`, is left as it comes."""
        if not isinstance(schema, Mapping):
            return cls()
        types = schema.get("type", ())
        types = (types,) if isinstance(types, str) else tuple(types)
        own = cls(
            number="number" in types,
            integer="integer" in types,
            properties={name: cls.of(each) for name, each in schema.get("properties", {}).items()},
            extra=_some(schema.get("additionalProperties")),
            items=_some(schema.get("items")),
        )
        branches = [each for word in ("anyOf", "oneOf", "allOf") for each in schema.get(word, ())]
        for branch in branches:
            own = own.merged(cls.of(branch))
        return own

    def merged(self, other: Plan) -> Plan:
        """Both plans as one; where they differ about a number, it becomes a double."""
        names = [
            *self.properties,
            *(name for name in other.properties if name not in self.properties),
        ]
        return Plan(
            self.number or other.number,
            self.integer or other.integer,
            {
                name: _both(self.properties.get(name), other.properties.get(name)) or Plan()
                for name in names
            },
            _both(self.extra, other.extra),
            _both(self.items, other.items),
        )


def _some(schema: Any) -> Plan | None:
    return Plan.of(schema) if isinstance(schema, Mapping) else None


def _both(one: Plan | None, other: Plan | None) -> Plan | None:
    return one.merged(other) if one and other else one or other


NOTHING_KNOWN = Plan()


class Normaliser:
    """Normalises the values of one shape. Rows are remembered by identity: they are never changed in place."""

    REMEMBERED = 4_096

    def __init__(self, shape: Shape) -> None:
        self._plan = Plan.of(shape)
        self._known: dict[int, tuple[Any, Any, int]] = {}

    def __call__(self, value: Any) -> tuple[Any, int]:
        """The value as a condition sees it, and how many values are in it; raises TooLarge."""
        known = self._known.get(id(value))
        if known is not None and known[0] is value:
            return known[1], known[2]
        walk = _Walk()
        normal = walk.value(value, self._plan)
        if isinstance(value, dict) and self._plan != NOTHING_KNOWN:
            if len(self._known) >= self.REMEMBERED:
                self._known.clear()
            self._known[id(value)] = (value, normal, walk.seen)
        return normal, walk.seen


class _Walk:
    def __init__(self) -> None:
        self.seen = 0

    def value(self, value: Any, plan: Plan) -> Any:
        self.seen += 1
        if isinstance(value, Mapping):
            return self._object(value, plan)
        if isinstance(value, (list, tuple)):
            return self._list(value, plan)
        if isinstance(value, str):
            self.seen += len(value) // 64
            self._check(0)
        elif type(value) in (int, float):
            return _number(value, plan)
        return value

    def _object(self, value: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
        self._check(len(value))
        known, extra = plan.properties, plan.extra or NOTHING_KNOWN
        return {name: self.value(item, known.get(name, extra)) for name, item in value.items()}

    def _list(self, value: list[Any] | tuple[Any, ...], plan: Plan) -> list[Any]:
        if len(value) > LIST_LIMIT:
            raise TooLarge(f"a list of {len(value)} elements; conditions see at most {LIST_LIMIT}")
        self._check(len(value))
        items = plan.items or NOTHING_KNOWN
        return [self.value(item, items) for item in value]

    def _check(self, more: int) -> None:
        if self.seen + more > VALUE_LIMIT:
            raise TooLarge(f"a row or variable holds more than {VALUE_LIMIT} values")


def _number(value: float, plan: Plan) -> float:
    if plan.number:
        return float(value)
    if plan.integer and float(value).is_integer():
        return int(value)
    return value


def weight(value: Any) -> int:
    """How many values are in `value`, counted as `VALUE_LIMIT` counts them."""
    if isinstance(value, str):
        return 1 + len(value) // 64
    if isinstance(value, Mapping):
        return 1 + sum(weight(item) for item in value.values())
    if isinstance(value, list):
        return 1 + sum(weight(item) for item in value)
    return 1
