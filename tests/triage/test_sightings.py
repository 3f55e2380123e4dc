"""Where faults show."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests.triage.seen import by_fingerprint, seen
from tests.triage.shop import Shop
from triage import faults
from triage.labelling import label
from triage.models import Fault, Finding, Round
from triage.sightings import counting, environments_by_fault, showing


@pytest.fixture(autouse=True)
def grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "causes", by_fingerprint())


def gathered(shop: Shop, **shows: list[str]) -> Round:
    made = seen(shop, shows)
    faults.gather(made)
    return made


def test_a_fault_shows_where_the_newest_check_has_it(shop: Shop) -> None:
    first = gathered(shop, b=["write"], a=["write"])
    gathered(shop, b=[])
    (fault,) = Fault.objects.all()
    assert environments_by_fault(showing()) == {fault.pk: ["a"]}
    assert environments_by_fault(showing(first.pk)) == {fault.pk: ["a", "b"]}


def test_rounds_that_are_not_gathered_say_nothing_but_the_one_named(shop: Shop) -> None:
    gathered(shop, a=["write"])
    made = seen(shop, {"a": []})
    assert showing().count() == 1
    assert showing(besides=made).count() == 0


def test_what_was_dismissed_since_does_not_count(shop: Shop, reviewer: User) -> None:
    gathered(shop, a=["write", "look"])
    found = Finding.objects.get(symbol="write")
    label(reviewer, found, is_right=False, reason="on purpose")
    write, look = Fault.objects.order_by("-symptoms__symbol")
    assert showing().count() == 2
    assert environments_by_fault(counting(showing())) == {look.pk: ["a"]}
    label(reviewer, found, is_right=True)
    assert set(environments_by_fault(counting(showing()))) == {write.pk, look.pk}
