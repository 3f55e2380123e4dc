"""What a domain says about the rows of its tables, worked out once for all conditions about them."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import jsonschema_rs

from worlds.cel_values import Normaliser, Shape
from worlds.domain import Domain

OPEN = frozenset(
    {
        "$ref",
        "$dynamicRef",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "patternProperties",
        "dependentSchemas",
    }
)
"""Keywords of a JSON Schema beside which `properties` does not name all that an object may have."""


class Contract:
    """Shapes of rows and how their numbers are normalised, by table."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.shapes: dict[str, Shape] = {
            name: _with_key(table.schema_, table.key) for name, table in domain.tables.items()
        }
        self.normalisers = {name: Normaliser(shape) for name, shape in self.shapes.items()}

    @property
    def tables(self) -> list[str]:
        """The names of the tables."""
        return sorted(self.shapes)


def row_validator(schema: dict[str, Any]) -> Any:
    """Checks rows; raises jsonschema_rs.ValidationError. A schema is untrusted: nothing is fetched."""
    return jsonschema_rs.validator_for(schema, offline=True)


def _with_key(schema: dict[str, Any], key: str) -> dict[str, Any]:
    """The schema, knowing at least the field that every row has; nothing is known from one that is none."""
    try:
        row_validator(schema)
    except jsonschema_rs.ValidationError:
        return {}  # `worlds.recordcheck` tells
    properties = schema.get("properties")
    if not properties or key in properties:
        return schema
    return {**schema, "properties": {**properties, key: {"type": "string"}}}


CONTRACTS_KEPT = 64
_CONTRACTS: OrderedDict[int, Contract] = OrderedDict()


def contract_of(domain: Domain) -> Contract:
    """The contract of a domain, made once for each domain object."""
    known = _CONTRACTS.pop(id(domain), None)
    if known is None or known.domain is not domain:
        known = Contract(domain)
    _CONTRACTS[id(domain)] = known
    if len(_CONTRACTS) > CONTRACTS_KEPT:
        _CONTRACTS.popitem(last=False)
    return known


def row_shape(domain: Domain, table: str) -> Shape:
    """The shape of a row of `table`, for `compile_condition`; None for a table that there is not."""
    return contract_of(domain).shapes.get(table)
