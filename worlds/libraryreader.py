"""Reads domain folders: every file strictly, then whether the files fit together; all problems at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from worlds.about import About
from worlds.body import Body, Kind
from worlds.bundle import Pin
from worlds.canonical import NotCanonical, normalised
from worlds.domain import Domain
from worlds.environments import EnvironmentsFile, EnvironmentSpec, composed, misfits
from worlds.folder import DOMAIN_SLUG, DomainFolder, File
from worlds.intent import Intent
from worlds.librarytree import FOLDERS, Listing, domain_folders
from worlds.mistakes import parsed
from worlds.recordset import Recordset
from worlds.rule import Rule
from worlds.servers import VARIABLE, ServerSettings
from worlds.source import (
    FileProblem,
    LibraryInvalid,
    LibraryMissing,
    Location,
    OrphanPins,
    Source,
    place,
    read_json,
    read_text,
    read_yaml,
)
from worlds.toolserver_body import OutsideBody, ToolServerBody
from worlds.toolserverfile import split_source

T = TypeVar("T")
B = TypeVar("B", bound=Body)

MOST_TEXT = 2 * 1024**2
"""Bytes that a YAML or Python file may have."""
MOST_JSON = 64 * 1024**2
"""Bytes that a JSON file may have."""
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
        domain = self._try(lambda: self._yaml(Domain, self.folder / "domain.yaml", DOMAIN_SLUG))
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
        if kind == "intent":
            return self._yaml(Intent, path, path.stem)
        if kind == "rule":
            return self._yaml(Rule, path, path.stem)
        if kind == "records":
            return _file(Recordset, _json(path, levels=3), path.stem, str(path))
        if path.suffix == ".yaml":
            return self._outside(path)
        return _file(ToolServerBody, _python(path), path.stem, str(path))

    def _outside(self, path: Path) -> File[OutsideBody]:
        source = _normal(self._yaml_source(path), str(path))
        meant = sorted(
            set(source.value) & {*ServerSettings.model_fields} - {*OutsideBody.model_fields}
        )
        if meant:
            message = (
                f"a component must not say {meant[0]!r}: what a server's name means stands in the "
                f"installation's settings ({VARIABLE})"
            )
            raise LibraryInvalid([FileProblem(str(path), source.line((meant[0],)), message)])
        return _file(OutsideBody, source, path.stem, str(path))

    def _yaml(self, model: type[B], path: Path, slug: str) -> File[B]:
        source = _normal(self._yaml_source(path), str(path))
        return _file(model, source, slug, str(path))

    def _yaml_source(self, path: Path) -> Source:
        return read_yaml(read_text(path, MOST_TEXT, str(path)), str(path))

    # Environments and pins

    def _environments(self) -> EnvironmentsFile | None:
        """What environments.yaml says; None when it is wrong, so that nothing is concluded from it."""
        path = self.folder / "environments.yaml"
        if not path.is_file():
            return EnvironmentsFile()
        source = self._try(lambda: _normal(self._yaml_source(path), str(path)))
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
        source = self._try(lambda: _json(path, levels=1)) if path.is_file() else None
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


def _json(path: Path, levels: int) -> Source:
    text = read_text(path, MOST_JSON, str(path))
    return _normal(read_json(text, str(path), levels=levels), str(path))


def _python(path: Path) -> Source:
    about, body, line = split_source(read_text(path, MOST_TEXT, str(path)), str(path))
    value = {"about": about.value, "source": body} if about.value else {"source": body}
    return _normal(Source(value, {**about.lines, "source": line}), str(path))


def _normal(source: Source, path: str) -> Source:
    try:
        return Source(normalised(source.value), source.lines)
    except NotCanonical as error:
        raise LibraryInvalid([FileProblem(path, None, str(error))]) from error


def _file(model: type[B], source: Source, slug: str, path: str) -> File[B]:
    """A component's file: its about block apart, the rest the body."""
    if not isinstance(source.value, dict):
        message = f"keys and values of the {model.kind} are wanted, not {source.value!r:.40}"
        raise LibraryInvalid([FileProblem(path, source.line(()), message)])
    content = dict(source.value)
    problems: list[FileProblem] = []
    about: dict[str, Any] = {}
    if "about" in content:
        within = Source(content.pop("about"), _under("about", source.lines))
        try:
            about = parsed(About, within, path).content()
        except LibraryInvalid as error:
            problems += error.problems
    try:
        body = parsed(model, Source(content, source.lines), path)
    except LibraryInvalid as error:
        raise LibraryInvalid([*problems, *error.problems]) from error
    if problems:
        raise LibraryInvalid(problems)
    return File(slug, body, about, path, source.lines)


def _under(name: str, lines: dict[str, int]) -> dict[str, int]:
    """The lines of what stands under a key, by place from there."""
    return {
        key.removeprefix(name).removeprefix("."): line
        for key, line in lines.items()
        if key == name or key.startswith((f"{name}.", f"{name}["))
    }


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
