"""The library as generated ones arrive."""

from __future__ import annotations

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.catalogue import read_catalogue
from benchmarks.faults.demonstration import demonstration, selection
from worlds.library import read


def test_every_selected_fault_is_in_the_catalogue_and_changes_no_outside_server() -> None:
    for domain, names in selection().items():
        catalogue = read_catalogue(domain)
        for name in names:
            assert all(edit.file.count("/") == 1 for edit in catalogue[name].edits), name


def test_components_that_are_blamed_differ_from_the_sound_ones_and_no_others() -> None:
    (sound,), (faulted,) = read(LIBRARY, ["warehouse"]), demonstration(["warehouse"])
    catalogue = read_catalogue("warehouse")
    differing = {
        (one.kind, one.slug)
        for one, other in zip(sound.files(), faulted.files(), strict=True)
        if one.digest != other.digest
    }
    blamed = {each for name in selection()["warehouse"] for each in catalogue[name].components()}
    assert differing == blamed
    assert faulted.pins == {}
    assert faulted.domain.about["notes"] == "For demonstration: 3 faults planted here on purpose."


def test_a_domain_without_a_fault_is_as_it_is() -> None:
    (sound,), (same,) = read(LIBRARY, ["clinic"]), demonstration(["clinic"])
    assert same.pins == sound.pins
    assert same.domain.about == sound.domain.about
