"""The two halves of the fault benchmark, as `split.yaml` names them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from worlds.body import Part
from worlds.mistakes import parsed
from worlds.source import read_text, read_yaml

SPLIT = Path(__file__).parents[1] / "split.yaml"
ROOT = Path(__file__).parents[2]

HalfName = Literal["development", "heldout"]
HALVES: tuple[HalfName, ...] = ("development", "heldout")


class Half(Part):
    """One half: its operators are applied in its domains, and nowhere else."""

    domains: list[str]
    operators: str
    """The folder of its operators."""

    def files(self) -> Iterator[Path]:
        """All files that belong to this half alone: operators, answer keys, sequences of calls, catalogue. The
        library itself is everybody's."""
        folders = [ROOT / self.operators]
        for domain in self.domains:
            folders += [ROOT / "benchmarks" / name / domain for name in ("keys", "catalogue")]
            yield ROOT / "benchmarks" / "sequences" / f"{domain}.json"
        for folder in folders:
            yield from (path for path in sorted(folder.rglob("*")) if path.is_file())


class Split(Part):
    """Both halves."""

    development: Half
    heldout: Half

    def half(self, name: HalfName) -> Half:
        """A half by name."""
        return self.development if name == "development" else self.heldout


def read_split(path: Path = SPLIT) -> Split:
    """The split. Raises LibraryInvalid, with file and line."""
    return parsed(Split, read_yaml(read_text(path, 100_000, str(path)), str(path)), str(path))
