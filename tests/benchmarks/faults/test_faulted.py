"""Faulted domains: one component changed, the environments that use it, pinned as if composed now."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.faulted import Refused, cut_down, planted, users, with_component
from benchmarks.faults.mutation import Original, edited, without
from worlds.folder import DomainFolder
from worlds.library import read
from worlds.servers import Servers


@pytest.fixture(scope="module")
def helpdesk() -> DomainFolder:
    return read(LIBRARY, ["helpdesk"])[0]


@pytest.fixture(scope="module")
def original(helpdesk: DomainFolder) -> Original:
    return Original(helpdesk)


def slot_of(folder: DomainFolder) -> tuple[str, str, dict[str, Any]]:
    """An intent, one of its slots, and its content."""
    intent = folder.intents["hand-over"].body
    return "hand-over", next(iter(intent.slots)), intent.content()


def test_only_the_changed_component_is_another(helpdesk: DomainFolder, original: Original) -> None:
    rule = min(helpdesk.rules)
    document = edited(original.rules[rule], ["text"], original.rules[rule]["text"] + " More.")
    with planted(helpdesk, "rule", rule, document) as changed:
        differ = [
            (one.kind, one.slug)
            for one, other in zip(helpdesk.files(), changed.files(), strict=True)
            if one.digest != other.digest
        ]
    assert differ == [("rule", rule)]


def test_content_that_cannot_be_loaded_is_refused(
    helpdesk: DomainFolder, original: Original
) -> None:
    with pytest.raises(Refused, match="goal"):
        with_component(
            helpdesk, "intent", "hand-over", without(original.intents["hand-over"], ["goal"])
        )


def test_two_rows_of_one_key_are_refused(helpdesk: DomainFolder, original: Original) -> None:
    tables = original.records["desk-small"]["tables"]
    table = min(tables)
    twice = edited(
        original.records["desk-small"], ["tables", table], [*tables[table], tables[table][0]]
    )
    with pytest.raises(Refused, match="have the key"):
        with_component(helpdesk, "records", "desk-small", twice)


def test_only_environments_that_use_a_component_are_its_users(helpdesk: DomainFolder) -> None:
    assert {spec.intent for spec in users(helpdesk, "intent", "hand-over")} == {"hand-over"}
    assert len(users(helpdesk, "domain", "domain")) == len(helpdesk.all_environments())
    assert all("desk" in spec.toolservers for spec in users(helpdesk, "toolserver", "desk"))


def test_a_faulted_library_keeps_a_binding_that_still_fits(helpdesk: DomainFolder) -> None:
    specs = users(helpdesk, "intent", "hand-over")
    made = cut_down(helpdesk, specs)
    assert {slug: pin.binding for slug, pin in made.pins.items()} == {
        spec.slug: helpdesk.pins[spec.slug].binding for spec in specs
    }
    assert set(made.intents) == {"hand-over"}


def test_a_binding_that_no_longer_fits_is_made_anew_and_tells_nothing_of_the_old_one(
    helpdesk: DomainFolder,
) -> None:
    slug, slot, content = slot_of(helpdesk)
    nobody = edited(content, ["slots", slot, "where"], "false")
    specs = users(helpdesk, "intent", slug)
    made = cut_down(with_component(helpdesk, "intent", slug, nobody), specs)
    assert all(pin.binding == {} for pin in made.pins.values())


def test_an_outside_server_runs_from_changed_source_for_a_while() -> None:
    (clinic,) = read(LIBRARY, ["clinic"])
    before = Servers.installed()
    source = Original(clinic).sources["frontdesk/app.py"]
    with planted(clinic, "toolserver", "frontdesk/app.py", f"{source}\n# more\n") as same:
        path = Servers.installed().named("clinic-frontdesk").source_path
        assert path is not None
        assert (path / "app.py").read_text().endswith("# more\n")
        assert same is clinic
    assert Servers.installed() is before
    assert not path.exists()
