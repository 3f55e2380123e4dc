"""Reads domain folders: every file strictly, then whether the files fit together; all problems at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from worlds.body import Kind
from worlds.bundle import Pin
from worlds.componentfile import component_file, json_source, most_bytes, yaml_source
from worlds.domain import Domain
from worlds.environments import EnvironmentsFile, EnvironmentSpec, composed, misfits
from worlds.folder import DomainFolder, File
from worlds.librarytree import FOLDERS, Listing, domain_folders
from worlds.mistakes import parsed
from worlds.recordset import Recordset
from worlds.source import (
    FileProblem,
    LibraryInvalid,
    LibraryMissing,
    Location,
    OrphanPins,
    Source,
    place,
    read_text,
)

T = TypeVar("T")

MOST_ROW_PROBLEMS = 20
"""How many rows of one records file are complained of one by one."""


def read(path: Path | str, domains: Collection[str] | None = None) -> list[DomainFolder]:
    """The domains of a library folder, or of one domain's folder, by slug; `domains` keeps those named.

    Raises LibraryInvalid with the problems of all files, LibraryMissing when there is no such folder or domain.
    """
    root = Path(path)
    if not root.is_dir():
        raise LibraryMissing([FileProblem(str(root), None, "there is no such folder")])
    problems: list[FileProblem] = []
    folders = []
    for folder in domain_folders(root, domains, problems):
        reader = DomainReader(folder)
        folders.append(reader.read())
        problems += sorted(reader.problems, key=lambda problem: (problem.path, problem.line or 0))
    if problems:
        raise LibraryInvalid(problems)
    return [folder for folder in folders if folder is not None]


class DomainReader:
    """Reads one domain's folder; what is wrong gathers in `problems`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.listing = Listing.of(folder)
        self.problems: list[FileProblem] = list(self.listing.problems)

    def read(self) -> DomainFolder | None:
        """The folder, or None when no more can be said of it than `problems` does."""
        domain = self._try(partial(self._component, "domain", self.folder / "domain.yaml"))
        read: dict[str, dict[str, Any]] = {
            name: self._components(kind, self.listing.files[name])
            for name, (kind, _) in FOLDERS.items()
        }
        file = self._environments()
        if domain is None:
            return None
        for records in read["records"].values():
            self.problems += unkeyed(domain.body, records)
        folder = DomainFolder(self.folder.resolve().name, domain, **read)
        if file is not None:
            folder.compositions = {name: m.content() for name, m in file.compositions.items()}
            folder.environments = {
                name: EnvironmentSpec.of(name, entry) for name, entry in file.environments.items()
            }
        folder.pins = self._pins(None if file is None else self._made(file))
        return folder

    def _problem(self, path: Path, message: str, line: int | None = None) -> None:
        self.problems.append(FileProblem(str(path), line, message))

    def _try(self, reading: Callable[[], T]) -> T | None:
        try:
            return reading()
        except LibraryInvalid as error:
            self.problems += error.problems
            return None

    # One file

    def _components(self, kind: Kind, paths: list[Path]) -> dict[str, File[Any]]:
        read = {path.stem: self._try(partial(self._component, kind, path)) for path in paths}
        return {slug: file for slug, file in read.items() if file is not None}

    def _component(self, kind: Kind, path: Path) -> File[Any]:
        return component_file(kind, path.stem, self._text(path), str(path))

    def _text(self, path: Path) -> str:
        return read_text(path, most_bytes(path.name), str(path))

    # Environments and pins

    def _environments(self) -> EnvironmentsFile | None:
        """What environments.yaml says; None when it is wrong, so that nothing is concluded from it."""
        path = self.folder / "environments.yaml"
        if not path.is_file():
            return EnvironmentsFile()
        source = self._try(lambda: yaml_source(self._text(path), str(path)))
        if source is None:
            return None
        file = self._try(partial(parsed, EnvironmentsFile, source, str(path)))
        if file is None:
            return None
        before = len(self.problems)
        for location, message in misfits(file, self.listing.slugs()):
            self._problem(path, f"{place(location)}: {message}", source.line(location))
        return file if len(self.problems) == before else None

    def _made(self, file: EnvironmentsFile) -> set[str]:
        """The environments that there are once every file can be read."""
        intents = self.listing.slugs()["intent"]
        made = (composed(name, m.content(), intents) for name, m in file.compositions.items())
        return {*file.environments, *(spec.slug for specs in made for spec in specs)}

    def _pins(self, known: set[str] | None) -> dict[str, Pin]:
        """The pins; where it is not `known` which environments there are, all of them."""
        path = self.folder / "pins.json"
        source = self._try(lambda: self._json(path)) if path.is_file() else None
        if source is None:
            return {}
        if not isinstance(source.value, dict):
            self._problem(path, "pins are an object {environment: {binding, effect}}", 1)
            return {}
        self._orphans(path, source, known)
        pins = {}
        for slug, value in source.value.items():
            line = source.line((slug,)) or 1
            pin = self._try(partial(parsed, Pin, Source(value, {"": line}), str(path)))
            pins.update({slug: pin} if pin is not None else {})
        return pins

    def _json(self, path: Path) -> Source:
        return json_source(self._text(path), str(path), levels=1)

    def _orphans(self, path: Path, source: Source, known: set[str] | None) -> None:
        gone = tuple(slug for slug in source.value if known is not None and slug not in known)
        if not gone:
            return
        what = (
            f"there is no environment {gone[0]!r}: take its pin out"
            if len(gone) == 1
            else f"{len(gone)} pins of environments that are no more, the first {gone[0]!r}: take them out"
        )
        message = f"{what}, as `python -m worlds pin` does"
        self.problems.append(OrphanPins(str(path), source.line((gone[0],)) or 1, message, gone))


def unkeyed(domain: Domain, file: File[Recordset]) -> list[FileProblem]:
    """Rows that cannot be keyed: of a table that the domain lacks, without a key, or with another's."""
    problems = []
    for location, message in _unkeyed_rows(domain, file.body):
        problems.append(FileProblem(file.path, file.line(*location), message))
    more = len(problems) - MOST_ROW_PROBLEMS
    if more > 0:
        problems[MOST_ROW_PROBLEMS:] = [FileProblem(file.path, None, f"and {more} more such rows")]
    return problems


def _unkeyed_rows(domain: Domain, recordset: Recordset) -> Iterator[tuple[Location, str]]:
    for table, rows in recordset.tables.items():
        if table not in domain.tables:
            known = ", ".join(sorted(domain.tables))
            yield ("tables", table), f"the domain has no table {table!r}; it has {known}"
            continue
        field, seen = domain.tables[table].key, set()
        for number, row in enumerate(rows):
            key = row.get(field)
            if not isinstance(key, str) or not key:
                yield (
                    ("tables", table, number),
                    (
                        f"row {number} of {table} has {key!r} in its key field {field!r}: "
                        "a key is text and not empty"
                    ),
                )
            elif key in seen:
                yield ("tables", table, number), f"two rows of {table} have the key {key!r}"
            else:
                seen.add(key)
