"""Audit samples: drawn fairly, repeatably, of what is certified; labelled by reviewers."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from hypothesis import given
from hypothesis import strategies as st
from pytest_django.fixtures import DjangoAssertNumQueries

from components.models import AuditEntry, Domain
from tests.triage.shop import Shop
from tests.triage.test_counterexamples import attempt, checked
from triage.audit_sample import SampleInvalid, create, draw, estimate, label
from triage.counterexamples import make
from triage.models import AuditItem, AuditSample


@pytest.fixture
def certified(shop: Shop) -> Shop:
    """Six certified environments, two in another domain, and one that is broken."""
    for number in range(6):
        shop.sound(f"task-{number}")
    shop.refused("broken")
    small = Shop("small")
    for number in range(2):
        small.sound(f"small-{number}")
    checked()
    return shop


def drawn(made: AuditSample) -> list[str]:
    items = made.items.order_by("environment__slug")
    return list(items.values_list("environment__slug", flat=True))


def test_a_sample_is_of_certified_environments_a_share_of_each_domain(
    certified: Shop, curator: User
) -> None:
    made = create(curator, 4, seed=3)
    assert (made.name, made.size, made.author) == (f"sample-{made.pk}", 4, curator)
    strata = made.items.order_by("stratum").values_list("stratum", "population").distinct()
    assert list(strata) == [("notes", 6), ("small", 2)]
    assert made.items.filter(stratum="notes").count() == 3
    assert "broken" not in drawn(create(None, 99))
    assert all(len(bundle) == 64 for bundle in made.items.values_list("bundle", flat=True))


def test_the_same_seed_draws_the_same_and_another_seed_others(certified: Shop) -> None:
    first, again = create(None, 4, seed=3), create(None, 4, seed=3)
    assert drawn(first) == drawn(again)
    assert len({tuple(drawn(create(None, 4, seed=seed))) for seed in range(8)}) > 1
    assert create(None, 4).seed != create(None, 4).seed


def test_each_domain_has_one_that_is_read_where_the_size_allows_it(certified: Shop) -> None:
    assert create(None, 2).items.values("stratum").distinct().count() == 2
    assert create(None, 1).items.get().stratum == "notes"
    assert drawn(create(None, 99, domains=["small"])) == ["small-0", "small-1"]


@given(st.lists(st.integers(1, 30), max_size=5), st.integers(1, 80), st.integers(0, 9))
def test_a_draw_is_as_large_as_asked_and_never_more_than_there_is(
    counts: list[int], size: int, seed: int
) -> None:
    strata = {
        Domain(pk=pk): [(100 * pk + one, f"e{pk}-{one}", "b") for one in range(count)]
        for pk, count in enumerate(counts)
    }
    chosen = draw(strata, size, seed)
    assert sum(map(len, chosen.values())) == min(size, sum(counts))
    for domain, picked in chosen.items():
        assert picked <= {pk for pk, _, _ in strata[domain]}
    if size >= len(counts):
        assert len(chosen) == len(counts)


def test_what_somebody_doubts_is_not_certified(certified: Shop) -> None:
    make(None, attempt(), 0, "wrong")
    assert len(drawn(create(None, 99))) == 7


def test_what_cannot_be_drawn_is_refused_in_a_sentence(shop: Shop) -> None:
    for size, domains, words in [
        (0, [], "at least 1"),
        (3, [], "no certified environment that you may read"),
        (3, ["notes"], "no certified environment in notes"),
        (3, ["elsewhere"], "there is no domain elsewhere"),
    ]:
        with pytest.raises(SampleInvalid, match=words):
            create(None, size, domains=domains)
    shop.sound("a")
    checked()
    create(None, 1, name="spring")
    with pytest.raises(SampleInvalid, match="there is an audit sample spring already"):
        create(None, 1, name="spring")
    assert AuditSample.objects.count() == 1


def test_labels_count_and_the_last_word_stands(certified: Shop, reviewer: User) -> None:
    made = create(None, 99, seed=1)
    items = list(made.items.order_by("stratum", "pk"))
    for item in items[:4]:
        label(reviewer, item, "sound")
    assert estimate(AuditItem.objects.filter(sample=made)).said.startswith(
        "0 defective of 4 read: at most"
    )
    label(reviewer, items[0], "defective", "the refund is computed twice")
    assert (items[0].verdict, items[0].by) == ("defective", reviewer)
    found = estimate(AuditItem.objects.filter(sample=made))
    assert (found.read, found.defective, found.unread) == (4, 1, ("small",))
    label(reviewer, items[0], "")
    assert (items[0].verdict, items[0].by, items[0].at) == ("", None, None)
    entries = AuditEntry.objects.filter(action="audit_sample.label").order_by("pk")
    assert [entry.detail["verdict"] for entry in entries] == [*["sound"] * 4, "defective", ""]
    assert entries[4].detail["was"] == "sound"
    with pytest.raises(SampleInvalid, match="sound or defective"):
        label(None, items[0], "fine")


def test_an_entry_of_the_draw_in_each_domain(certified: Shop) -> None:
    create(None, 4, seed=3)
    entries = AuditEntry.objects.filter(action="audit_sample.create")
    assert {str(one.domain): one.detail["of"] for one in entries} == {"notes": 6, "small": 2}


def test_curators_draw_and_reviewers_label(certified: Shop, viewer: User, reviewer: User) -> None:
    for user in (viewer, reviewer):
        with pytest.raises(PermissionDenied):
            create(user, 2)
    item = create(None, 1).items.get()
    with pytest.raises(PermissionDenied):
        label(viewer, item, "sound")
    assert item.verdict == ""


def test_domains_kept_for_others_are_not_drawn_from_nor_shown(
    certified: Shop, curator: User
) -> None:
    whole = create(None, 99)
    Domain.objects.get(slug="notes").readers.add(Group.objects.create(name="insiders"))
    assert drawn(create(curator, 99)) == ["small-0", "small-1"]
    assert AuditItem.objects.visible_to(curator).filter(sample=whole).count() == 2
    Domain.objects.get(slug="small").readers.add(Group.objects.get(name="insiders"))
    assert not AuditSample.objects.visible_to(curator).exists()


def test_the_number_of_queries_does_not_grow(
    certified: Shop, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for size in (2, 8):
        with django_assert_num_queries(14):
            made = create(None, size, seed=1)
        with django_assert_num_queries(1):
            assert estimate(AuditItem.objects.filter(sample=made)).unread


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"seed": -1}, "a seed is from 0 to 2147483647, not -1"),
        ({"seed": 2**31}, "a seed is from 0"),
        ({"name": "a/b"}, "a name has at most 80 letters"),
        ({"name": "a" * 81}, "a name has at most 80 letters"),
    ],
)
def test_a_seed_or_name_that_cannot_be_kept_is_refused(
    certified: Shop, asked: dict[str, Any], why: str
) -> None:
    with pytest.raises(SampleInvalid, match=why):
        create(None, 3, **asked)
