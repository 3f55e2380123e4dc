"""`python -m worlds pin DIR`: fix which rows environments speak of, and the effects of their plans, in pins.json."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from agents.pinning import pin
from worlds.bundle import Pin
from worlds.commands.chosen import Chosen
from worlds.counted import counted
from worlds.folder import DomainFolder
from worlds.library import LibraryInvalid, read
from worlds.librarywriter import PINS, write_pins
from worlds.source import OrphanPins


def run(options: argparse.Namespace, chosen: Sequence[Chosen]) -> int:
    """Pin what has no pin yet, with --anew all that was chosen. Exit status 1 where a slot finds no row: such an
    environment stays without a pin."""
    is_whole = True
    for each in chosen:
        made, unbound = pinned(each, anew=options.anew)
        path = _folder(options.folder, each.folder.slug)
        try:
            pins, changed = merged(path, made)
        except OSError as error:
            print(f"{path}: pins cannot be written: {error.strerror}", file=sys.stderr)
            return 2
        for name, slots in unbound.items():
            print(f"{name}: not pinned: no row fits {', '.join(slots)}", file=sys.stderr)
            is_whole = False
        print(f"{each.folder.slug}: {counted(len(pins), 'pin')}, {changed} of them new or changed")
    return int(not is_whole)


def read_without_orphans(path: Path, domains: Collection[str] | None) -> list[DomainFolder]:
    """The folders; where nothing is wrong with them but pins of environments that are no more, those are taken out
    of the files first. Raises LibraryInvalid for anything else."""
    try:
        return read(path, domains)
    except LibraryInvalid as invalid:
        orphans = [each for each in invalid.problems if isinstance(each, OrphanPins)]
        if len(orphans) < len(invalid.problems):
            raise
    for each in orphans:
        file = Path(each.path)
        merged(file.parent, dict.fromkeys(each.slugs))
        print(
            f"{file}: {counted(len(each.slugs), 'pin')} of environments that are no more taken out"
        )
    return read(path, domains)


def pinned(chosen: Chosen, *, anew: bool) -> tuple[dict[str, Pin | None], dict[str, list[str]]]:
    """The pins that are made now, None where there can be none, and the slots by environment that no row fits."""
    folder = chosen.folder
    pins: dict[str, Pin | None] = {}
    unbound = {}
    for spec in chosen.specs:
        if spec.slug in folder.pins and not anew:
            continue
        bundle = folder.bundle(spec)
        made = pin(bundle)
        slots = [slot for slot in bundle.intent.slots if slot not in made.binding]
        if slots:
            unbound[chosen.name(spec)] = slots
            pins[spec.slug] = None
        else:
            pins[spec.slug] = made
    return pins, unbound


def merged(path: Path, made: Mapping[str, Pin | None]) -> tuple[dict[str, Pin], int]:
    """Put what was made into the pins of the domain's folder at `path`: all pins then, and how many are new.

    Pins are made for minutes, and another call may write some meanwhile: they stay. Raises OSError.
    """
    with _locked(path):
        file = path / PINS
        found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        before = {slug: Pin.model_validate(value) for slug, value in found.items()}
        pins = {slug: new for slug, new in {**before, **made}.items() if new is not None}
        if pins or before:
            write_pins(pins, path)
    return pins, sum(before.get(slug) != new for slug, new in pins.items())


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """The folder itself is locked, so that no file is left over; closing it unlocks."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _folder(given: str, domain: str) -> Path:
    """The domain's own folder, whether it or the library was named."""
    path = Path(given)
    return path if (path / "domain.yaml").exists() else path / domain
