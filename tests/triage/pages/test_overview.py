from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser import seed
from tests.browser import shop as goods
from tests.browser.seed import Library
from triage.cancellation import cancel
from triage.models import Check, Finding, Round
from triage.pages.present import Present
from triage.rounds import summary


def page(client: Client) -> str:
    answer = client.get("/")
    assert answer.status_code == 200
    return answer.content.decode()


def drawn(text: str) -> Any:
    data = re.search(r'<script id="drawing" type="application/json">(.*?)</script>', text)
    assert data is not None
    return json.loads(data[1])


def linked(text: str) -> dict[str, int]:
    """Number by address of all that the page counts with a link to the list."""
    found = re.findall(r'href="(/environments/[^"]*)"[^>]*>(\d+)</a>', text)
    return {unescape(url): int(number) for url, number in found}


def listed(client: Client, url: str) -> int:
    counted = re.search(
        r'<h1>Environments\s*<span class="count">(\d+)', client.get(url).content.decode()
    )
    assert counted is not None
    return int(counted[1])


def test_every_number_is_what_the_list_behind_it_counts(
    reader: Client, shop: Library, secret: Library
) -> None:
    seed.finished_round([shop, secret], broken=0.5)
    part = seed.open_round([shop])
    seed.finish(seed.queued(part, shop.environments[0]), "broken")
    small = seed.library("small", 3)
    text = page(reader)
    numbers = linked(text)
    assert numbers["/environments/?status=unverified"] == len(small.environments)
    assert numbers["/environments/?domain=shop"] == 12
    assert len(numbers) > 10
    for url, number in numbers.items():
        assert listed(reader, url) == number, url
    for url, count in re.findall(
        r'href="([^"]*code=[^"]*)".*?<td class="number">(\d+)</td>', text, re.DOTALL
    ):
        assert listed(reader, unescape(url)) == int(count), url


def test_a_round_over_a_part_changes_only_what_it_checked(
    reader: Client, viewer: User, shop: Library
) -> None:
    whole = summary(seed.finished_round([shop], broken=0.6), viewer)
    before = linked(page(reader))
    part = seed.open_round([shop])
    healed = Check.objects.filter(result__status="broken")[0].environment
    seed.finish(seed.queued(part, healed), "solvable", 99)
    part.scope["sample"] = 1
    part.finished = timezone.now()
    part.save()
    text = page(reader)
    assert "a sample of 1 of shop" in text
    assert f">round {part.pk}</a>" in text
    after = linked(text)
    assert before["/environments/?status=broken"] == whole["broken"]
    assert after["/environments/?status=broken"] == whole["broken"] - 1
    assert after["/environments/?status=solvable"] == whole["solvable"] + 1
    rate = (whole["solvable"] + 1) / (whole["environments"] - whole["errors"])
    assert f">{100 * rate:.1f}%</a>" in text


def test_what_changed_since_its_check_is_unverified_and_counts_in_no_rate(
    reader: Client, shop: Library
) -> None:
    row = seed.open_round([shop])
    for environment in shop.environments:
        seed.finish(seed.queued(row, environment), "solvable")
    Round.objects.filter(pk=row.pk).update(finished=timezone.now())
    assert "No findings: every check came out clean." in page(reader)
    changed = shop.environments[0].components.get(kind="intent")
    seed.version(shop.domain, changed.slug, goods.intent(90), 2)
    text = page(reader)
    assert linked(text)["/environments/?status=unverified"] == 1
    assert linked(text)["/environments/?status=solvable"] == 11
    assert ">100%</a>" in text
    assert "1 environment is not checked as it is now." in text


def test_an_agent_is_measured_on_what_it_was_let_into(reader: Client, shop: Library) -> None:
    seed.finished_round([shop], broken=0.0)
    alone = seed.open_round([shop])
    alone.panel = ["noop"]
    alone.finished = timezone.now()
    alone.save()
    check = seed.finish(seed.queued(alone, shop.environments[0]), "unproven")
    assert check.result is not None
    check.result.episodes.exclude(agent__name="noop").delete()
    present = Present(User.objects.get(username="viewer")).every
    assert present.panel == seed.PANEL
    assert present.whole.met == {"reference": 11, "noop": 12, "refuser": 11, "parrot": 11}
    assert present.whole.rate("reference") == present.whole.solved["reference"] / 11
    assert "parrot" in page(reader)


def test_draws_a_point_a_round_with_rates_and_the_floor(reader: Client, shop: Library) -> None:
    for number in range(3):
        seed.finished_round([shop], broken=number / 4, seed=number)
    data = drawn(page(reader))
    assert len(data["rounds"]) == len(data["solvability"]) == len(data["floor"]) == 3
    assert data["rounds"] == sorted(data["rounds"])
    assert set(data["agents"]) == {"reference"}
    assert data["understanding_nothing"] == ["noop", "refuser", "parrot"]
    assert data["solvability"][0] > data["solvability"][2]


def test_only_rounds_over_the_same_whole_domains_are_drawn_and_the_others_counted(
    reader: Client, shop: Library
) -> None:
    alike = [seed.finished_round([shop], seed=number).pk for number in range(2)]
    for narrowing in ({"sample": 5}, {"statuses": ["broken"]}, {"environments": ["shop/x"]}):
        part = seed.finished_round([shop])
        Round.objects.filter(pk=part.pk).update(scope={**part.scope, **narrowing})
    cancel(None, seed.running_round([shop]))
    assert drawn(page(reader))["rounds"] == alike
    assert "4 rounds</a> over other environments are not drawn" in page(reader)


def test_the_line_over_most_domains_is_drawn(reader: Client, shop: Library) -> None:
    small = seed.library("small", 1)
    both = seed.finished_round([shop, small])
    seed.finished_round([small])
    assert drawn(page(reader))["rounds"] == [both.pk]


def test_without_a_round_over_whole_domains_nothing_is_drawn(reader: Client, shop: Library) -> None:
    cancelled = seed.running_round([shop])
    cancel(None, cancelled)
    text = page(reader)
    assert f">round {cancelled.pk}</a>, cancelled" in text
    assert "No round over whole domains is done yet." in text
    assert "data-chart" not in text
    assert linked(text)["/environments/?status=solvable"] == 5


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
    page(reader)  # bodies are read once
    with django_assert_num_queries(QUERIES):
        page(reader)
    small = seed.library("small", 1)
    for number in range(18):
        seed.finished_round([small], seed=number)
    page(reader)
    with django_assert_num_queries(QUERIES):
        page(reader)


QUERIES = 35


def test_while_the_first_round_runs_domains_say_what_they_say_of_themselves(
    reader: Client, shop: Library
) -> None:
    seed.running_round([shop])
    contract = shop.domain.components.get(kind="domain")
    contract.about = {"notes": "Two faults planted here on purpose."}
    contract.save(update_fields=["about"])
    assert "Two faults planted here on purpose." in page(reader)
