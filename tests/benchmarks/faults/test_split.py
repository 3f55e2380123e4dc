"""Development and held-out halves: apart from each other, and the held-out one out of reach of development."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.faults.mutation import operators
from benchmarks.faults.split import ROOT, SPLIT, read_split
from tests.library.workplace import DOMAINS
from worlds.source import LibraryInvalid

WATCHED = """
import json, sys

opened = set()

def note(event, args):
    if event == "open" and isinstance(args[0], str):
        opened.add(args[0])

sys.addaudithook(note)
{work}
print(json.dumps(sorted(opened)))
"""

PLANT = """
from benchmarks.detection import changes
from benchmarks.faults.faulted import planted
from benchmarks.faults.harm import Sound, all_harms
from benchmarks.faults.mutation import Original, operators
from worlds.library import read
from benchmarks.faults.answerkeys import LIBRARY

half = "{half}"
change = next(each for each in changes(half) if each.kind == "intent" and each.site == 0)
folder = read(LIBRARY, [change.domain])[0]
site = operators(half)[change.name].drawn(Original(folder))[0]
sound = Sound(folder)
with planted(folder, change.kind, site.component, site.changed()) as changed:
    specs = sound.concerned([(change.kind, site.component)])
    list(all_harms(sound, changed, [(change.kind, site.component)], specs))
"""

CHECK = """
from agents import panel
from agents.search import prove
from worlds.check import check
from worlds.library import read

folder = read("library", ["helpdesk"])[0]
check(folder.bundle(folder.all_environments()[0]), panel(), prove)
"""


def opened(work: str) -> set[Path]:
    """The files that a piece of work opens, in a process of its own."""
    command = [sys.executable, "-B", "-c", WATCHED.format(work=work)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {(ROOT / name).resolve() for name in json.loads(done.stdout.splitlines()[-1])}


def measuring() -> set[Path]:
    """The files of both halves."""
    split = read_split()
    return {*split.development.files(), *split.heldout.files()}


def test_every_domain_is_in_one_half() -> None:
    split = read_split()
    assert sorted([*split.development.domains, *split.heldout.domains]) == DOMAINS


def test_no_operator_is_in_both_halves() -> None:
    assert not operators("development").keys() & operators("heldout").keys()


def test_each_half_names_operators_keys_sequences_and_catalogue_that_are_there() -> None:
    split = read_split()
    for half in (split.development, split.heldout):
        kinds = {path.relative_to(ROOT / "benchmarks").parts[0] for path in half.files()}
        assert kinds == {"operators", "keys", "sequences", "catalogue"}
        assert all(path.is_file() for path in half.files())


def test_work_on_development_opens_no_held_out_file() -> None:
    files = opened(PLANT.format(half="development"))
    split = read_split()
    assert files & set(split.development.files())
    assert not files & set(split.heldout.files())


def test_a_held_out_file_that_is_opened_would_be_seen() -> None:
    assert opened(PLANT.format(half="heldout")) & set(read_split().heldout.files())


def test_a_check_opens_nothing_that_measures_it() -> None:
    assert not opened(CHECK) & measuring()


@pytest.mark.parametrize("package", ["worlds", "agents", "components", "triage"])
def test_no_code_that_is_measured_names_what_measures_it(package: str) -> None:
    words = (
        "benchmarks/keys",
        "benchmarks.faults.answerkeys",
        "benchmarks/catalogue",
        "operators.heldout",
    )
    for path in sorted((ROOT / package).rglob("*.py")):
        assert not [word for word in words if word in path.read_text()], path


def test_development_operators_do_not_import_held_out_ones() -> None:
    for path in sorted((ROOT / read_split().development.operators).rglob("*.py")):
        assert "heldout" not in path.read_text(), path


def test_a_split_with_an_unknown_half_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "split.yaml"
    path.write_text(SPLIT.read_text() + "third: {domains: [], operators: x}\n")
    with pytest.raises(LibraryInvalid, match="third"):
        read_split(path)
