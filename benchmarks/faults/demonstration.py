"""The library as generated ones arrive: with faults of the catalogue planted in it, named in `demo.yaml`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from benchmarks.faults.catalogue import plant, read_catalogue
from worlds.counted import counted
from worlds.folder import DomainFolder
from worlds.library import read
from worlds.source import read_text, read_yaml

SELECTION = Path(__file__).parents[1] / "demo.yaml"


def selection(path: Path = SELECTION) -> dict[str, list[str]]:
    """Domain → names of the faults that are planted for demonstration."""
    found: dict[str, list[str]] = read_yaml(read_text(path, 100_000, str(path)), str(path)).value
    return found


def demonstration(domains: Iterable[str]) -> list[DomainFolder]:
    """Domains of the library with the selected faults planted. They have no pins, as what was just generated has none,
    and each says of itself what it is. Raises LibraryInvalid when a fault can no longer be planted."""
    return [_planted(domain, selection().get(domain, [])) for domain in domains]


def _planted(domain: str, names: list[str]) -> DomainFolder:
    catalogue = read_catalogue(domain)
    with tempfile.TemporaryDirectory(prefix="envcurate-demo-") as target:
        outside = plant(domain, [catalogue[name] for name in names], Path(target))
        assert not outside, "a demonstration changes no program outside"  # noqa: S101
        folder = read(target, [domain])[0]
    said = f"For demonstration: {counted(len(names), 'fault')} planted here on purpose."
    contract = replace(folder.domain, about={**folder.domain.about, "notes": said})
    return replace(folder, domain=contract, pins={}) if names else folder
