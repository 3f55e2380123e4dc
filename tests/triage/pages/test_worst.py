"""The worst causes on the overview."""

from __future__ import annotations

import re
from html import unescape

from django.test import Client

from tests.browser import seed
from tests.browser.seed import Library
from tests.triage import faultcast
from triage.models import Fault, Round


def page(client: Client, query: str = "") -> str:
    return client.get(f"/?{query}").content.decode()


def test_shows_the_eight_worst_with_what_they_explain(reader: Client, done: Round) -> None:
    shown = faultcast.checks(done, "shop")
    for number in range(9):
        row = faultcast.fault(shown[: 9 - number], f"cause {number}")
        faultcast.suspect(row, faultcast.part(shown[0], "toolserver"))
    faultcast.fault(shown, "mended", status="fixed")
    text = page(reader)
    assert re.findall(r">(cause \d)<", text) == [f"cause {number}" for number in range(8)]
    assert '<a class="small" href="/faults/">9 open faults</a>' in text
    assert "mended" not in text
    assert re.search(r"the worst fault explains\s*<strong", text)
    links = re.findall(r'href="(/environments/\?fault=\d+)"[^>]*>(\d+)<', text)
    for url, count in links:
        behind = reader.get(unescape(url)).content.decode().split("</h1>")[0]
        assert f'<span class="count">{count}</span>' in behind
    assert len(links) == 8


def test_without_faults_nothing_is_explained(reader: Client, done: Round) -> None:
    text = page(reader)
    assert "No fault is open." in text
    assert "explains" not in text


def test_faults_of_published_environments_stand_on_their_own_page(
    reader: Client, shop: Library
) -> None:
    published = seed.library("published", 3, authority="given")
    done = seed.finished_round([shop, published], broken=1.0)
    faultcast.fault(faultcast.checks(done, "shop")[:2], "ours to mend")
    faultcast.fault(faultcast.checks(done, "published")[:2], "theirs to mend")
    text = page(reader)
    assert "ours to mend" in text
    assert "theirs to mend" not in text
    assert "theirs to mend" in page(reader, "authority=given")
    assert '<a class="small" href="/faults/?domain=shop">1 open fault</a>' in text


def test_faults_of_domains_kept_for_others_do_not_show(reader: Client, done: Round) -> None:
    faultcast.fault(faultcast.checks(done, "secret"), "what nobody may know")
    assert Fault.objects.count() == 1
    assert "what nobody may know" not in page(reader)
