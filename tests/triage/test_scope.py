"""What a round is over."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from components.models import AuditEntry, Environment
from tests.triage.shop import Shop
from triage.models import Round
from triage.rounds import create_round
from triage.scope import (
    Chosen,
    Listed,
    NothingToCheck,
    RoundInvalid,
    Scope,
    choose,
    environment_named,
    restricted,
)
from triage.work import work_off


def chosen(scope: Scope, actor: User | None = None) -> list[str]:
    """`domain/slug` of what a scope comes to, in its order."""
    return named(choose(scope, actor))


def named(found: Chosen) -> list[str]:
    rows = Environment.objects.in_bulk(found.environments)
    return [str(rows[pk]) for pk in found.environments]


@pytest.fixture
def other(shop: Shop) -> Shop:
    """A second domain; `a` and `b` are in both, `c` in the second alone."""
    made = Shop("more")
    for each in (shop, made):
        each.sound("a")
        each.refused("b")
    made.sound("c")
    return made


def run() -> Round:
    made = create_round(None, queue=False)
    list(work_off(list(made.checks.values_list("pk", flat=True)), "here"))
    return made


def test_everything_by_domain_and_slug_when_nothing_is_asked_for(shop: Shop, other: Shop) -> None:
    assert chosen(Scope()) == ["more/a", "more/b", "more/c", "notes/a", "notes/b"]
    assert choose(Scope(), None).scope == {"domains": ["more", "notes"], "sample": None, "seed": 0}


def test_environments_by_their_names_each_once(shop: Shop, other: Shop) -> None:
    scope = Scope(environments=["notes/b", "c", "more/c"])
    assert chosen(scope) == ["more/c", "notes/b"]
    assert choose(scope, None).scope["environments"] == ["more/c", "notes/b"]


def test_a_slug_alone_is_enough_where_the_domains_have_it_once(shop: Shop, other: Shop) -> None:
    assert chosen(Scope(domains=["notes"], environments=["a"])) == ["notes/a"]
    with pytest.raises(RoundInvalid, match="a could be more/a or notes/a: name one as DOMAIN/SLUG"):
        chosen(Scope(environments=["a"]))


@pytest.mark.parametrize("name", ["nothing", "notes/c", "nowhere/a", "notes/", "/", ""])
def test_an_unknown_environment_is_named_with_what_to_do(
    shop: Shop, other: Shop, name: str
) -> None:
    with pytest.raises(RoundInvalid, match=f"no environment {name} in more, notes: name it as DOM"):
        chosen(Scope(environments=["notes/a", name]))


@pytest.mark.parametrize(
    ("pattern", "fitting"),
    [
        ("more/*", ["more/a", "more/b", "more/c"]),
        ("?", ["more/a", "more/b", "more/c", "notes/a", "notes/b"]),
        ("*/a", ["more/a", "notes/a"]),
        ("c*", ["more/c"]),
    ],
)
def test_a_pattern_stands_for_every_environment_that_fits_it(
    shop: Shop, other: Shop, pattern: str, fitting: list[str]
) -> None:
    assert chosen(Scope(environments=[pattern])) == fitting
    assert choose(Scope(environments=[pattern]), None).scope["environments"] == fitting


def test_a_pattern_and_a_name_are_added_up_within_the_domains(shop: Shop, other: Shop) -> None:
    assert chosen(Scope(environments=["notes/b", "more/?"], domains=["more", "notes"])) == [
        "more/a",
        "more/b",
        "more/c",
        "notes/b",
    ]
    assert chosen(Scope(environments=["*"], domains=["notes"])) == ["notes/a", "notes/b"]


def test_a_pattern_that_fits_nothing_is_an_error_though_another_fits(
    shop: Shop, other: Shop, curator: User
) -> None:
    with pytest.raises(RoundInvalid, match=r"no environment in more, notes fits snooze\*"):
        chosen(Scope(environments=["a*", "snooze*"]))
    other.domain.readers.add(Group.objects.create(name="insiders"))
    with pytest.raises(RoundInvalid, match=r"no environment in notes fits c\*"):
        chosen(Scope(environments=["c*"]), curator)


def test_a_pattern_names_no_single_environment(shop: Shop, other: Shop) -> None:
    with pytest.raises(RoundInvalid, match=r"there is no environment \* in"):
        environment_named("*", None)


def test_an_environment_outside_of_the_domains_asked_for_is_unknown(
    shop: Shop, other: Shop
) -> None:
    with pytest.raises(RoundInvalid, match="no environment more/c in notes"):
        chosen(Scope(domains=["notes"], environments=["more/c"]))


def test_what_one_may_not_see_is_as_unknown_and_makes_no_slug_ambiguous(
    shop: Shop, other: Shop, curator: User
) -> None:
    other.domain.readers.add(Group.objects.create(name="insiders"))
    assert chosen(Scope(environments=["a"]), curator) == ["notes/a"]
    with pytest.raises(RoundInvalid, match="no environment more/a in notes"):
        chosen(Scope(environments=["more/a"]), curator)
    hidden = Environment.objects.get(slug="c").pk
    with pytest.raises(NothingToCheck):
        chosen(Scope(listed=Listed({"q": ["c"]}, [hidden])), curator)


def test_those_that_stand_so_now(shop: Shop, other: Shop) -> None:
    run()
    shop.sound("new")
    assert chosen(Scope(statuses=["broken"])) == ["more/b", "notes/b"]
    assert chosen(Scope(statuses=["unverified", "broken"], domains=["notes"])) == [
        "notes/b",
        "notes/new",
    ]
    with pytest.raises(NothingToCheck, match="no environment in scope stands as error in more, n"):
        chosen(Scope(statuses=["error"]))
    with pytest.raises(RoundInvalid, match="no status wrong; there are error, broken"):
        chosen(Scope(statuses=["wrong"]))


def test_a_sample_is_drawn_of_what_the_rest_leaves(shop: Shop, other: Shop) -> None:
    run()
    scope = Scope(statuses=["solvable"], environments=["more/a", "more/b", "more/c"], sample=1)
    assert len(chosen(scope)) == 1
    assert chosen(scope)[0] in {"more/a", "more/c"}


def test_a_list_brings_its_environments_and_its_filters(shop: Shop, other: Shop) -> None:
    listed = Listed({"q": ["c"], "code": []}, [Environment.objects.get(slug="c").pk])
    found = choose(Scope(listed=listed), None)
    assert named(found) == ["more/c"]
    assert found.scope["filters"] == {"q": ["c"], "code": []}


def test_a_narrowed_round_belongs_to_the_domains_that_it_checks_something_of(
    shop: Shop, other: Shop
) -> None:
    made = create_round(None, Scope(environments=["c"]), queue=False)
    assert [domain.slug for domain in made.domains.all()] == ["more"]
    assert made.scope == {
        "domains": ["more"],
        "sample": None,
        "seed": 0,
        "environments": ["more/c"],
    }
    (entry,) = AuditEntry.objects.filter(action="round.create")
    assert entry.domain == other.domain
    assert entry.detail["environments"] == ["more/c"]


def test_the_audit_of_a_domain_names_nothing_of_another(shop: Shop, other: Shop) -> None:
    create_round(None, Scope(environments=["c", "notes/a"]), queue=False)
    details = {
        entry.domain.slug: entry.detail["environments"]
        for entry in AuditEntry.objects.select_related("domain")
        if entry.domain
    }
    assert details == {"notes": ["notes/a"], "more": ["more/c"]}


def test_a_restricted_scope_is_without_a_word_of_other_domains() -> None:
    scope = {
        "domains": ["notes", "more"],
        "environments": ["more/c", "notes/a"],
        "filters": {"component": ["more/rule/x"], "domain": ["more"], "q": ["a"]},
    }
    assert restricted(scope, {"notes"}) == {
        "domains": ["notes"],
        "environments": ["notes/a"],
        "filters": {"component": [], "domain": [], "q": ["a"]},
    }
    assert scope["domains"] == ["notes", "more"]


def test_as_many_queries_whatever_is_named(
    shop: Shop, other: Shop, django_assert_num_queries: Any
) -> None:
    for number in range(20):
        shop.sound(f"task-{number}")
    for size in (1, 20):
        names = [f"notes/task-{number}" for number in range(size)]
        with django_assert_num_queries(6):
            choose(Scope(environments=names, statuses=["unverified"]), None)
