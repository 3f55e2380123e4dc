"""A proposal as an edited library folder: the components whose files differ from what they say now."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Collection, Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from components.models import Component, Domain
from triage.models.proposal import MOST_CHANGES
from triage.proposalfiles import path_of, read
from triage.proposals import ProposalInvalid, Said
from worlds.body import Kind
from worlds.componentfile import most_bytes
from worlds.folder import DOMAIN_SLUG, File
from worlds.librarytree import FILES, FOLDERS, Listing, is_ignored
from worlds.source import FileProblem, LibraryInvalid, read_text

MOST_FILES = 200
MOST_ARCHIVE = 16 * 1024**2
"""Bytes of an archive."""
MOST_UNPACKED = 64 * 1024**2
"""Bytes of all its files together."""
CONTRACT = "domain.yaml"
UNREADABLE = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, RuntimeError)
"""What reading an archive that somebody made up may raise."""
NAMED = 10
"""How many of the components that differ are named."""


def from_archive(domain: Domain, data: bytes) -> list[Said]:
    """The one to three changes of a zip archive of the domain's folder, or of a part of it.

    Environments, pins and about blocks in it are not looked at: a proposal changes what components say.
    Raises ProposalInvalid, and LibraryInvalid with all problems of the files.
    """
    if len(data) > MOST_ARCHIVE:
        raise ProposalInvalid(
            f"{len(data)} bytes are too many: an archive may have {MOST_ARCHIVE}; leave out what is as it was"
        )
    with TemporaryDirectory(prefix="envcurate-upload-") as folder:
        root = Path(folder) / domain.slug
        root.mkdir()
        try:
            with zipfile.ZipFile(BytesIO(data)) as archive:
                _unpack(archive, root)
        except UNREADABLE as error:
            raise ProposalInvalid(f"this is no zip archive that can be read: {error}") from error
        return from_folder(domain, root)


def from_folder(domain: Domain, path: Path | str) -> list[Said]:
    """As `from_archive`, of a folder: the domain's own, or a library that has it."""
    root = Path(path)
    if not root.is_dir():
        raise ProposalInvalid(f"{root}: there is no such folder")
    root = root / domain.slug if (root / domain.slug).is_dir() else root
    files = _differing(domain, root)
    if not files:
        raise ProposalInvalid("every file says what its component says now: edit one to three")
    if len(files) > MOST_CHANGES:
        names = [f"{component.kind}/{component.slug}" for component, _ in files]
        shown = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
        raise ProposalInvalid(
            f"{len(files)} components differ from what they say now ({shown}): a proposal has at most "
            f"{MOST_CHANGES}; leave the others as they are, or load the folder"
        )
    return [(component, file.body) for component, file in files]


def _differing(domain: Domain, root: Path) -> list[tuple[Component, File[Any]]]:
    rows = domain.components.select_related("domain", "current")
    known = {(row.kind, row.slug): row for row in rows}
    problems: list[FileProblem] = []
    found = []
    for kind, slug, path in _paths(root, problems):
        place = str(path.relative_to(root))
        component = known.get((kind, slug))
        try:
            if component is None:
                message = f"the domain {domain} has no {kind} {slug!r}: a new one comes with a load"
                raise LibraryInvalid([FileProblem(place, None, message)])
            file = _read(component, path, place)
        except LibraryInvalid as error:
            problems += [FileProblem(place, one.line, one.message) for one in error.problems]
            continue
        if component.current is None or component.current.body_id != file.digest:
            found.append((component, file))
    if problems:
        raise LibraryInvalid(problems)
    return found


def _read(component: Component, path: Path, place: str) -> File[Any]:
    stands = path_of(component)
    if PurePosixPath(stands).name != path.name:
        message = f"the {component.kind} {component.slug} stands in {stands}: keep it there"
        raise LibraryInvalid([FileProblem(place, None, message)])
    return read(component, read_text(path, most_bytes(path.name), place))


def _paths(root: Path, problems: list[FileProblem]) -> Iterator[tuple[Kind, str, Path]]:
    """Kind, slug and path of each component's file."""
    listing = Listing.of(root)
    problems += (
        FileProblem(Path(one.path).name, one.line, one.message) for one in listing.problems
    )
    if (root / CONTRACT).is_file():
        yield "domain", DOMAIN_SLUG, root / CONTRACT
    for name, (kind, _) in FOLDERS.items():
        for path in listing.files[name]:
            yield kind, path.stem, path


def _unpack(archive: zipfile.ZipFile, root: Path) -> None:
    """Write the archive's files below `root`, none elsewhere; raises ProposalInvalid."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST_FILES:
        raise ProposalInvalid(
            f"{len(entries)} files are too many: an archive may have {MOST_FILES}"
        )
    left = MOST_UNPACKED
    for entry in entries:
        if not (parts := _parts(entry, root.name)):
            continue
        with archive.open(entry) as packed:
            # What an archive says of its sizes may be a lie.
            text = packed.read(left + 1)
        left -= len(text)
        if left < 0:
            raise ProposalInvalid(f"unpacked, the archive has more than {MOST_UNPACKED} bytes")
        target = root.joinpath(*parts)
        if target.exists():
            raise ProposalInvalid(f"{entry.filename!r} stands in the archive twice")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)


def _parts(entry: zipfile.ZipInfo, domain: str) -> tuple[str, ...]:
    """Where a file of the archive stands in the domain's folder, nowhere for what is none of ours; raises
    ProposalInvalid where that would be elsewhere."""
    name = PurePosixPath(entry.filename)
    parts = name.parts[1:] if name.parts[:1] == (domain,) else name.parts
    if name.is_absolute() or any(map(_is_odd, name.parts)):
        raise ProposalInvalid(f"{entry.filename!r} leads out of the archive: pack the folder anew")
    if any(part == "__MACOSX" or is_ignored(Path(part)) for part in name.parts):
        return ()
    if entry.flag_bits & 1:
        raise ProposalInvalid(f"{entry.filename!r} is encrypted: pack it without a password")
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        raise ProposalInvalid(f"{entry.filename!r} is no plain file: pack the file itself")
    places: dict[int, Collection[str]] = {1: FILES, 2: FOLDERS}
    if not parts or parts[0] not in places.get(len(parts), ()):
        expected = ", ".join([*FILES, *(f"{folder}/<file>" for folder in FOLDERS)])
        raise ProposalInvalid(
            f"{entry.filename!r} does not belong here: the archive holds {domain}/ with {expected}, or those alone"
        )
    return parts


def _is_odd(part: str) -> bool:
    return part in ("", ".", "..") or "\\" in part or ":" in part or "\x00" in part
