"""What checks say of a faulted domain that is alone in the database."""

from __future__ import annotations

import pytest

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.faulted import users, with_component
from benchmarks.faults.verdicts import look
from components.models import Version
from triage.models import Round
from worlds.folder import DomainFolder
from worlds.library import read

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def helpdesk() -> DomainFolder:
    return read(LIBRARY, ["helpdesk"])[0]


def test_of_a_sound_domain_nothing_is_said_and_all_is_checked(helpdesk: DomainFolder) -> None:
    specs = users(helpdesk, "intent", "hand-over")
    looked = look(helpdesk, specs)
    assert (looked.alarms, looked.errors) == ([], [])
    assert looked.checks == len(specs)
    assert looked.calls > looked.episodes > looked.checks


def test_a_fault_is_told_with_its_code_and_the_component_and_no_more_is_checked(
    helpdesk: DomainFolder,
) -> None:
    content = helpdesk.intents["hand-over"].body.content()
    empty = content | {"slots": {**content["slots"]}}
    slot = next(iter(empty["slots"]))
    empty["slots"][slot] = empty["slots"][slot] | {"where": "false"}
    changed = with_component(helpdesk, "intent", "hand-over", empty)
    specs = users(helpdesk, "intent", "hand-over")
    looked = look(changed, specs)
    assert "slot-unbound blocking intent/hand-over" in looked.alarms
    assert looked.checks == 1 < len(specs)


def test_everything_is_loaded_as_its_first_version_into_an_empty_home(
    helpdesk: DomainFolder,
) -> None:
    specs = users(helpdesk, "intent", "hand-over")[:1]
    look(helpdesk, specs)
    look(helpdesk, specs)
    assert set(Version.objects.values_list("number", flat=True)) == {1}
    assert Round.objects.count() == 1
