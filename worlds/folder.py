"""A domain as files say it, in memory: components with their about blocks, environments and pins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from worlds.about import About, Accepted
from worlds.body import Body, Kind
from worlds.bundle import Bundle, Manifest, Pin, Ref
from worlds.domain import Domain
from worlds.environments import EnvironmentSpec, composed
from worlds.findings import Finding
from worlds.intent import Intent
from worlds.recordset import Recordset
from worlds.rule import Rule
from worlds.source import Location, nearest_line
from worlds.toolserver_body import AnyServerBody, OutsideBody

B = TypeVar("B", bound=Body)

PLACES: dict[Kind, str] = {
    "domain": "domain.yaml",
    "intent": "intents/{slug}.yaml",
    "rule": "rules/{slug}.yaml",
    "records": "records/{slug}.json",
    "toolserver": "toolservers/{slug}.py",
}
"""Where a component's file stands in its domain's folder."""
OUTSIDE = "toolservers/{slug}.yaml"
"""Where that of an outside tool server stands."""

DOMAIN_SLUG = "domain"
"""The slug of the component that holds a domain's contract."""


@dataclass(frozen=True)
class File(Generic[B]):
    """A component as its file says it. Two are equal when they say the same, wherever they stand."""

    slug: str
    body: B
    about: dict[str, Any] = field(default_factory=dict)
    path: str = field(default="", compare=False)
    """The file as messages name it; empty when the component was made in memory."""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """Place in the body (`goal.require[0]`, `tables.orders[3]`, `source`) → line of the file."""

    @property
    def kind(self) -> Kind:
        """The kind of component."""
        return self.body.kind

    @cached_property
    def digest(self) -> str:
        """The body's digest, computed once."""
        return self.body.digest

    @property
    def place(self) -> str:
        """Where the file stands in its domain's folder: `intents/book.yaml`."""
        place = OUTSIDE if isinstance(self.body, OutsideBody) else PLACES[self.kind]
        return place.format(slug=self.slug)

    def line(self, *location: str | int) -> int | None:
        """The line of a place in the body, or of the nearest one around it: `line("goal", "require", 0)`."""
        where: Location = location
        return nearest_line(self.lines, where)


@dataclass
class DomainFolder:
    """All that one folder of the library holds."""

    slug: str
    domain: File[Domain]
    intents: dict[str, File[Intent]] = field(default_factory=dict)
    rules: dict[str, File[Rule]] = field(default_factory=dict)
    records: dict[str, File[Recordset]] = field(default_factory=dict)
    toolservers: dict[str, File[AnyServerBody]] = field(default_factory=dict)
    compositions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Matrices as environments.yaml says them (see `worlds.environments.Matrix`)."""
    environments: dict[str, EnvironmentSpec] = field(default_factory=dict)
    """Those written out; `all_environments` adds the composed ones."""
    pins: dict[str, Pin] = field(default_factory=dict)

    def files(self) -> Iterator[File[Any]]:
        """Every component, the contract first, then by kind and slug."""
        yield self.domain
        parts: list[Mapping[str, File[Any]]]
        parts = [self.intents, self.rules, self.records, self.toolservers]
        for files in parts:
            yield from (file for _, file in sorted(files.items()))

    def accepts(self, finding: Finding) -> Accepted | None:
        """The entry by which the component that a finding blames accepts it; None where it counts."""
        file = self.file(finding.kind, finding.component)
        return About.model_validate(file.about).accepts(finding) if file else None

    def file(self, kind: Kind | None, slug: str) -> File[Any] | None:
        """A component by kind and slug."""
        shelves: dict[Kind, Mapping[str, File[Any]]] = {
            "domain": {DOMAIN_SLUG: self.domain},
            "intent": self.intents,
            "rule": self.rules,
            "records": self.records,
            "toolserver": self.toolservers,
        }
        return shelves[kind].get(slug) if kind is not None else None

    def all_environments(self) -> list[EnvironmentSpec]:
        """The environments written out and those that the compositions make, by slug."""
        made = [
            spec
            for slug, matrix in self.compositions.items()
            for spec in composed(slug, matrix, self.intents)
        ]
        return sorted([*self.environments.values(), *made], key=lambda spec: spec.slug)

    def bundle(self, spec: EnvironmentSpec, pin: Pin | None = None) -> Bundle:
        """An environment brought together, with `pin` or else the pin of the folder, if there is one."""
        intent, records = self.intents[spec.intent], self.records[spec.records]
        rules = [self.rules[slug] for slug in spec.rules]
        servers = [self.toolservers[slug] for slug in spec.toolservers]
        manifest = Manifest(
            domain=_ref(self.domain),
            intent=_ref(intent),
            rules=tuple(map(_ref, rules)),
            records=_ref(records),
            toolservers=tuple(map(_ref, servers)),
            seed=spec.seed,
            pin=pin or self.pins.get(spec.slug),
        )
        used: list[File[Any]] = [self.domain, intent, *rules, records, *servers]
        return Bundle.assemble(manifest, {file.digest: file.body for file in used})


def _ref(file: File[Any]) -> Ref:
    return Ref(slug=file.slug, body=file.digest)
