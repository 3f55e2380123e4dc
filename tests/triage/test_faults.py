"""Gathering findings into faults, which are known again from round to round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.triage.seen import by_fingerprint, seen
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_cancellation import at_once
from triage import faults
from triage.faults import gather
from triage.labelling import label
from triage.models import Attribution, Fault, Finding, Round, Sighting, Suspect, Symptom
from triage.models.fault import FaultStatus
from worlds.toolserver_body import ToolServerBody

Group = Callable[..., None]


@pytest.fixture(autouse=True)
def group(monkeypatch: pytest.MonkeyPatch) -> Group:
    """Causes as a test says; at first one for each fingerprint."""

    def grouped(*groups: Any, **rest: Any) -> None:
        monkeypatch.setattr(faults, "causes", by_fingerprint(*groups, **rest))

    grouped()
    return grouped


def gathered(shop: Shop, shows: dict[str, str], **rest: Any) -> Round:
    """A round that saw, in each environment, crashes of the functions in a line of words."""
    made = seen(shop, {slug: line.split() for slug, line in shows.items()}, **rest)
    gather(made)
    return made


def standing() -> dict[str, tuple[str, int]]:
    """First symptom → status and environments of the fault, of all faults."""
    return {
        fault.symptoms.order_by("pk")[0].symbol: (fault.status, fault.environments)
        for fault in Fault.objects.order_by("pk")
    }


def symbols(fault: Fault) -> set[str]:
    return set(fault.symptoms.values_list("symbol", flat=True))


def test_each_cause_becomes_a_fault_with_all_that_shows_it(shop: Shop) -> None:
    made = gathered(shop, {"a": "look write", "b": "write", "c": ""})
    look, write = Fault.objects.order_by("environments")
    assert (look.status, look.environments, look.is_blocking) == ("new", 1, True)
    assert (write.code, write.environments) == ("tool-crash", 2)
    assert write.title == "`write` crashes: KeyError: 'id'"
    assert (write.first_round, write.last_round, write.fixed_round) == (made, made, None)
    slugs = write.sightings.values_list("check_row__environment__slug", flat=True)
    assert sorted(slugs) == ["a", "b"]
    (symptom,) = write.symptoms.all()
    assert (symptom.code, symptom.kind, symptom.slug) == ("tool-crash", "toolserver", "pen")
    made.refresh_from_db()
    assert made.gathered is not None


def test_suspects_are_kept_with_the_versions_that_the_round_ran(shop: Shop) -> None:
    made = seen(shop, {"a": ["write"]})
    shop.component("desk", shop.records.current.body.parsed())  # type: ignore[union-attr]  # is set
    gather(made)
    first, second = Suspect.objects.all()
    assert (first.rank, first.component, first.symbol, first.attribution) == (
        1,
        shop.server,
        "write",
        None,
    )
    assert first.version == shop.server.current
    assert (second.rank, second.component, second.score) == (2, shop.records, 0.45)


def test_gathering_twice_changes_nothing(shop: Shop) -> None:
    made = gathered(shop, {"a": "write"})
    before = made.gathered
    gather(made)
    assert made.gathered == before
    assert (Fault.objects.count(), Sighting.objects.count(), Suspect.objects.count()) == (1, 1, 2)


def test_a_round_that_is_not_finished_is_not_gathered(shop: Shop) -> None:
    made = seen(shop, {"a": ["write"]})
    Round.objects.filter(pk=made.pk).update(finished=None)
    gather(made)
    made.refresh_from_db()
    assert made.gathered is None
    assert not Fault.objects.exists()


def test_a_fault_is_new_then_ongoing_then_fixed_then_regressed(shop: Shop) -> None:
    gathered(shop, {"a": "write", "b": "write"})
    assert standing() == {"write": ("new", 2)}
    gathered(shop, {"a": "write", "b": ""})
    assert standing() == {"write": ("ongoing", 1)}
    third = gathered(shop, {"a": "", "b": ""})
    assert standing() == {"write": ("fixed", 1)}
    gathered(shop, {"a": "", "b": ""})
    assert Fault.objects.get().fixed_round == third
    gathered(shop, {"a": "", "b": "write"})
    assert standing() == {"write": ("regressed", 1)}
    gathered(shop, {"b": "write"})
    assert standing() == {"write": ("regressed", 1)}


def test_a_sample_says_nothing_of_what_it_did_not_look_at(shop: Shop) -> None:
    gathered(shop, {"a": "write", "b": "look", "c": ""})
    gathered(shop, {"c": ""})
    assert standing() == {"look": ("new", 1), "write": ("new", 1)}
    gathered(shop, {"a": ""})
    assert standing() == {"look": ("new", 1), "write": ("fixed", 1)}


def test_a_check_in_error_says_nothing(shop: Shop) -> None:
    gathered(shop, {"a": "write"})
    gathered(shop, {}, errors=["a"])
    assert standing() == {"write": ("new", 1)}


def test_a_round_that_is_not_gathered_yet_says_nothing(shop: Shop) -> None:
    gathered(shop, {"a": "write", "b": ""})
    running = seen(shop, {"a": []})
    Round.objects.filter(pk=running.pk).update(finished=None)
    gathered(shop, {"b": ""})
    assert standing() == {"write": ("new", 1)}


def test_an_environment_that_was_deleted_counts_no_more(shop: Shop) -> None:
    first = gathered(shop, {"a": "write", "b": "write", "c": ""})
    first.checks.get(environment__slug="a").environment.delete()
    gathered(shop, {"c": ""})
    assert standing() == {"write": ("new", 1)}
    first.checks.get(environment__slug="b").environment.delete()
    gathered(shop, {"c": ""})
    assert standing() == {"write": ("fixed", 1)}


def test_an_archived_fault_stays_so_and_goes_on_counting(shop: Shop) -> None:
    gathered(shop, {"a": "write"})
    Fault.objects.update(status=FaultStatus.ARCHIVED)
    gathered(shop, {"a": "write", "b": "write"})
    assert standing() == {"write": ("archived", 2)}
    gathered(shop, {"a": "", "b": ""})
    assert standing() == {"write": ("archived", 0)}


def test_warnings_make_faults_that_block_nothing(shop: Shop) -> None:
    gathered(shop, {"a": "write"}, severity="warning")
    assert Fault.objects.get().is_blocking is False
    gathered(shop, {"a": "write"})
    assert Fault.objects.get().is_blocking is True


def test_what_was_dismissed_is_no_sighting_of_later_rounds(shop: Shop, reviewer: Any) -> None:
    gathered(shop, {"a": "write"})
    label(reviewer, Finding.objects.get(), is_right=False, reason="on purpose")
    gathered(shop, {"a": "write"})
    assert standing() == {"write": ("fixed", 1)}


def test_rounds_gathered_late_in_their_order_come_to_the_same(shop: Shop) -> None:
    lines: list[dict[str, str]] = [
        {"a": "write", "b": "look"},
        {"a": "", "b": "look"},
        {"a": "write"},
        {"b": ""},
    ]
    made = [seen(shop, {slug: line.split() for slug, line in one.items()}) for one in lines]
    for one in made:
        gather(one)
    late = standing()
    Fault.objects.all().delete()
    Round.objects.all().delete()
    for shows in lines:
        gathered(shop, shows)
    assert standing() == late == {"look": ("fixed", 1), "write": ("regressed", 1)}


def test_a_round_gathered_after_a_later_one_is_told_of_in_its_place(shop: Shop) -> None:
    gathered(shop, {"a": "write", "b": ""})
    early = seen(shop, {"b": ["write"]})
    gathered(shop, {"a": ""})
    assert standing() == {"write": ("fixed", 1)}
    gather(early)
    assert standing() == {"write": ("ongoing", 1)}


def test_what_only_an_early_round_that_comes_late_showed_is_fixed(shop: Shop) -> None:
    early = seen(shop, {"a": ["write"]})
    later = gathered(shop, {"a": ""})
    gather(early)
    fault = Fault.objects.get()
    assert (fault.status, fault.fixed_round, fault.environments) == ("fixed", later, 1)


def test_a_fault_that_splits_lives_on_in_the_part_that_shows_most(shop: Shop, group: Group) -> None:
    group({"look", "write"})
    gathered(shop, {"a": "look write", "b": "look write", "c": "write"})
    whole = Fault.objects.get()
    group()
    gathered(shop, {"a": "look write", "b": "look write", "c": "write"})
    other = Fault.objects.exclude(pk=whole.pk).get()
    assert (symbols(whole), symbols(other)) == ({"write"}, {"look"})
    whole.refresh_from_db()
    assert (whole.status, other.status) == ("ongoing", "new")


def test_faults_that_merge_live_on_in_the_bigger_and_are_told_apart_again(
    shop: Shop, group: Group
) -> None:
    shows = {"a": "write", "b": "write", "c": "look"}
    gathered(shop, shows)
    write, look = Fault.objects.order_by("-environments")
    group({"look", "write"})
    gathered(shop, shows)
    write.refresh_from_db()
    assert (write.environments, symbols(write)) == (3, {"look", "write"})
    assert standing()["look"] == ("fixed", 1)
    group()
    gathered(shop, shows)
    assert Fault.objects.count() == 2
    assert (symbols(write), symbols(look)) == ({"write"}, {"look"})
    assert standing() == {"write": ("ongoing", 2), "look": ("regressed", 1)}


def test_a_fault_whose_fingerprints_changed_is_known_by_its_suspect(
    shop: Shop, group: Group
) -> None:
    gathered(shop, {"a": "write"})
    made = seen(shop, {"a": ["write"]}, fingerprint="other")
    gather(made)
    fault = Fault.objects.get()
    assert fault.status == "ongoing"
    assert set(fault.symptoms.values_list("fingerprint", flat=True)) == {"write", "other"}


def thorough(fault: Fault) -> Suspect:
    """A suspect found by a thorough attribution, in place of the others."""
    assert fault.last_round is not None
    made = Attribution.objects.create(fault=fault, round=fault.last_round)
    fault.suspects.all().delete()
    server = fault.domain.components.get(slug="pen")
    return Suspect.objects.create(
        fault=fault,
        attribution=made,
        rank=1,
        component=server,
        version=server.current,
        symbol="write",
        score=0.99,
        state="confirmed",
    )


def test_what_a_thorough_attribution_found_is_kept_while_it_holds(shop: Shop) -> None:
    gathered(shop, {"a": "write"})
    found = thorough(Fault.objects.get())
    gathered(shop, {"a": "write"})
    assert Suspect.objects.get() == found
    shop.component("pen", ToolServerBody(source=f"{SOURCE}\n# mended\n"))
    gathered(shop, {"a": "write"})
    assert not Suspect.objects.filter(pk=found.pk).exists()
    first = Suspect.objects.all()[0]
    assert (first.attribution, first.version and first.version.number) == (None, 2)


def test_a_round_that_saw_less_of_a_fault_does_not_weigh_it_anew(shop: Shop, group: Group) -> None:
    gathered(shop, {"a": "write", "b": "write"})
    group(score=0.1)
    gathered(shop, {"a": "write"})
    assert Suspect.objects.all()[0].score == 0.9
    gathered(shop, {"a": "write", "b": "write"})
    assert Suspect.objects.all()[0].score == 0.1


def test_a_title_stays_until_the_best_suspect_changes(shop: Shop, group: Group) -> None:
    gathered(shop, {"a": "write"})
    Fault.objects.update(title="by hand")
    gathered(shop, {"a": "write"}, message="write crashed: other")
    assert Fault.objects.get().title == "by hand"
    group({"look", "write"})
    gathered(shop, {"a": "look write"})
    assert Fault.objects.get().title == "`look` crashes: KeyError: 'id'"


def queries(shop: Shop, environments: int) -> int:
    """Of gathering a round of which every environment shows one fault, another, or a third."""
    names = ["write", "look", "ponder"]
    shows = {f"e{number}": [names[number % 3]] for number in range(environments)}
    made = seen(shop, shows)
    with CaptureQueriesContext(
        connection,
    ) as captured:
        gather(made)
    return len(captured)


def test_gathering_costs_as_many_queries_whatever_the_size(shop: Shop) -> None:
    gather(seen(shop, {"e0": ["write"], "e1": ["look"], "e2": ["ponder"]}))
    small = queries(shop, 5)
    assert queries(shop, 15) == small
    assert small <= 40


@pytest.mark.django_db(transaction=True)
def test_two_that_gather_at_once_gather_once(shop: Shop) -> None:
    made = seen(shop, {f"e{number}": ["write", "look"] for number in range(10)})

    def work() -> None:
        gather(Round.objects.get(pk=made.pk))

    at_once(work, work)
    made.refresh_from_db()
    assert Fault.objects.count() == 2
    assert Sighting.objects.count() == 20
    assert made.gathered is not None


@pytest.mark.django_db(transaction=True)
def test_two_rounds_of_a_domain_gathered_at_once_share_their_faults(shop: Shop) -> None:
    made = [seen(shop, {f"e{number}": ["write", "look"] for number in range(10)}) for _ in "ab"]
    at_once(*(lambda one=one: gather(one) for one in made))
    assert Fault.objects.count() == 2
    assert set(Fault.objects.values_list("status", flat=True)) == {"ongoing"}
    assert {fault.first_round for fault in Fault.objects.all()} == {made[0]}
    assert Symptom.objects.count() == 2
