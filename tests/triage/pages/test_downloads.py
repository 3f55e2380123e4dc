"""Every list of every page can be had as CSV, all of it, as it is filtered."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client

from components.models import AuditEntry
from tests.browser import seed
from tests.browser.seed import Library
from tests.triage import faultcast, repaircast
from triage.cancellation import cancel
from triage.counterexamples import make
from triage.models import AuditItem, AuditSample, Check, Finding, Round, Suspicion

MANY = 60
"""More than a page of a list shows."""

PAGES: dict[str, set[str]] = {
    "/": {"codes", "domains"},
    "/faults/": {""},
    "/faults/?status=new&sort=newest&q=cancel": {""},
    "/faults/{fault}/": {"suspects", "symptoms", "environments"},
    "/repairs/{repair}/": {"", "looked-at"},
    "/repairs/{repair}/?fate=failing&sort=likelihood": {"", "looked-at"},
    "/results/{result}/": {"findings", "episodes"},
    "/environments/": {""},
    "/environments/?status=broken&status=solvable&domain=shop&sort=-took&page=2": {""},
    "/environments/?q=reorder": {""},
    "/environments/?fault={fault}": {""},
    "/environments/shop/{broken}/": {
        "findings",
        "counterexamples",
        "episodes",
        "components",
        "checks",
    },
    "/components/": {""},
    "/components/?kind=intent&sort=-changed": {""},
    "/components/shop/toolserver/shop-api/": {"findings", "versions"},
    "/components/shop/toolserver/shop-api/?version=1": {"findings", "versions"},
    "/components/shop/records/spring/": {"findings", "versions", "rows"},
    "/components/shop/records/spring/?table=orders&q=%23W100": {"findings", "versions", "rows"},
    "/episodes/{episode}/": {"steps"},
    "/rounds/": {""},
    "/rounds/{round}/": {"", "codes", "domains"},
    "/rounds/{round}/?status=broken&sort=-took": {"", "codes", "domains"},
    "/rounds/{cancelled}/?state=cancelled": {"", "domains"},
    "/suspicions/": {""},
    "/suspicions/?reading=unread&sort=-passes": {""},
    "/suspicions/{fingerprint}/": {""},
    "/sample/": {""},
    "/sample/?verdict=unread&sort=environment": {""},
    "/audit/": {""},
    "/audit/?action=round.create": {""},
}
"""Address → the lists that it shows."""

NO_LISTS = {"table--change"}
"""Tables that are no lists: the fields of one row that was written."""


@pytest.fixture
def places(shop: Library, secret: Library, viewer: User) -> dict[str, Any]:
    """Sixty rounds, environments and findings, and what the addresses of their pages hold."""
    for number in range(12, MANY):
        shop.environments.append(seed.environment(shop, number))
    for _ in range(MANY - 2):
        seed.open_round([shop])
    going = seed.running_round([shop, secret], done=3)
    cancel(None, going)
    done = seed.finished_round([shop, secret], broken=0.6)
    check = Check.objects.filter(
        round=done, result__status="broken", environment__domain=shop.domain
    )[0]
    assert check.result is not None
    for kind in ("toolserver", "records"):
        component = check.environment.components.get(kind=kind)
        for number in range(MANY):
            Finding.objects.create(
                result=check.result,
                code="tool-crash",
                severity="blocking",
                kind=kind,
                component=component,
                version=component.current,
                place=f"place {number}",
                symbol="=symbol",
                fingerprint=f"{kind[:3]}{number}",
                message="one of many",
            )
    fault = faultcast.fault(faultcast.checks(done, "shop")[: MANY // 2], status="new")
    faultcast.suspect(fault, check.environment.components.get(kind="toolserver"))
    held = repaircast.searched(fault, looked_at=[one.pk for one in shop.environments[:MANY]])
    episode = check.result.episodes.get(agent__name="noop")
    make(None, episode, 1, "=it was right")
    intent = check.environment.components.get(kind="intent")
    Suspicion.objects.create(
        episode=episode,
        result=check.result,
        environment=check.environment,
        component=intent,
        kind="other-effect",
        explanation="=both",
        fingerprint="f" * 16,
    )
    sample = AuditSample.objects.create(name="spring", seed=1, size=MANY)
    AuditItem.objects.bulk_create(
        AuditItem(sample=sample, environment=one, bundle="", stratum="shop", population=MANY)
        for one in shop.environments
    )
    AuditEntry.objects.filter(domain=None).delete()  # the seed's, of both domains
    AuditEntry.objects.bulk_create(
        AuditEntry(action="round.create", target=f"round {number}", domain=shop.domain)
        for number in range(MANY)
    )
    return {
        "broken": check.environment.slug,
        "episode": check.result.episodes.get(agent__name="reference").key,
        "fault": fault.pk,
        "repair": held.pk,
        "fingerprint": "f" * 16,
        "result": check.result_id,
        "round": done.pk,
        "cancelled": going.pk,
    }


@dataclass
class Page(HTMLParser):
    """The links to downloads in a page, and the tables that have none in their section or page."""

    links: dict[str, tuple[str, int]] = field(default_factory=dict)
    """List → address, rows."""
    sections: list[list[str]] = field(default_factory=lambda: [[]])
    """The tables of the sections that are open, by their classes; the page is the first."""
    bare: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.has_link = [False]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        css = given.get("class") or ""
        if tag == "section":
            self.sections.append([])
            self.has_link.append(False)
        elif tag in {"table", "ol", "ul"} and css.startswith(
            ("table", "versions", "steps", "hits")
        ):
            self.sections[-1].append(css)
        elif "data-sheet" in given:
            self.links[given["data-sheet"] or ""] = (
                given["href"] or "",
                int(given["data-rows"] or 0),
            )
            self.has_link[-1] = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "section":
            tables, linked = self.sections.pop(), self.has_link.pop()
            if not linked and not self.has_link[0]:
                self.bare += [css for css in tables if not NO_LISTS & set(css.split())]


def rows_of(client: Client, url: str) -> list[dict[str, str]]:
    answer = client.get(url)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/csv")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_each_list_of_a_page_has_a_download_of_as_many_rows_as_the_page_says(
    reader: Client, places: dict[str, Any]
) -> None:
    for path, lists in PAGES.items():
        answer = reader.get(path.format(**places))
        assert answer.status_code == 200, path
        page = Page()
        page.feed(answer.content.decode())
        assert set(page.links) == lists, path
        assert not page.bare, path
        for name, (url, total) in page.links.items():
            rows = rows_of(reader, url)
            assert len(rows) == total > 0, (path, name)
            cells = [value for row in rows for value in row.values()]
            assert not [value for value in cells if "secret" in value or value.startswith("=")]


def test_lists_longer_than_a_page_are_whole(reader: Client, places: dict[str, Any]) -> None:
    for path in (
        "/environments/?format=csv",
        "/rounds/?format=csv",
        "/audit/?format=csv",
        "/sample/?format=csv",
        f"/rounds/{places['round']}/?format=csv",
        "/components/shop/toolserver/shop-api/?format=csv&list=findings",
        "/components/shop/records/spring/?format=csv&list=rows&table=orders",
    ):
        assert len(rows_of(reader, path)) >= MANY, path


def test_a_download_keeps_filters_and_order(reader: Client, places: dict[str, Any]) -> None:
    where = urlencode({"table": "orders", "q": "#W1003", "format": "csv", "list": "rows"})
    rows = rows_of(reader, f"/components/shop/records/spring/?{where}")
    assert all("#W1003" in row["row"] for row in rows)
    numbers = [int(row["round"]) for row in rows_of(reader, "/rounds/?format=csv&sort=round")]
    assert numbers == sorted(numbers)


def test_the_checks_of_an_environment_say_what_they_took_and_came_to(
    reader: Client, places: dict[str, Any]
) -> None:
    url = f"/environments/shop/{places['broken']}/?format=csv&list=checks"
    newest, cancelled = rows_of(reader, url)[:2]
    check = Check.objects.get(round=places["round"], environment__slug=places["broken"])
    assert check.result is not None
    played = list(check.result.episodes.all())
    assert newest["status"] == "broken"
    assert float(newest["seconds"]) == check.result.seconds
    assert int(newest["episodes"]) == len(played)
    assert int(newest["steps"]) == sum(episode.length for episode in played)
    assert int(newest["calls"]) == sum(episode.calls for episode in played) > 0
    assert int(newest["findings"]) == check.result.findings.count() > MANY
    assert (cancelled["state"], cancelled["status"], cancelled["calls"]) in {
        ("cancelled", "", ""),
        ("done", "solvable", cancelled["calls"]),
    }


def test_a_list_that_a_page_does_not_have_is_not_found(
    reader: Client, places: dict[str, Any]
) -> None:
    for path in ("/", f"/rounds/{places['round']}/", "/components/shop/toolserver/shop-api/"):
        assert reader.get(f"{path}?format=csv&list=nothing").status_code == 404
    Round.objects.all().delete()
    assert reader.get("/?format=csv&list=codes").status_code == 404


def test_downloads_are_for_those_who_may_read(client: Client, places: dict[str, Any]) -> None:
    for path in PAGES:
        address = path.format(**places)
        joint = "&" if "?" in address else "?"
        assert client.get(f"{address}{joint}format=csv")["Location"].startswith("/accounts/login/")
