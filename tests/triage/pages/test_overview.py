from __future__ import annotations

import json
import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser import seed
from tests.browser.seed import Library
from triage.cancellation import cancel
from triage.models import Finding, Round
from triage.rounds import summary


def page(client: Client) -> str:
    answer = client.get("/")
    assert answer.status_code == 200
    return answer.content.decode()


def drawn(text: str) -> Any:
    data = re.search(r'<script id="drawing" type="application/json">(.*?)</script>', text)
    assert data is not None
    return json.loads(data[1])


def test_shows_the_numbers_of_the_summary_each_with_what_it_counts(
    reader: Client, viewer: User, done: Round
) -> None:
    text, numbers = page(reader), summary(done, viewer)
    for status in ("solvable", "broken", "unproven"):
        shown = (
            f'<a href="/environments/?round={done.pk}&amp;status={status}">{numbers[status]}</a>'
        )
        assert shown in text
    assert numbers["environments"] == 12
    assert f">{100 * (numbers['solvability'] or 0):.1f}%</a>" in text
    for code in numbers["findings"]:
        assert f"/environments/?round={done.pk}&amp;code={code}&amp;severity=" in text


def test_draws_a_point_a_round_with_rates_and_the_floor(reader: Client, shop: Library) -> None:
    for number in range(3):
        seed.finished_round([shop], broken=number / 4, seed=number)
    data = drawn(page(reader))
    assert len(data["rounds"]) == len(data["solvability"]) == len(data["floor"]) == 3
    assert data["rounds"] == sorted(data["rounds"])
    assert set(data["agents"]) == set(seed.PANEL)
    assert data["solvability"][0] > data["solvability"][2]


def test_rounds_over_other_environments_are_counted_and_not_drawn(
    reader: Client, shop: Library
) -> None:
    alike = [seed.finished_round([shop], seed=number).pk for number in range(2)]
    sampled = seed.finished_round([shop])
    Round.objects.filter(pk=sampled.pk).update(scope={**sampled.scope, "sample": 5})
    assert drawn(page(reader))["rounds"] == [sampled.pk]
    assert "2 rounds</a> over other environments are not drawn" in page(reader)
    alike.append(seed.finished_round([shop]).pk)
    assert drawn(page(reader))["rounds"] == alike
    assert "1 round</a> over other environments is not drawn" in page(reader)


def test_a_round_over_whole_domains_tells_more_than_a_narrowed_or_cancelled_one(
    reader: Client, shop: Library
) -> None:
    cancelled = seed.running_round([shop])
    cancel(None, cancelled)
    assert f">round {cancelled.pk}</a>" in page(reader)
    assert drawn(page(reader))["rounds"] == [cancelled.pk]
    whole = seed.finished_round([shop])
    narrowed = [seed.finished_round([shop]) for _ in range(2)]
    for row in narrowed:
        row.scope["statuses"] = ["broken"]
        row.save()
    cancel(None, seed.running_round([shop]))
    assert drawn(page(reader))["rounds"] == [whole.pk]
    assert "4 rounds</a> over other environments are not drawn" in page(reader)
    Round.objects.filter(pk=whole.pk).delete()
    assert drawn(page(reader))["rounds"] == [narrowed[1].pk]


def test_numbers_of_domains_kept_for_others_do_not_leak(
    reader: Client, secret: Library, shop: Library
) -> None:
    seed.finished_round([secret])
    text = page(reader)
    assert "No round has been run yet" in text
    mixed = seed.finished_round([shop, secret], broken=1.0)
    Finding.objects.filter(result__checks__environment__domain=secret.domain).update(code="hidden")
    text = page(reader)
    assert f"round {mixed.pk}" in text
    assert "secret" not in text
    assert ">hidden<" not in text


def test_an_empty_library_teaches_how_to_load_one(reader: Client) -> None:
    text = page(reader)
    assert "python manage.py library load library" in text
    assert "python manage.py import_tau2 --domain retail" in text


def test_environments_without_a_round_teach_how_to_run_one(reader: Client, shop: Library) -> None:
    assert "12 environments" in page(reader)
    assert "python manage.py round" in page(reader)


def test_only_who_may_run_rounds_is_offered_to(
    client: Client, viewer: User, curator: User, shop: Library
) -> None:
    for user, is_offered in ((viewer, False), (curator, True)):
        client.force_login(user)
        assert ('action="/rounds/run/"' in page(client)) is is_offered


def test_a_running_round_shows_how_far_it_is(reader: Client, shop: Library) -> None:
    row = seed.running_round([shop], done=5)
    text = page(reader)
    assert f'hx-get="/rounds/{row.pk}/progress/"' in text
    assert "5 of 12" in text
    assert "The first round is running" in text


def test_as_many_queries_for_twenty_rounds_as_for_two(
    reader: Client, shop: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(2):
        seed.finished_round([shop], seed=number)
    with django_assert_num_queries(QUERIES):
        page(reader)
    small = seed.library("small", 1)
    for number in range(18):
        seed.finished_round([small], seed=number)
    with django_assert_num_queries(QUERIES):
        page(reader)


QUERIES = 19
