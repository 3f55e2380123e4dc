"""A faulted domain in a home that remembers results."""

from __future__ import annotations

import pytest

from benchmarks.attribution import faults
from benchmarks.faults import weighing
from benchmarks.faults.attributed import Bench
from benchmarks.faults.faulted import users
from benchmarks.faults.planting import Fault
from benchmarks.faults.scene import MOST, checked, forget
from components.models import Domain, Version
from triage.models import Check, Episode, Finding, Result

FEW = 4


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench("development", "helpdesk")


def fault_of(bench: Bench, name: str) -> Fault:
    row = next(row for row in faults("development") if row["name"] == name)
    return bench.planter.fault(row["name"], row["place"])


def test_of_a_shared_component_most_users_are_drawn_and_all_that_do_not_use_it(
    bench: Bench,
) -> None:
    fault = fault_of(bench, "write-doubled")
    ((kind, slug),) = fault.culprits
    using = {spec.slug for spec in users(bench.planter.folder, kind, slug)}
    drawn = {spec.slug for spec in bench.drawn(fault)}
    everything = {spec.slug for spec in bench.planter.folder.all_environments()}
    assert len(drawn & using) == MOST
    assert drawn - using == everything - using
    assert bench.drawn(fault) == bench.drawn(fault)


def test_of_an_intent_all_environments_are_drawn(bench: Bench) -> None:
    fault = fault_of(bench, "goal-vacuous")
    ((kind, slug),) = fault.culprits
    using = {spec.slug for spec in users(bench.planter.folder, kind, slug)}
    assert using <= {spec.slug for spec in bench.drawn(fault)}


@pytest.mark.django_db(transaction=True)
def test_what_was_checked_is_known_after_another_planting_and_points_at_todays_components(
    bench: Bench,
) -> None:
    fault = fault_of(bench, "goal-vacuous")
    specs = bench.drawn(fault)[:FEW]
    with bench.staged([fault], specs) as made:
        first = weighing.failing(made)
        assert first
    forget()
    assert not Domain.objects.exists()
    assert Result.objects.exists()
    assert Episode.objects.exists()
    with bench.staged([fault], specs) as made:
        assert weighing.failing(made) == first
        assert set(Check.objects.values_list("was_known", flat=True)) == {True}
        found = Finding.objects.filter(result__checks__round=made)
        blamed = [(row.component, row.version) for row in found if row.kind]
    assert blamed
    for component, version in blamed:
        assert component is not None
        assert component.current == version


@pytest.mark.django_db(transaction=True)
def test_with_a_parent_the_fault_is_the_second_version_and_shows_the_same(bench: Bench) -> None:
    fault = fault_of(bench, "goal-vacuous")
    specs = bench.drawn(fault)[:FEW]
    with bench.staged([fault], specs) as made:
        alone = weighing.failing(made)
    with bench.staged([fault], specs, has_parent=True) as made:
        assert weighing.failing(made) == alone
        assert set(Check.objects.values_list("was_known", flat=True)) == {True}
        second = Version.objects.filter(number=2).values_list("component__kind", "component__slug")
        assert list(second) == list(fault.culprits)


@pytest.mark.django_db(transaction=True)
def test_in_a_sound_domain_nothing_fails(bench: Bench) -> None:
    forget()
    fault = fault_of(bench, "goal-vacuous")
    bench.scene.load(bench.planter.folder, fault.culprits, bench.drawn(fault)[:FEW])
    made = checked()
    assert weighing.failing(made) == weighing.errors(made) == []
