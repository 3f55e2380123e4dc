"""Starting a round, and its numbers."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import chain
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied

from components.models import AuditEntry
from tests.triage.shop import Shop
from triage import claims, tasks
from triage.models import Certificate, Check, Episode, Finding, Result, Round
from triage.models.check import State
from triage.rounds import create_round, progress, summary
from triage.scope import RoundInvalid, Scope
from triage.work import work_off

Queries = Callable[[int], AbstractContextManager[None]]

UNCHANGED = 22
"""Queries of an unchanged round."""


def finish(made: Round) -> Round:
    """Run what waits in a round, here."""
    waiting = Check.objects.unfinished().filter(round=made)
    list(work_off(list(waiting.values_list("pk", flat=True)), "here"))
    Round.objects.close()
    made.refresh_from_db()
    return made


def sampled(size: int, seed: int = 0) -> Round:
    return create_round(None, Scope(sample=size, seed=seed), queue=False)


def test_a_round_pins_a_manifest_and_a_key_for_every_environment(shop: Shop) -> None:
    environment = shop.sound("a")
    made = create_round(None, Scope(["notes"]), queue=False)
    check = made.checks.get()
    assert check.environment == environment
    assert check.manifest["intent"]["slug"] == "a"
    assert (check.state, check.attempt, check.was_known) == (State.QUEUED, 0, False)
    shop.component("desk", shop.records.current.body.parsed())  # type: ignore[union-attr]  # is set
    assert made.checks.get().bundle == check.bundle


def test_a_round_over_all_agents_names_them_in_the_panels_order(shop: Shop) -> None:
    shop.sound("a")
    assert create_round(None, queue=False).panel == ["reference", "noop", "refuser", "parrot"]
    assert create_round(None, panel=["noop", "reference"], queue=False).panel == [
        "reference",
        "noop",
    ]


def test_who_may_not_run_rounds_is_told_which_permission_that_needs(
    shop: Shop, stranger: User
) -> None:
    shop.sound("a")
    with pytest.raises(PermissionDenied, match=r"stranger may not run a round.*triage\.add_round"):
        create_round(stranger, queue=False)
    assert not Round.objects.exists()


def test_a_domain_that_one_may_not_see_is_as_unknown_as_one_that_is_not_there(
    shop: Shop, curator: User
) -> None:
    shop.sound("a")
    hidden = Shop("hidden")
    hidden.sound("b")
    hidden.domain.readers.add(Group.objects.create(name="insiders"))
    for slug in ("hidden", "nowhere"):
        with pytest.raises(RoundInvalid, match=f"no domain {slug}; there are notes$"):
            create_round(curator, Scope(["notes", slug]), queue=False)
    made = create_round(curator, queue=False)
    assert [check.environment.slug for check in made.checks.all()] == ["a"]


def test_an_unknown_agent_and_an_empty_scope_are_refused(shop: Shop) -> None:
    with pytest.raises(RoundInvalid, match="no environment in notes: load a library"):
        create_round(None, queue=False)
    shop.sound("a")
    with pytest.raises(RoundInvalid, match="no agent oracle; there are reference"):
        create_round(None, panel=["oracle"], queue=False)


def test_creating_a_round_is_audited_in_each_of_its_domains(shop: Shop, curator: User) -> None:
    shop.sound("a")
    Shop("more").sound("b")
    made = create_round(curator, queue=False)
    entries = AuditEntry.objects.filter(action="round.create")
    assert {entry.domain.slug for entry in entries if entry.domain} == {"notes", "more"}
    assert {(entry.actor, entry.target) for entry in entries} == {(curator, f"round {made.pk}")}


def test_a_sample_is_that_many_and_the_same_for_the_same_seed(shop: Shop) -> None:
    for number in range(12):
        shop.sound(f"task-{number}")
    drawn = [set(sampled(4, seed).checks.values_list("environment")) for seed in (7, 7, 8)]
    assert len(drawn[0]) == 4
    assert drawn[0] == drawn[1] != drawn[2]
    assert sampled(99).checks.count() == 12


def test_the_number_of_queries_does_not_grow_with_the_environments(
    shop: Shop, django_assert_max_num_queries: Any
) -> None:
    shop.sound("a")
    with django_assert_max_num_queries(60) as few:
        create_round(None, queue=False)
    for number in range(10):
        shop.sound(f"task-{number}")
    with django_assert_max_num_queries(len(few.captured_queries)):
        create_round(None, queue=False)


def test_an_unchanged_round_is_done_at_once_from_what_is_known(shop: Shop) -> None:
    shop.sound("a")
    shop.refused("b")
    first = finish(create_round(None, queue=False))
    episodes, findings = Episode.objects.count(), Finding.objects.count()
    second = create_round(None, queue=False)
    assert second.finished is not None
    assert {check.state for check in second.checks.all()} == {State.DONE}
    assert all(check.was_known for check in second.checks.all())
    assert (Episode.objects.count(), Finding.objects.count()) == (episodes, findings)
    both = [{**summary(made), "round": 0, "seconds": 0.0} for made in (first, second)]
    assert both[0] == both[1]


def test_an_unchanged_round_costs_as_many_queries_whatever_its_size(
    shop: Shop, django_assert_num_queries: Queries
) -> None:
    """Creation and summary; the benchmark `roundspeed` says what that takes."""
    for size in (2, 9):
        for number in range(size):
            shop.refused(f"task-{size}-{number}")
        finish(create_round(None, queue=False))
        with django_assert_num_queries(UNCHANGED):
            made = create_round(None, queue=False)
            numbers = summary(made)
        assert numbers["environments"] == made.checks.count() >= size
        assert made.finished is not None


def test_only_what_changed_is_run_again(shop: Shop) -> None:
    shop.sound("a")
    shop.refused("b")
    finish(create_round(None, queue=False))
    shop.sound("b2")
    made = create_round(None, queue=False)
    waiting = Check.objects.unfinished().filter(round=made)
    assert [check.environment.slug for check in waiting] == ["b2"]


def test_workers_are_told_on_commit_of_what_waits_in_groups(
    shop: Shop,
    django_capture_on_commit_callbacks: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[list[int]] = []
    monkeypatch.setattr(tasks.run_checks, "delay", sent.append)
    for number in range(25):
        shop.sound(f"task-{number}")
    with django_capture_on_commit_callbacks(execute=True):
        made = create_round(None)
        assert sent == []
    assert sorted(chain.from_iterable(sent)) == sorted(made.checks.values_list("pk", flat=True))
    assert all(len(group) <= 50 for group in sent)


def test_the_summary_says_what_the_rows_say(shop: Shop) -> None:
    for slug in "ab":
        shop.sound(slug)
    shop.refused("c")
    shop.vacuous("d")
    made = finish(create_round(None, queue=False))
    numbers = summary(made)
    assert numbers == {
        "round": made.pk,
        "environments": 4,
        "solvable": 2,
        "broken": 2,
        "unproven": 0,
        "errors": 0,
        "solvability": 0.5,
        "solve_rate": {"reference": 0.75, "noop": 0.25, "refuser": 0.25, "parrot": 0.25},
        "floor": 0.25,
        "findings": {"goal-unreachable": 1, "goal-vacuous": 1, "plan-refused": 1},
        "seconds": numbers["seconds"],
        "by_authority": {
            "ours": {
                "environments": 4,
                "solvable": 2,
                "broken": 2,
                "unproven": 0,
                "errors": 0,
                "solvability": 0.5,
            }
        },
    }
    assert Result.objects.filter(status="broken").count() == 2
    assert Episode.objects.filter(agent__name="reference", reward=1).count() == 3


def test_errors_of_ours_are_left_out_of_solvability(shop: Shop) -> None:
    shop.sound("a")
    shop.sound("b")
    made = create_round(None, queue=False)
    check = made.checks.earliest("pk")
    held = claims.claim([check.pk], "here")
    assert held is not None
    claims.fail(held, "the disk is full")
    numbers = summary(finish(made))
    assert (numbers["errors"], numbers["solvable"], numbers["solvability"]) == (1, 1, 1.0)
    assert numbers["solve_rate"]["reference"] == 0.5


def test_rates_over_nothing_are_none(shop: Shop, stranger: User) -> None:
    shop.sound("a")
    made = finish(create_round(None, queue=False))
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    numbers = summary(made, stranger)
    assert (numbers["environments"], numbers["solvability"], numbers["floor"]) == (0, None, None)
    assert set(numbers["solve_rate"].values()) == {None}


def test_who_reads_one_domain_of_a_round_gets_its_numbers_alone(shop: Shop, stranger: User) -> None:
    shop.sound("a")
    hidden = Shop("hidden")
    hidden.refused("b")
    hidden.domain.readers.add(Group.objects.create(name="insiders"))
    made = finish(create_round(None, queue=False))
    assert summary(made, stranger)["environments"] == 1
    assert summary(made, stranger)["findings"] == {}
    assert summary(made)["findings"] == {"goal-unreachable": 1, "plan-refused": 1}
    assert progress(made, stranger)["total"] == 1


def test_summary_and_progress_cost_three_queries_and_one(
    shop: Shop, django_assert_num_queries: Queries
) -> None:
    for number in range(3):
        shop.refused(f"task-{number}")
    made = finish(create_round(None, queue=False))
    with django_assert_num_queries(3):
        summary(made)
    with django_assert_num_queries(1):
        progress(made)


def test_progress_counts_what_ended_and_guesses_the_rest_from_what_was_run(shop: Shop) -> None:
    for slug in "abc":
        shop.sound(slug)
    made = create_round(None, queue=False)
    assert progress(made) == {"done": 0, "total": 3, "rate": 0.0, "seconds_left": None}
    next(work_off(list(made.checks.values_list("pk", flat=True)), "here"))
    now = progress(made)
    assert (now["done"], now["total"]) == (1, 3)
    assert now["seconds_left"] == pytest.approx(2 / now["rate"])
    assert progress(finish(made))["seconds_left"] == 0.0


def test_a_round_is_closed_only_when_nothing_is_left(shop: Shop) -> None:
    shop.sound("a")
    made = create_round(None, queue=False)
    assert Round.objects.close() == 0
    assert finish(made).finished is not None


def test_domains_that_say_the_same_blame_each_its_own_components(shop: Shop) -> None:
    twin = Shop("twin")
    for each in (shop, twin):
        each.refused("a")
    finish(create_round(None, queue=False))
    for each in (shop, twin):
        found = Finding.objects.filter(result__checks__environment__domain=each.domain)
        assert {item.component and item.component.domain for item in found} == {each.domain}


def test_without_the_search_no_other_way_is_looked_for_and_results_are_kept_apart(
    shop: Shop,
) -> None:
    shop.searched("a")
    quick = finish(create_round(None, searches=False, queue=False))
    found = Episode.objects.filter(agent__name="search", reward=1)
    assert summary(quick)["broken"] == 1
    assert not found.exists()
    whole = create_round(None, queue=False)
    assert not whole.checks.get().was_known
    finish(whole)
    assert found.count() == 1


def test_a_round_without_the_search_certifies_nothing(shop: Shop) -> None:
    shop.sound("a")
    quick = finish(create_round(None, searches=False, queue=False))
    assert summary(quick)["solvable"] == 1
    assert not Certificate.objects.exists()
    finish(create_round(None, queue=False))
    assert Certificate.objects.count() == 1
