"""Which τ² files are looked at: the installed packages', or any version of them in a folder.

A folder is one domain's (`tasks.json`, `db.json`, `policy.md`), or has `retail/` and `airline/` in it, as they stand in
the published repository too (`data/tau2/domains/`). Only `tasks.json` must be there; for a database or a policy that is
missing, or empty, the package's are taken.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

from components.tau2 import FILES, PUBLICATIONS, Files, installed_data
from worlds.library import LibraryMissing
from worlds.source import FileProblem

BELOW = ("", "domains", "tau2/domains", "data/tau2/domains")
"""Where in a folder the domains' folders may stand."""
TABLE = {"orders": "retail", "reservations": "airline"}
"""A table that one domain alone has."""


@dataclass(frozen=True)
class Source:
    """The files of a domain, and where each comes from, in words."""

    domain: str
    files: Files
    origins: dict[str, str]
    """File → the folder or package that it was taken from."""

    @property
    def borrowed(self) -> list[str]:
        """The files that are not from where the tasks are."""
        return [name for name, at in self.origins.items() if at != self.origins["tasks.json"]]

    def row(self, tasks: int) -> dict[str, Any]:
        """As the document lists it."""
        return {
            "domain": self.domain,
            "tasks": tasks,
            "from": self.origins["tasks.json"],
            "tasks_sha256": sha256(self.files.tasks.read_bytes()).hexdigest(),
            "borrowed": {name: self.origins[name] for name in self.borrowed},
        }


def sources(data: Path | None = None, domain: str | None = None) -> list[Source]:
    """The domains to look at: of the packages, or of a folder. Raises LibraryMissing where there is none of them,
    LibraryInvalid where a package would be needed that is not installed."""
    if data is None:
        return [_installed(name) for name in PUBLICATIONS if domain in (None, name)]
    if not data.is_dir():
        raise _missing(
            data, "there is no such folder: name one that has a tasks.json, or retail/ and airline/"
        )
    if (data / "tasks.json").is_file():
        return [_given(domain or _domain_of(data), data)]
    found = [_given(name, folder) for name, folder in _domains_in(data) if domain in (None, name)]
    if not found:
        wanted = f"{domain}/tasks.json" if domain else "retail/tasks.json or airline/tasks.json"
        raise _missing(
            data, f"there is no tasks.json in it, and no {wanted}: name a folder that has one"
        )
    return found


def package(domain: str) -> str:
    """The installed package of a domain, with its version."""
    (name,) = packages_distributions()[PUBLICATIONS[domain].package]
    return f"{name} {version(name)}"


def _installed(domain: str) -> Source:
    files = Files.of(installed_data(domain))
    return Source(domain, files, dict.fromkeys(FILES, package(domain)))


def _given(domain: str, data: Path) -> Source:
    here = {name: data / name for name in FILES}
    origins = dict.fromkeys(FILES, str(data))
    for name in FILES[1:]:
        if not (here[name].is_file() and here[name].stat().st_size):
            here[name] = installed_data(domain) / name
            origins[name] = package(domain)
    return Source(domain, Files(*here.values()), origins)


def _domains_in(data: Path) -> Iterator[tuple[str, Path]]:
    for name in PUBLICATIONS:
        folders = (data / below / name for below in BELOW)
        found = next((each for each in folders if (each / "tasks.json").is_file()), None)
        if found:
            yield name, found


def _domain_of(data: Path) -> str:
    """Which domain's folder it is: its tables say so, else its name."""
    try:
        tables = json.loads((data / "db.json").read_bytes())
    except (OSError, ValueError):
        tables = None
    held = tables if isinstance(tables, dict) else {}
    named = next((TABLE[name] for name in TABLE if name in held), data.resolve().name)
    if named not in PUBLICATIONS:
        way_out = f"add --domain {' or '.join(PUBLICATIONS)}"
        raise _missing(
            data, f"neither a db.json nor its name says whose tasks these are: {way_out}"
        )
    return named


def _missing(data: Path, message: str) -> LibraryMissing:
    return LibraryMissing([FileProblem(f"--data {data}", None, message)])
