"""`python -m worlds pin DIR`: fix which rows environments speak of, and the effects of their plans, in pins.json."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from agents.pinning import pin
from worlds.bundle import Pin
from worlds.commands.chosen import Chosen
from worlds.counted import counted
from worlds.folder import DomainFolder
from worlds.library import LibraryInvalid, read
from worlds.librarywriter import write_pins
from worlds.source import OrphanPins


def run(options: argparse.Namespace, chosen: Sequence[Chosen]) -> int:
    """Pin what has no pin yet, with --anew all that was chosen. Exit status 1 where a slot finds no row: such an
    environment stays without a pin."""
    is_whole = True
    for each in chosen:
        pins, unbound = pinned(each, anew=options.anew)
        changed = sum(each.folder.pins.get(slug) != new for slug, new in pins.items())
        write_pins(pins, _folder(options.folder, each.folder.slug))
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
        file, gone = Path(each.path), each.slugs
        pins = json.loads(file.read_text(encoding="utf-8"))
        kept = {slug: Pin.model_validate(value) for slug, value in pins.items() if slug not in gone}
        write_pins(kept, file.parent)
        print(f"{file}: {counted(len(gone), 'pin')} of environments that are no more taken out")
    return read(path, domains)


def pinned(chosen: Chosen, *, anew: bool) -> tuple[dict[str, Pin], dict[str, list[str]]]:
    """All pins of a folder with those that are made now, and the slots by environment that no row fits."""
    folder = chosen.folder
    pins = dict(folder.pins)
    unbound = {}
    for spec in chosen.specs:
        if spec.slug in pins and not anew:
            continue
        bundle = folder.bundle(spec)
        made = pin(bundle)
        slots = [slot for slot in bundle.intent.slots if slot not in made.binding]
        if slots:
            unbound[chosen.name(spec)] = slots
            pins.pop(spec.slug, None)
        else:
            pins[spec.slug] = made
    return pins, unbound


def _folder(given: str, domain: str) -> Path:
    """The domain's own folder, whether it or the library was named."""
    path = Path(given)
    return path if (path / "domain.yaml").exists() else path / domain
