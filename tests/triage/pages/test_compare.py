"""What moved since the round before, on the page of a round, and two rounds side by side."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from html import unescape

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from tests.triage.shop import SOURCE, Shop
from tests.triage.test_moves import approved, checked, forgetful
from triage.models import Round

Queries = Callable[[int], AbstractContextManager[None]]
ROW = re.compile(r'href="/environments/[^"/]+/([^"]+)/" data-open')


@pytest.fixture
def desk(db: None) -> Shop:
    return Shop()


@pytest.fixture
def rounds(desk: Shop) -> tuple[Round, Round]:
    """Between them an approval mended a pen that two environments use; one more came, one is broken in both."""
    desk.sound("alpha")
    desk.sound("beta")
    desk.refused("gamma")
    pen = forgetful(desk)
    before = checked()
    approved(desk, pen, SOURCE)
    desk.sound("delta")
    return before, checked()


def text(reader: Client, path: str) -> str:
    answer = reader.get(path)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def test_a_round_says_what_moved_since_the_one_before(
    reader: Client, rounds: tuple[Round, Round]
) -> None:
    before, after = rounds
    shown = text(reader, f"/rounds/{after.pk}/").split('id="moved"')[1].split("</section>")[0]
    assert f'href="/rounds/{before.pk}/">round {before.pk}</a>' in shown
    assert re.search(r'title="Save what is written">proposal \d+', shown)
    assert ">pen v3</a>" in shown
    (fixed,) = re.findall(r'href="([^"]+fared=fixed)">2 fixed</a>', shown)
    assert ROW.findall(text(reader, fixed)) == ["alpha", "beta"]
    (new,) = re.findall(r'href="([^"]+fared=other)">1 environment</a>', shown)
    assert ROW.findall(text(reader, new)) == ["delta"]


def test_the_first_round_and_a_running_one_say_nothing_of_it(
    reader: Client, rounds: tuple[Round, Round]
) -> None:
    before, after = rounds
    assert 'id="moved"' not in text(reader, f"/rounds/{before.pk}/")
    Round.objects.filter(pk=after.pk).update(finished=None)
    assert 'id="moved"' not in text(reader, f"/rounds/{after.pk}/")


def test_a_round_in_which_nothing_moved_says_so(
    reader: Client, rounds: tuple[Round, Round]
) -> None:
    again = checked()
    assert "every environment of both ended as before" in text(reader, f"/rounds/{again.pk}/")


def test_two_rounds_side_by_side(reader: Client, rounds: tuple[Round, Round]) -> None:
    path = f"/rounds/{rounds[0].pk}/compare/{rounds[1].pk}/"
    shown = text(reader, path)
    assert ROW.findall(shown) == ["alpha", "beta", "delta"]
    assert f'href="{path}?from=broken&to=solvable">2</a>' in shown
    assert ROW.findall(text(reader, f"{path}?from=absent")) == ["delta"]
    assert ROW.findall(text(reader, f"{path}?q=bet")) == ["beta"]
    assert ROW.findall(text(reader, f"{path}?sort=-environment")) == ["delta", "beta", "alpha"]
    assert "Nothing fits these filters" in text(reader, f"{path}?to=broken")


def test_the_earlier_round_comes_first(reader: Client, rounds: tuple[Round, Round]) -> None:
    before, after = rounds
    answer = reader.get(f"/rounds/{after.pk}/compare/{before.pk}/")
    assert answer["Location"] == f"/rounds/{before.pk}/compare/{after.pk}/"


def test_it_comes_as_a_table_of_its_own(reader: Client, rounds: tuple[Round, Round]) -> None:
    path = f"/rounds/{rounds[0].pk}/compare/{rounds[1].pk}/?format=csv&fared=fixed"
    body = b"".join(reader.get(path).streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    rows = list(csv.DictReader(io.StringIO(body)))
    assert [(row["environment"], row["from"], row["to"]) for row in rows] == [
        ("alpha", "broken", "solvable"),
        ("beta", "broken", "solvable"),
    ]


def test_rounds_of_domains_kept_for_others_are_not_there(
    reader: Client, desk: Shop, rounds: tuple[Round, Round]
) -> None:
    desk.domain.readers.add(Group.objects.create(name="insiders"))
    assert reader.get(f"/rounds/{rounds[0].pk}/compare/{rounds[1].pk}/").status_code == 404
    assert reader.get(f"/rounds/{rounds[0].pk}/compare/999999/").status_code == 404


@pytest.mark.parametrize("more", [0, 4])
def test_as_many_queries_whatever_moved(
    reader: Client, desk: Shop, more: int, django_assert_num_queries: Queries
) -> None:
    """Session, user and permissions, rounds at work, the two rounds; checks, labels, environments, manifests, versions
    and what made them."""
    for number in range(1 + more):
        desk.sound(f"a{number}")
    pen = forgetful(desk)
    before = checked()
    approved(desk, pen, SOURCE)
    after = checked()
    with django_assert_num_queries(14):
        text(reader, f"/rounds/{before.pk}/compare/{after.pk}/")
