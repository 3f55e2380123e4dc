"""The library of components as rows."""

from components.models.audit import AuditEntry
from components.models.body import Body
from components.models.component import Component
from components.models.composition import Composition
from components.models.domain import Domain
from components.models.environment import Environment, Part, Pin
from components.models.version import Version

__all__ = [
    "AuditEntry",
    "Body",
    "Component",
    "Composition",
    "Domain",
    "Environment",
    "Part",
    "Pin",
    "Version",
]
