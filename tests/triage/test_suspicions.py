"""Suspicious passes as rows: kept once, clustered, read by people."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from pytest_django.fixtures import DjangoAssertNumQueries

from components.models import AuditEntry
from tests.triage.shop import Shop
from tests.triage.suspects import spoilt, strays, suspected
from tests.triage.test_counterexamples import blocking, checked
from triage.counterexamples import make
from triage.models import Check, Counterexample, Result, Suspicion
from triage.suspicions import SuspicionInvalid, clusters, label, scan


def test_a_check_keeps_what_is_suspicious_about_its_passes(shop: Shop) -> None:
    made = spoilt(shop)
    shop.sound("a")
    checked()
    found = Suspicion.objects.all()
    assert {(one.environment, one.kind) for one in found} == {(made, "weaker-agent")}
    assert "noop" in {one.episode.agent.name for one in found}
    assert {one.component.slug for one in found} == {"spoilt"}
    assert len({one.fingerprint for one in found}) == len({one.episode.agent for one in found})
    checked()
    assert Suspicion.objects.count() == len(found)


def test_stored_results_can_be_looked_at_in_bulk_and_again(shop: Shop) -> None:
    first, second = suspected(shop, "a", "b")
    assert (first.kind, first.explanation) == ("other-effect", "Only it changed notes/N2#text.")
    assert first.fingerprint != second.fingerprint  # of two intents
    assert scan(Result.objects.all()) == 2
    assert Suspicion.objects.count() == 2
    assert scan(Result.objects.none()) == 0


def test_those_of_one_kind_agent_and_intent_are_one_cluster(shop: Shop) -> None:
    suspected(shop, "a")
    check = Check.objects.select_related("environment", "result").get()
    strays(check, attempt=1)
    scan(Result.objects.all())
    (found,) = clusters(Suspicion.objects.all())
    assert (found["episodes"], found["environments"], found["unread"]) == (2, 1, 2)
    assert (found["kind"], found["episode__agent__name"]) == ("other-effect", "llm")


def test_a_wrong_pass_becomes_a_counterexample_that_blocks(shop: Shop, reviewer: User) -> None:
    (row,) = suspected(shop, "a")
    label(reviewer, row, "wrong", "it wrote to a note that is not its own")
    assert (row.reading, row.by) == ("wrong", reviewer)
    made = row.counterexample
    assert made is not None
    assert (made.should, made.label, made.name, made.author) == (0, "person", "llm", reviewer)
    assert made.reason == "it wrote to a note that is not its own"
    assert blocking() == [made]
    label(reviewer, row, "right")
    made.refresh_from_db()
    assert made.retired is not None
    assert made.retired_because == "the pass was read again: right"
    assert (row.reading, row.counterexample) == ("right", None)
    label(reviewer, row, "wrong")
    again = Counterexample.objects.get()
    assert (again.retired, again.reason) == (None, row.explanation)
    label(reviewer, row, "")
    unread = Suspicion.objects.get()
    assert (unread.reading, unread.by, unread.at, unread.counterexample) == ("", None, None, None)
    assert not Counterexample.objects.kept().exists()
    said = AuditEntry.objects.filter(action="suspicion.label").order_by("pk")
    assert [one.detail["reading"] for one in said] == ["wrong", "right", "wrong", ""]


def test_what_was_doubted_before_is_not_kept_twice(shop: Shop) -> None:
    (row,) = suspected(shop, "a")
    made = make(None, row.episode, 0, "I saw it first")
    label(None, row, "wrong")
    assert row.counterexample == made
    assert Counterexample.objects.count() == 1


def test_every_reason_to_doubt_a_pass_gets_the_same_word(shop: Shop) -> None:
    (row,) = suspected(shop, "a")
    fields = ("episode", "result", "environment", "component")
    other = Suspicion.objects.create(
        **{name: getattr(row, name) for name in fields},
        kind="around-guard",
        explanation="x",
        fingerprint="f",
    )
    label(None, row, "wrong")
    other.refresh_from_db()
    assert (other.reading, other.counterexample) == ("wrong", row.counterexample)


def test_only_right_and_wrong_are_words_for_it(shop: Shop, viewer: User) -> None:
    (row,) = suspected(shop, "a")
    with pytest.raises(SuspicionInvalid, match="right or wrong, not 'maybe'"):
        label(None, row, "maybe")
    with pytest.raises(PermissionDenied):
        label(viewer, row, "wrong")
    assert row.reading == ""
    assert not Counterexample.objects.exists()


def test_a_pass_whose_intent_left_the_library_cannot_be_called_wrong(shop: Shop) -> None:
    (row,) = suspected(shop, "a")
    check = Check.objects.get()
    check.manifest["intent"]["slug"] = "gone"
    check.save()
    with pytest.raises(SuspicionInvalid, match="the intent gone is not in the library"):
        label(None, row, "wrong")
    assert Suspicion.objects.get().reading == ""


def test_who_may_not_see_the_domain_sees_none(shop: Shop, viewer: User) -> None:
    suspected(shop, "a")
    assert Suspicion.objects.visible_to(viewer).count() == 1
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert not Suspicion.objects.visible_to(viewer).exists()


def test_an_intent_that_left_the_library_is_no_trouble(shop: Shop) -> None:
    spoilt(shop)
    made = checked()
    Suspicion.objects.all().delete()
    check = made.checks.get()
    check.manifest["intent"]["slug"] = "gone"
    check.save()
    assert scan(Result.objects.all()) == 1
    assert not Suspicion.objects.exists()


def test_a_scan_costs_as_many_queries_whatever_its_size(
    shop: Shop, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    suspected(shop, "a")
    for count in (1, 4):
        # Three for all results together, and for each that is suspicious its intent and its rows in a savepoint.
        with django_assert_max_num_queries(6 + 4 * count):
            assert scan(Result.objects.all()) == count
        for slug in ("b", "c", "d") if count == 1 else ():
            suspected(shop, slug)
