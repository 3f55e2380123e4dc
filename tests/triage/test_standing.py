"""Where environments stand."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from components.models import Environment
from tests.triage.shop import Shop
from triage.models import Check
from triage.rounds import create_round
from triage.standing import latest_checks, standing_now, with_standing
from triage.work import work_off
from worlds.recordset import Recordset

Queries = Callable[[int], AbstractContextManager[None]]


def run_round() -> None:
    made = create_round(None, queue=False)
    list(work_off(list(made.checks.values_list("pk", flat=True)), "here"))


def standing() -> dict[str, str]:
    rows = with_standing(Environment.objects.order_by("slug"))
    return {row.slug: row.status for row in rows}


def other_desk(shop: Shop) -> None:
    """A new version of the records that every environment uses."""
    shop.component("desk", Recordset.parse({"tables": {"notes": [{"id": "N1", "text": "other"}]}}))


def test_an_environment_stands_as_its_newest_check_ended(shop: Shop) -> None:
    shop.sound("a")
    shop.refused("b")
    assert standing() == {"a": "unverified", "b": "unverified"}
    run_round()
    assert standing() == {"a": "solvable", "b": "broken"}


def test_the_checks_that_count_are_the_newest_of_what_was_checked(shop: Shop) -> None:
    shop.sound("a")
    run_round()
    run_round()
    shop.sound("b")
    newest = Check.objects.latest("round_id")
    assert list(latest_checks(Environment.objects.all())) == [newest]


def test_no_check_counts_where_nothing_was_checked(shop: Shop) -> None:
    assert not latest_checks(Environment.objects.all()).exists()
    shop.sound("a")
    assert not latest_checks(Environment.objects.all()).exists()


def test_a_check_of_another_version_does_not_count_until_that_version_is_back(shop: Shop) -> None:
    shop.sound("a")
    run_round()
    before = shop.records.current
    assert before is not None
    other_desk(shop)
    assert standing() == {"a": "unverified"}
    shop.component("desk", before.body.parsed())
    assert standing() == {"a": "solvable"}


def test_what_waits_or_runs_hides_nothing_that_is_known(shop: Shop) -> None:
    shop.sound("a")
    run_round()
    create_round(None, panel=["noop"], queue=False)
    assert standing() == {"a": "solvable"}


def test_a_check_in_error_stands_as_error(shop: Shop) -> None:
    shop.sound("a")
    run_round()
    made = create_round(None, panel=["noop"], queue=False)
    Check.objects.filter(round=made).update(state="error")
    (row,) = with_standing(Environment.objects.all())
    assert row.status == "error"
    assert row.latest_check == made.checks.get().pk


def test_standing_can_be_filtered_and_counted_in_one_query_beside_the_manifests(
    shop: Shop, django_assert_num_queries: Queries
) -> None:
    for slug in "abc":
        shop.sound(slug)
    run_round()
    shop.refused("d")
    with django_assert_num_queries(3):
        rows = with_standing(Environment.objects.all())
    with django_assert_num_queries(1):
        assert [row.slug for row in rows.filter(status="unverified")] == ["d"]
    assert rows.filter(status="solvable").count() == 3


def test_no_environments_stand_nowhere(shop: Shop) -> None:
    assert standing() == {}


def test_asked_at_once_it_says_the_same_and_the_queries_made_of_it_are_one_each(
    shop: Shop, django_assert_num_queries: Queries
) -> None:
    shop.sound("a")
    shop.refused("b")
    run_round()
    shop.sound("later")
    expected = list(with_standing(Environment.objects.all()).values_list("latest_check", "status"))
    with django_assert_num_queries(4):
        rows = standing_now(Environment.objects.all())
    with django_assert_num_queries(1):
        assert list(rows.values_list("latest_check", "status")) == expected
    with django_assert_num_queries(1):
        assert [row.slug for row in rows.filter(status="unverified")] == ["later"]


def test_asked_at_once_no_environments_stand_nowhere(shop: Shop) -> None:
    assert list(standing_now(Environment.objects.all())) == []
