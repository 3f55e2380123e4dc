"""Changes by name, planted alone and together."""

from __future__ import annotations

import pytest

from benchmarks.attribution import faults
from benchmarks.faults.planting import Fault, Planter, go_together
from benchmarks.faults.split import read_split
from tests.benchmarks.faults.test_split import opened


@pytest.fixture(scope="module")
def planter() -> Planter:
    return Planter("development", "helpdesk")


def changed(planter: Planter, *chosen: Fault) -> list[str]:
    """The components that are others than before."""
    with planter.planted(chosen) as folder:
        pairs = zip(planter.folder.files(), folder.files(), strict=True)
        return sorted(
            f"{one.kind}/{one.slug}" for one, other in pairs if one.digest != other.digest
        )


def named(planter: Planter, name: str) -> Fault:
    """The first detected fault of an operator, or of the catalogue."""
    row = next(row for row in faults("development") if row["name"] == name)
    return planter.fault(row["name"], row["place"])


def test_every_detected_fault_of_a_domain_can_be_named(planter: Planter) -> None:
    mine = [row for row in faults("development") if row["domain"] == "helpdesk"]
    found = [planter.fault(row["name"], row["place"]) for row in mine]
    assert len(found) > 40
    assert all(fault.culprits and fault.files for fault in found)


def test_a_change_that_is_not_there_is_told(planter: Planter) -> None:
    with pytest.raises(KeyError, match="write-doubled is not planted at 'nowhere' in helpdesk"):
        planter.fault("write-doubled", "nowhere")


def test_an_operators_fault_changes_the_component_that_it_names(planter: Planter) -> None:
    fault = named(planter, "write-doubled")
    assert changed(planter, fault) == fault.names == ["toolserver/portal"]


def test_a_fault_of_the_catalogue_and_one_of_an_operator_are_planted_together(
    planter: Planter,
) -> None:
    written, mutated = (
        named(planter, "rule-vip-exception-left-out"),
        named(planter, "goal-vacuous"),
    )
    assert go_together(written, mutated)
    assert changed(planter, written, mutated) == sorted([*written.names, *mutated.names])


def test_two_that_write_the_same_component_do_not_go_together(planter: Planter) -> None:
    mutated, written = (
        named(planter, "clause-negated"),
        named(planter, "rule-own-queue-after-the-move"),
    )
    assert mutated.files == written.files == {"rule/acting"}
    assert not go_together(mutated, written)
    assert go_together(written, written)


PLANT = """
from benchmarks.attribution import faults
from benchmarks.faults.planting import Planter

planter = Planter("{half}", "{domain}")
row = next(row for row in faults("{half}") if row["domain"] == "{domain}")
with planter.planted([planter.fault(row["name"], row["place"])]):
    pass
"""


def test_work_on_development_opens_no_held_out_file() -> None:
    split = read_split()
    files = opened(PLANT.format(half="development", domain="helpdesk"))
    assert files & set(split.development.files())
    assert not files & set(split.heldout.files())
