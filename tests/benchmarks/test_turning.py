"""The handle turned on a small shop whose tool server came to forget what it is told."""

from __future__ import annotations

import pytest

from benchmarks.turning import Handle, automatically, is_due, overriding
from components.models import Component
from tests.triage.shop import Shop
from tests.triage.test_attribution import gathered
from tests.triage.trying import FORGETS
from triage import repairing
from triage.models import Fault, Proposal, Trial

MANY = 4
SECONDS = 20.0


@pytest.fixture
def shop(db: None) -> Shop:
    """A domain `notes` without environments."""
    return Shop()


@pytest.fixture
def forgetful(shop: Shop) -> Shop:
    """A shop whose pen saved what it wrote, and does so no longer."""
    for number in range(MANY):
        shop.sound(f"task-{number}")
    gathered()
    shop.component("pen", FORGETS)
    return shop


def handle() -> Handle:
    return Handle("demo", ["notes"], automatically, SECONDS, queue=False)


def test_what_an_approval_mends_is_solvable_in_the_next_round_and_nothing_is_run_twice(
    forgetful: Shop,
) -> None:
    said = handle().turned()
    assert said.solvability == [0.0, 1.0]
    first, second = said.rounds
    assert (first["faults"], first["searched"], first["proposed"], first["approved"]) == (
        1,
        1,
        1,
        1,
    )
    assert (second["faults"], second["approved"]) == (0, 0)
    assert (second["tried_before"], second["tried_run_again"]) == (MANY, 0)
    assert len(said.seconds_trials) == 1


def test_an_approval_is_told_with_what_it_moved_and_what_defends_it(forgetful: Shop) -> None:
    (said,) = handle().turned().approvals
    assert (said["of"], said["after_round"], said["domain"]) == ("demo", 1, "notes")
    assert (said["fixed"], said["broken"], said["other"], said["shared"]) == (MANY, 0, 0, 0)
    assert [name.rpartition("/")[2] for name in said["components"]] == ["pen"]
    assert said["defended_by"]


def test_nothing_is_approved_in_a_sound_shop_and_one_round_is_enough(shop: Shop) -> None:
    shop.sound("a")
    said = handle().turned()
    assert (said.solvability, said.approvals) == ([1.0], [])


def test_what_is_given_is_approved_with_an_override_alone(forgetful: Shop) -> None:
    Handle("demo", ["notes"], lambda _: [], SECONDS, queue=False).turned()
    Component.objects.filter(slug="pen").update(about={"authority": "given"})
    faults = list(Fault.objects.open())
    assert automatically(faults) == []
    (approved,) = overriding(faults)
    assert Proposal.objects.get(state="approved") == approved
    assert Proposal.objects.get(pk=approved.pk).override.startswith("On a copy of the published")


def test_what_breaks_or_weakens_anything_is_not_approved_by_an_override(forgetful: Shop) -> None:
    Handle("demo", ["notes"], lambda _: [], SECONDS, queue=False).turned()
    for name, value in (("regressed", 1), ("weakens", True)):
        trial = Trial.objects.get()
        report = {**trial.report}
        Trial.objects.update(report=report | {name: value})
        assert overriding(Fault.objects.open()) == []
        Trial.objects.update(report=report)


def test_a_fault_is_searched_again_only_where_a_suspect_says_something_else(
    forgetful: Shop,
) -> None:
    gathered()
    fault = Fault.objects.get()
    assert is_due(fault)
    repairing.run_inline(repairing.repair(None, fault, seconds=1e-6, queue=False))
    assert not is_due(fault)
    forgetful.component("pen", FORGETS)
    assert is_due(fault)
