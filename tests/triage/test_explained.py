"""How much of what is broken the biggest faults explain."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from components.models import Environment
from tests.triage.seen import by_fingerprint, seen
from tests.triage.shop import Shop
from tests.triage.suspects import strays
from tests.triage.test_counterexamples import checked
from triage import faults
from triage.counterexamples import make
from triage.explained import Explained, explained
from triage.faultcare import archive
from triage.labelling import label
from triage.models import Fault, Finding

SHOWS = {
    "a": ["write"],
    "b": ["write"],
    "c": ["write", "look"],
    "d": ["look", "ponder"],
    "e": ["ponder"],
    "f": [],
}


@pytest.fixture(autouse=True)
def grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "causes", by_fingerprint())


def told() -> Explained:
    return explained(Environment.objects.all(), Fault.objects.all(), (1, 2, 3))


def test_an_environment_is_explained_when_all_that_breaks_it_is(shop: Shop) -> None:
    faults.gather(seen(shop, SHOWS))
    assert told() == Explained(5, {1: 2, 2: 3, 3: 5})
    assert told().shares == {1: 0.4, 2: 0.6, 3: 1.0}


def test_without_anything_broken_there_is_no_share(shop: Shop) -> None:
    faults.gather(seen(shop, {"f": []}))
    assert told().shares == {1: None, 2: None, 3: None}


def test_what_is_not_gathered_yet_is_not_explained(shop: Shop) -> None:
    seen(shop, SHOWS)
    assert told() == Explained(5, {1: 0, 2: 0, 3: 0})


def test_faults_that_are_not_open_explain_nothing(shop: Shop) -> None:
    faults.gather(seen(shop, SHOWS))
    archive(None, Fault.objects.get(symptoms__symbol="look"), "not ours")
    assert told() == Explained(5, {1: 2, 2: 3, 3: 3})


def test_only_blocking_findings_that_count_are_to_be_explained(shop: Shop, reviewer: User) -> None:
    faults.gather(seen(shop, SHOWS))
    found = Finding.objects.filter(symbol="look").first()
    assert found is not None
    label(reviewer, found, is_right=False, reason="on purpose")
    assert told().by_top[1] == 3


def test_faults_that_only_warn_come_last(shop: Shop) -> None:
    faults.gather(seen(shop, {"a": ["write"], "b": ["ponder"], "c": ["ponder"]}))
    Fault.objects.filter(symptoms__symbol="ponder").update(is_blocking=False)
    assert told().by_top == {1: 1, 2: 3, 3: 3}


def test_what_a_persons_counterexample_breaks_no_fault_explains(shop: Shop, reviewer: User) -> None:
    shop.lenient("a")
    made = checked()
    faults.gather(made)
    make(reviewer, strays(made.checks.get()), 0, "it wrote elsewhere")
    assert told().by_top == {1: 0, 2: 0, 3: 0}
    assert told().broken == 1


def test_it_costs_as_many_queries_whatever_the_size(shop: Shop) -> None:
    faults.gather(seen(shop, SHOWS))
    told()
    with CaptureQueriesContext(connection) as few:
        told()
    faults.gather(seen(shop, {f"g{number}": ["write", "look"] for number in range(10)}))
    with CaptureQueriesContext(connection) as many:
        told()
    assert len(few) == len(many) == 8
