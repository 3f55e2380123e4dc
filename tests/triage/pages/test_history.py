from __future__ import annotations

from django.contrib.auth.models import User
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser import seed
from tests.browser.seed import Library
from triage.codes import by_code
from triage.models import Round
from triage.pages import history
from triage.rounds import summary


def test_says_of_each_round_what_its_summary_says(
    viewer: User, shop: Library, secret: Library
) -> None:
    rounds = [
        seed.finished_round([shop, secret], broken=0.7, seed=1),
        seed.finished_round([shop], broken=0.1, seed=2),
        seed.running_round([shop], done=4),
    ]
    for row, tally in zip(rounds, history.by_round(rounds, viewer).values(), strict=True):
        expected = summary(row, viewer)
        for name in ("environments", "solvable", "broken", "unproven", "errors", "solvability"):
            assert getattr(tally, name) == expected[name]
        assert {agent: tally.rate(agent) for agent in row.panel} == expected["solve_rate"]
        assert tally.floor(row.panel) == expected["floor"]


def test_takes_two_queries_for_any_number_of_rounds(
    viewer: User, shop: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    rounds = [seed.finished_round([shop], seed=number) for number in range(3)]
    with django_assert_num_queries(2):
        history.by_round(rounds, viewer)


def test_domains_add_up_to_the_round(admin: User, done: Round) -> None:
    admin.is_superuser = True
    parts = history.by_domain(history.checks_of(done, admin))
    assert list(parts) == ["secret", "shop"]
    whole = summary(done)
    for name in ("environments", "solvable", "broken", "unproven", "errors"):
        assert sum(getattr(part, name) for part in parts.values()) == whole[name]


def test_codes_add_up_to_the_findings_of_the_summary(viewer: User, done: Round) -> None:
    found: dict[str, int] = {}
    for one in by_code(history.checks_of(done, viewer)):
        code = one["code"]
        found[code] = found.get(code, 0) + one["findings"]
    assert found == summary(done, viewer)["findings"]


def test_an_intent_counts_once_and_is_sound_in_all_its_environments_or_not(
    viewer: User, shop: Library
) -> None:
    row = seed.open_round([shop])
    twin = seed.environment(shop, 50, "twin")
    twin.parts.filter(component__kind="intent").update(
        component=shop.environments[0].components.get(kind="intent")
    )
    for environment, status in zip(
        [shop.environments[0], twin, shop.environments[1]],
        ["solvable", "broken", "solvable"],
        strict=True,
    ):
        seed.finish(seed.queued(row, environment), status)
    assert history.by_intent(history.checks_of(row, viewer)) == (2, 1)
