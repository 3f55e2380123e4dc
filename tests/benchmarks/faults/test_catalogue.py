"""The catalogue of faults written by hand: each can be planted, and blames components that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.catalogue import (
    CatalogueFault,
    Edit,
    faulted,
    plant,
    read_catalogue,
    replaced,
)
from tests.library.workplace import DOMAINS
from worlds.library import LibraryInvalid, read
from worlds.servers import Servers

FAULTS = [(domain, name) for domain in DOMAINS for name in read_catalogue(domain)]


def test_there_are_enough_of_every_kind_and_some_need_two_repairs() -> None:
    faults = [read_catalogue(domain)[name] for domain, name in FAULTS]
    assert len(faults) >= 48
    kinds = {kind for fault in faults for kind, _ in fault.components()}
    assert kinds == {"intent", "rule", "records", "toolserver", "domain"}
    assert sum(len(fault.culprits) > 1 for fault in faults) >= 5


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_fault_can_be_planted_and_blames_what_it_changes(domain: str) -> None:
    (sound,) = read(LIBRARY, [domain])
    before = {(file.kind, file.slug): file.digest for file in sound.files()}
    for name, fault in read_catalogue(domain).items():
        with faulted(domain, [fault]) as folder:
            after = {(file.kind, file.slug): file.digest for file in folder.files()}
        changed = {key for key in before if before[key] != after[key]}
        outside = {
            ("toolserver", edit.file.split("/")[1])
            for edit in fault.edits
            if edit.file.count("/") > 1
        }
        assert {*changed, *outside} == set(fault.components()), name
        assert fault.says.endswith("."), name


def test_a_planted_source_is_gone_afterwards() -> None:
    name, fault = next(
        (name, fault)
        for name, fault in read_catalogue("clinic").items()
        if any(edit.file.count("/") > 1 for edit in fault.edits)
    )
    before = Servers.installed().named("clinic-frontdesk").identity
    with faulted("clinic", [fault]):
        assert Servers.installed().named("clinic-frontdesk").identity != before, name
    assert Servers.installed().named("clinic-frontdesk").identity == before


def test_a_text_that_stands_twice_in_its_file_is_refused() -> None:
    with pytest.raises(LibraryInvalid, match="stands in it 2 times, not once: 'ab'"):
        replaced("ab ab", Edit(file="rules/x.yaml", old="ab", new="c"))


def test_nothing_of_the_library_itself_is_changed(tmp_path: Path) -> None:
    fault = read_catalogue("helpdesk")
    before = {path: path.read_bytes() for path in (LIBRARY / "helpdesk").rglob("*.yaml")}
    plant("helpdesk", list(fault.values())[:1], tmp_path)
    assert {path: path.read_bytes() for path in (LIBRARY / "helpdesk").rglob("*.yaml")} == before


def test_a_fault_in_a_file_that_is_not_there_is_refused() -> None:
    edit = Edit(file="toolservers/frontdesk/nowhere.py", old="a", new="b")
    fault = CatalogueFault(says="x.", culprits=["toolserver/frontdesk"], edits=[edit])
    with pytest.raises(LibraryInvalid, match="there is no such file"), faulted("clinic", [fault]):
        pass
