"""The prover over the API: it is no agent."""

from __future__ import annotations

from typing import Any

from rest_framework.test import APIClient

from tests.triage.shop import Shop
from tests.triage.test_counterexamples import checked


def rows(api: APIClient, path: str) -> list[Any]:
    answer = api.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


def test_no_rate_and_no_filter_counts_it_and_its_episode_is_there(api: APIClient) -> None:
    shop = Shop()
    shop.searched("planless")
    made = checked()
    answer = api.get(f"/api/v1/rounds/{made.pk}/summary/").json()
    assert set(answer["solve_rate"].values()) == {0.0}
    assert "search" not in answer["solve_rate"]
    assert rows(api, "environments/?solved=search") == []
    assert rows(api, "environments/?unsolved=search") == []
    (episode,) = rows(api, "episodes/?agent=search")
    assert episode["reward"] == 1
