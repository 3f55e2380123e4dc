"""The library as files: read domain folders, write them in their canonical form."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder, File
from worlds.libraryreader import read
from worlds.librarywriter import write
from worlds.source import FileProblem, LibraryInvalid, LibraryMissing

__all__ = [
    "DomainFolder",
    "EnvironmentSpec",
    "File",
    "FileProblem",
    "LibraryInvalid",
    "LibraryMissing",
    "complete_domains",
    "format_folders",
    "read",
    "write",
]


def complete_domains(path: Path | str) -> list[str]:
    """The domains of a library from whose files environments are made, by name."""
    return sorted(file.parent.name for file in Path(path).glob("*/environments.yaml"))


def format_folders(path: Path | str, domains: Collection[str] | None = None) -> list[DomainFolder]:
    """Bring the folders at `path` to canonical form in place; nothing is written when one cannot be read."""
    root = Path(path).resolve()
    folders = read(path, domains)
    for folder in folders:
        write(folder, root.parent if (root / "domain.yaml").exists() else root)
    return folders
