"""What stands in a library's folders: the files that belong there, and a word on everything else."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from worlds.body import Kind
from worlds.environments import SLUG
from worlds.source import FileProblem, LibraryMissing

FOLDERS: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "intents": ("intent", (".yaml",)),
    "rules": ("rule", (".yaml",)),
    "records": ("records", (".json",)),
    "toolservers": ("toolserver", (".py", ".yaml")),
}
"""Folder → the kind of component that stands there, and how its files end."""
FILES = ("domain.yaml", "environments.yaml", "pins.json")

LEAVES = "this link leads out of the folder: put the file itself here"
LONGEST_DOMAIN = 80


def is_ignored(path: Path) -> bool:
    """Whether a name in the library is none of ours: hidden, a cache, or a README."""
    return path.name.startswith(".") or path.name in ("__pycache__", "README.md")


def is_script(path: Path) -> bool:
    """Whether it is the script that printed the records set beside it: people run it, nothing else does."""
    beside = path.with_suffix(".json")
    is_named_so = path.parent.name == "records" and path.suffix == ".py"
    return is_named_so and path.is_file() and beside.is_file()


def leaves(entry: Path, root: Path) -> bool:
    """Whether `entry` is a link to somewhere outside `root`."""
    try:
        return entry.is_symlink() and not entry.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a link that leads to itself
        return True


def domain_folders(
    root: Path, domains: Collection[str] | None, problems: list[FileProblem]
) -> list[Path]:
    """The folders of the domains in a library, or the folder itself when it is a domain's.

    Raises LibraryMissing for a domain that is asked for and is not there, and where there is none at all.
    """
    is_one = (root / "domain.yaml").exists()
    found = {root.resolve().name: root} if is_one else _folders(root, problems)
    if not found and not problems:
        nothing = "there is no domain here: a library holds one folder a domain, with a domain.yaml"
        raise LibraryMissing([FileProblem(str(root), None, nothing)])
    known = ", ".join(found) or "none"
    missing = [
        FileProblem(str(root), None, f"no domain {name!r} here; there is {known}")
        for name in sorted(set(domains or ()) - set(found))
    ]
    if missing:
        raise LibraryMissing(missing)
    return [path for name, path in found.items() if domains is None or name in domains]


def _folders(root: Path, problems: list[FileProblem]) -> dict[str, Path]:
    found = {}
    for entry in sorted(root.iterdir()):
        if is_ignored(entry):
            continue
        if leaves(entry, root):
            problems.append(FileProblem(str(entry), None, LEAVES))
        elif entry.is_dir():
            found[entry.name] = entry
        else:
            message = "unexpected file: a library holds one folder a domain; take it out"
            problems.append(FileProblem(str(entry), None, message))
    return found


@dataclass
class Listing:
    """The component files of a domain's folder by folder name, and what else is there."""

    folder: Path
    files: dict[str, list[Path]] = field(default_factory=lambda: {name: [] for name in FOLDERS})
    problems: list[FileProblem] = field(default_factory=list)

    @classmethod
    def of(cls, folder: Path) -> Listing:
        """What stands in `folder`; nothing is opened."""
        listing = cls(folder)
        listing._list()
        return listing

    def slugs(self) -> dict[Kind, list[str]]:
        """The slugs that have a file, by kind."""
        return {
            FOLDERS[name][0]: [path.stem for path in paths] for name, paths in self.files.items()
        }

    def _list(self) -> None:
        name = self.folder.resolve().name
        if not SLUG.fullmatch(name) or len(name) > LONGEST_DOMAIN:
            self._problem(self.folder, "a domain is named with up to 80 of A-Z a-z 0-9 _ -")
        for entry in self._entries(self.folder):
            if entry.is_dir() and entry.name in FOLDERS:
                self.files[entry.name] = list(self._component_files(entry))
            elif not (entry.is_file() and entry.name in FILES):
                what = "folder" if entry.is_dir() else "file"
                expected = ", ".join([*FILES, *(f"{name}/" for name in FOLDERS)])
                self._problem(entry, f"unexpected {what}: a domain holds {expected}; take it out")

    def _problem(self, path: Path, message: str) -> None:
        self.problems.append(FileProblem(str(path), None, message))

    def _entries(self, folder: Path) -> Iterator[Path]:
        for entry in sorted(folder.iterdir()):
            if is_ignored(entry):
                continue
            if leaves(entry, self.folder):
                self._problem(entry, LEAVES)
            else:
                yield entry

    def _component_files(self, folder: Path) -> Iterator[Path]:
        _, endings = FOLDERS[folder.name]
        seen: set[str] = set()
        for entry in self._entries(folder):
            if is_script(entry):
                continue
            if not entry.is_file() or entry.suffix not in endings:
                named = " or ".join(f"<slug>{ending}" for ending in endings)
                self._problem(entry, f"unexpected here: {folder.name}/ holds {named}; take it out")
            elif not SLUG.fullmatch(entry.stem):
                self._problem(entry, "a component is named with up to 120 of A-Z a-z 0-9 _ -")
            elif entry.stem in seen:
                self._problem(entry, f"there are two files of the name {entry.stem}: rename one")
            else:
                seen.add(entry.stem)
                yield entry
