"""Changes of one domain by name, planted one by one or several together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.catalogue import CatalogueFault, faulted, read_catalogue
from benchmarks.faults.faulted import planted
from benchmarks.faults.mutation import Operator, Original, Site, operators
from benchmarks.faults.split import HalfName
from worlds.body import Kind
from worlds.folder import DOMAIN_SLUG, DomainFolder
from worlds.library import read

SHELVES: Mapping[str, Kind] = {
    "intents": "intent",
    "rules": "rule",
    "records": "records",
    "toolservers": "toolserver",
}

Culprit = tuple[Kind, str]


@dataclass(frozen=True, eq=False)
class Fault:
    """A change as it can be planted."""

    name: str
    place: str
    culprits: tuple[Culprit, ...]
    """The components that a repair must change."""
    touches: tuple[str, ...]
    """As of `Site` and `CatalogueFault`."""
    files: frozenset[str]
    """`KIND/COMPONENT` of what it writes, as `Site` names components: two that write the same file get in each other's
    way, unless both are edits of the catalogue."""
    site: Site | None = None
    edits: CatalogueFault | None = None

    @property
    def names(self) -> list[str]:
        """The culprits as `KIND/SLUG`."""
        return [f"{kind}/{slug}" for kind, slug in self.culprits]


class Planter:
    """Finds and plants changes of one domain."""

    def __init__(self, half: HalfName, domain: str) -> None:
        self.folder = read(LIBRARY, [domain])[0]
        self.original = Original(self.folder)
        self._operators = operators(half)
        self._catalogue = read_catalogue(domain)
        self._sites: dict[str, list[Site]] = {}

    def fault(self, name: str, place: str) -> Fault:
        """A change by the name of its operator, or of the catalogue, and its place as `benchmarks.detection` says it.
        Raises KeyError where nothing is planted there (any more)."""
        if name in self._catalogue:
            return _written(name, place, self._catalogue[name])
        operator = self._operators[name]
        if name not in self._sites:
            self._sites[name] = operator.drawn(self.original)
        for site in self._sites[name]:
            if f"{site.component}: {site.place}" == place:
                return _mutated(operator, site, place)
        raise KeyError(f"{name} is not planted at {place!r} in {self.folder.slug}")

    @contextmanager
    def planted(self, faults: Sequence[Fault]) -> Iterator[DomainFolder]:
        """The domain with these faults, for as long as the block lasts. Raises Refused and LibraryInvalid where it
        cannot be loaded, or where their edits do not go together."""
        with ExitStack() as stack:
            written = [fault.edits for fault in faults if fault.edits]
            folder = self.folder
            if written:
                folder = stack.enter_context(faulted(folder.slug, written))
            for fault in faults:
                if fault.site:
                    (kind, _), content = fault.culprits[0], fault.site.changed()
                    folder = stack.enter_context(
                        planted(folder, kind, fault.site.component, content)
                    )
            yield folder


def go_together(one: Fault, other: Fault) -> bool:
    """Whether neither undoes what the other writes."""
    return (one.site is None and other.site is None) or not one.files & other.files


def _mutated(operator: Operator, site: Site, place: str) -> Fault:
    slug = site.component.partition("/")[0]
    touches = (site.touches,) if site.touches else ()
    files = frozenset({f"{operator.kind}/{site.component}"})
    return Fault(operator.name, place, ((operator.kind, slug),), touches, files, site=site)


def _written(name: str, place: str, fault: CatalogueFault) -> Fault:
    files = frozenset(_component(edit.file) for edit in fault.edits)
    return Fault(name, place, tuple(fault.components()), tuple(fault.touches), files, edits=fault)


def _component(file: str) -> str:
    """`KIND/COMPONENT` of a file of a domain's folder; of an outside server's source with the file's name."""
    shelf, *inner = Path(file).parts
    if not inner:
        return f"domain/{DOMAIN_SLUG}"
    name = "/".join(inner) if len(inner) > 1 else Path(inner[0]).stem
    return f"{SHELVES[shelf]}/{name}"
