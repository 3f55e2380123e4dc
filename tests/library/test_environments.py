"""Every environment of the library: sound, out of reach of agents that understand nothing, unlike its twin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.library.workplace import DOMAINS, Workplace
from worlds.toolsession import ToolSession

PLACES = {domain: Workplace(domain) for domain in DOMAINS}
ALL = [(domain, slug) for domain, place in PLACES.items() for slug in place.specs]
PAIRS = [(domain, *pair) for domain, place in PLACES.items() for pair in place.pairs]


@pytest.fixture(scope="module")
def session() -> Iterator[ToolSession]:
    with ToolSession() as opened:
        yield opened


@pytest.mark.parametrize(("domain", "slug"), ALL)
def test_an_environment_is_solvable_and_has_no_finding(domain: str, slug: str) -> None:
    assert PLACES[domain].troubles(slug) == []


@pytest.mark.parametrize("domain", PLACES)
def test_no_agent_of_the_floor_solves_any_environment(domain: str) -> None:
    assert PLACES[domain].trivial() == []


@pytest.mark.parametrize(("domain", "slug", "twin"), PAIRS)
def test_what_is_right_in_a_twin_fails_here(
    domain: str, slug: str, twin: str, session: ToolSession
) -> None:
    assert PLACES[domain].reward_with_plan_of(slug, twin, session) == 0
