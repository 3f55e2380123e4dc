"""Mutation operators: small changes of one component, each a fault as authors and generators make them, or a rewrite
that means the same.

An operator is a function from a domain as it is (`Original`) to the sites where it can be applied. Those for
development stand in `benchmarks/operators/development/`, those held out in `benchmarks/operators/heldout/`.
Which four sites of a domain are taken is drawn by a fixed seed.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from worlds.body import Kind
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.servers import Servers
from worlds.toolserver_body import OutsideBody, ToolServerBody

SITES = 4
"""Of each operator in each domain."""
SEED = "envcurate fault benchmark 1"

Document = dict[str, Any]
"""A component's body as its file says it, in plain JSON (without `about`)."""


class Original:
    """The parts of one domain in plain form, as operators look at them. Nothing of it may be changed in place."""

    def __init__(self, folder: DomainFolder) -> None:
        self.folder = folder
        self.slug = folder.slug

    @cached_property
    def domain(self) -> Document:
        """The contract (domain.yaml)."""
        return self.folder.domain.body.content()

    @cached_property
    def intents(self) -> Mapping[str, Document]:
        """By slug."""
        return {slug: file.body.content() for slug, file in sorted(self.folder.intents.items())}

    @cached_property
    def rules(self) -> Mapping[str, Document]:
        """By slug."""
        return {slug: file.body.content() for slug, file in sorted(self.folder.rules.items())}

    @cached_property
    def records(self) -> Mapping[str, Document]:
        """By slug: `{clock, tables: {table: [row]}}`."""
        return {slug: file.body.content() for slug, file in sorted(self.folder.records.items())}

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """Python source of the tool servers: `SLUG` where the component holds it, `SLUG/FILE.py` where the server
        comes from outside and its source is here."""
        found = {}
        for slug, file in sorted(self.folder.toolservers.items()):
            if isinstance(file.body, ToolServerBody):
                found[slug] = file.body.source
            else:
                found |= _outside(slug, file.body)
        return found

    @cached_property
    def environments(self) -> Sequence[EnvironmentSpec]:
        """All of them; each has `slug, intent, rules, records, toolservers, seed`."""
        return self.folder.all_environments()

    @cached_property
    def bound(self) -> Sequence[tuple[str, str, str]]:
        """The rows that an environment speaks of: records set, table, key, each once. Of the thousands of rows of a
        records set few matter to any environment; these do."""
        found = set()
        for spec in self.environments:
            pin, slots = (
                self.folder.pins.get(spec.slug),
                self.folder.intents[spec.intent].body.slots,
            )
            for slot, key in (pin.binding if pin else {}).items():
                if slot in slots:
                    found.add((spec.records, slots[slot].table, key))
        return sorted(found)

    def key_field(self, table: str) -> str:
        """The field of a table's rows that holds their key."""
        return str(self.domain["tables"][table]["key"])

    def place_of(self, records: str, table: str, key: str) -> tuple[str, str, int]:
        """Where a row stands in a records document: `("tables", table, index)`."""
        field = self.key_field(table)
        rows = self.records[records]["tables"][table]
        return "tables", table, next(i for i, row in enumerate(rows) if row[field] == key)


def _outside(slug: str, body: OutsideBody) -> dict[str, str]:
    path = Servers.installed().named(body.server).source_path
    if path is None:
        return {}
    return {f"{slug}/{file.name}": file.read_text() for file in sorted(path.glob("*.py"))}


@dataclass(frozen=True)
class Site:
    """One place where an operator can be applied."""

    component: str
    """Its slug; of a tool server the name in `Original.sources`; of a contract `domain`."""
    place: str
    """Where in the component, for people, unique for the operator: `goal.require[0]`, `tables.orders[O7]#status`,
    `cancel_order line 40`."""
    changed: Callable[[], Any]
    """The component's new content: a document, or the source text of a tool server."""
    touches: str = ""
    """What an attempt has to do with for the change to matter to it, where one thing can be named: `TABLE/KEY` of a
    row, the name of a tool, an intent. Environments with it are tried first."""


Sites = Callable[[Original], Iterable[Site]]


@dataclass(frozen=True)
class Operator:
    """A kind of change."""

    name: str
    kind: Kind
    says: str
    """What goes wrong, or what is written in another way, in a sentence."""
    is_rewrite: bool
    sites: Sites

    def drawn(self, original: Original) -> list[Site]:
        """`SITES` of a domain's sites, or all when there are fewer; the same ones every time."""
        return sorted(self.sites(original), key=self._order)[:SITES]

    def _order(self, site: Site) -> str:
        said = f"{SEED}\n{self.name}\n{site.component}\n{site.place}"
        return hashlib.sha256(said.encode()).hexdigest()


def fault(name: str, kind: Kind, says: str) -> Callable[[Sites], Operator]:
    """Make an operator of faults from the function that finds its sites."""
    return lambda sites: Operator(name, kind, says, is_rewrite=False, sites=sites)


def rewrite(name: str, kind: Kind, says: str) -> Callable[[Sites], Operator]:
    """Make an operator of rewrites that mean the same from the function that finds its sites."""
    return lambda sites: Operator(name, kind, says, is_rewrite=True, sites=sites)


def operators(half: str) -> dict[str, Operator]:
    """The operators of a half (`development`, `heldout`) by name."""
    package = importlib.import_module(f"benchmarks.operators.{half}")
    found: dict[str, Operator] = {}
    for module in sorted(each.name for each in pkgutil.iter_modules(package.__path__)):
        values = vars(importlib.import_module(f"{package.__name__}.{module}")).values()
        found |= {value.name: value for value in values if isinstance(value, Operator)}
    return found


Place = Sequence[str | int]


def at(document: Any, place: Place) -> Any:
    """What stands at a place of a document: `at(intent, ["goal", "require", 0])`."""
    for step in place:
        document = document[step]
    return document


def edited(document: Document, place: Place, value: Any) -> Document:
    """A copy of a document with another value at a place; everything else is shared with it."""
    head, *rest = place
    new = copy.copy(document)
    new[head] = edited(document[head], rest, value) if rest else value  # type: ignore[index]
    return new


def without(document: Document, place: Place) -> Document:
    """A copy of a document in which what stands at a place is gone."""
    *holder, last = place
    new = copy.copy(at(document, holder))
    del new[last]
    return edited(document, holder, new) if holder else new


def places(document: Any, here: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a document at which no list or object stands."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from places(value, (*here, key))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from places(value, (*here, index))
    else:
        yield here
