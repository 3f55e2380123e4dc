"""What was loaded of the library is dumped as it stands in the folder, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.dump import dump
from components.load import load
from components.models import Domain
from tests.library.workplace import DOMAINS, LIBRARY
from worlds.library import read, write


def files(folder: Path) -> dict[str, bytes]:
    """The files of a domain's folder by their place in it, those apart that people alone look at."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "README.md" and "__pycache__" not in path.parts
        if not (path.parent.name == "records" and path.suffix == ".py")
    }


@pytest.mark.django_db
@pytest.mark.parametrize("domain", DOMAINS)
def test_a_dump_of_what_was_loaded_is_the_folder(domain: str, tmp_path: Path) -> None:
    load(read(LIBRARY, [domain]), None, source="library")
    written = write(dump(Domain.objects.get(slug=domain)), tmp_path)
    assert files(written) == files(LIBRARY / domain)
