"""One fault: its suspects with evidence, how and where it shows, what would mend it."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser import seed
from tests.browser.seed import Library
from tests.triage import faultcast
from tests.triage.faultcast import evidence
from tests.triage.pages.test_untrusted import EVIL
from triage.models import Check, Comment, Fault, Finding, Round, Suspect, Symptom


@pytest.fixture
def shown(done: Round) -> list[Check]:
    """Four checks of the shop."""
    return faultcast.checks(done, "shop")[:4]


@pytest.fixture
def row(shown: list[Check]) -> Fault:
    """What they all show."""
    return faultcast.fault(shown)


def page(client: Client, row: Fault) -> str:
    answer = client.get(f"/faults/{row.pk}/")
    assert answer.status_code == 200
    return answer.content.decode()


def table(client: Client, row: Fault, name: str) -> list[dict[str, str]]:
    answer = client.get(f"/faults/{row.pk}/?format=csv&list={name}")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    return list(csv.DictReader(io.StringIO(text)))


def cited(check: Check) -> list[dict[str, Any]]:
    """A sentence that cites each thing that can be cited, and some that cite what is not there."""
    assert check.result is not None
    server = faultcast.part(check, "toolserver")
    reference = check.result.episodes.get(agent__name="reference")
    finding = check.result.findings.get(
        symbol="cancel_order", place="cancel_order:24", code="plan-misses-goal"
    )
    return [
        evidence("direct", "cites a finding", finding=finding.pk),
        evidence("spectrum", "cites a step", episode=reference.key, step=3),
        evidence("counterfactual", "cites a result", result=check.result_id),
        evidence("version", "cites a line", version=server.current_id, line=7),
        evidence("direct", "cites an environment", environment=check.environment_id),
        evidence("direct", "cites nothing"),
        evidence("direct", "cites what is gone", finding=10**8),
        evidence("direct", "cites nonsense", finding="x", version=None),
    ]


def test_every_sentence_leads_to_what_it_cites(
    reader: Client, row: Fault, shown: list[Check]
) -> None:
    faultcast.suspect(row, faultcast.part(shown[0], "toolserver"), evidence=cited(shown[0]))
    text = page(reader, row)
    links = dict(re.findall(r'>cites ([\w ]+?) <a class="evidence__link" href="([^"]+)"', text))
    assert set(links) == {"a finding", "a step", "a result", "a line", "an environment"}
    for about, url in links.items():
        path, _, anchor = unescape(url).partition("#")
        behind = reader.get(path)
        assert behind.status_code == 200, about
        assert f'id="{anchor}"' in behind.content.decode() or not anchor, about
    assert "cites what is gone</p>" in text


def test_suspects_stand_by_rank_with_state_score_and_place(
    reader: Client, row: Fault, shown: list[Check]
) -> None:
    server, intent = (faultcast.part(shown[0], kind) for kind in ("toolserver", "intent"))
    for component, state in ((server, "confirmed"), (intent, "cleared")):
        faultcast.suspect(
            row,
            component,
            0.9 if component is server else 0.05,
            rank=1 if component is server else 2,
            state=state,
            symbol="cancel_order",
        )
    faultcast.suspect(row, None, 0.01, rank=3, party="infrastructure")
    text = page(reader, row)
    words = ["90.0%", "confirmed", "5.0%", "cleared", "infrastructure", "not swapped yet"]
    order = [text.index(f">{word}<") for word in words]
    assert order == sorted(order)
    assert "tie__said" not in text
    lines = table(reader, row, "suspects")
    assert [line["suspect"] for line in lines] == ["shop/shop-api", str(intent), "infrastructure"]


def test_a_tie_is_said_as_one_with_its_question(
    reader: Client, row: Fault, shown: list[Check]
) -> None:
    for kind in ("toolserver", "intent"):
        faultcast.suspect(row, faultcast.part(shown[0], kind), 0.5)
    Suspect.objects.filter(component__kind="intent").update(question="Does a sibling pass?")
    text = page(reader, row)
    assert "<strong>A tie</strong> of 2" in text
    assert "What would: Does a sibling pass?" in text


def test_counts_the_environments_that_show_it_now_and_by_round(
    reader: Client, row: Fault, shown: list[Check], shop: Library
) -> None:
    later = seed.open_round([shop])
    for check in shown[:2]:
        again = seed.finish(seed.queued(later, check.environment), "solvable", 50)
        if check is shown[0]:
            faultcast.sighted(row, again)
    later.finished = later.gathered = timezone.now()
    later.save()
    text = page(reader, row)
    links = re.findall(r'href="(/environments/\?fault=\d+&amp;round=\d+)">(\d+)<', text)
    assert [count for _, count in links] == ["1", "4"]
    for url, count in links:
        behind = reader.get(unescape(url)).content.decode()
        assert f'<span class="count">{count}</span>' in behind.split("</h1>")[0]
    now = {line["environment"] for line in table(reader, row, "environments")}
    assert now == {check.environment.slug for check in (shown[0], *shown[2:])}
    behind = reader.get(f"/environments/?fault={row.pk}").content.decode()
    assert '<span class="count">3</span>' in behind.split("</h1>")[0]


def test_what_changed_since_is_listed_by_its_last_check(
    reader: Client, row: Fault, shown: list[Check]
) -> None:
    intent = faultcast.part(shown[0], "intent")
    assert intent.current is not None
    other = faultcast.part(shown[1], "intent").current
    assert other is not None
    intent.current = intent.versions.create(number=9, body=other.body, reason="r", source="s")
    intent.save()
    lines = {line["environment"]: line["status"] for line in table(reader, row, "environments")}
    assert lines[shown[0].environment.slug] == "unverified"
    assert len(lines) == 4


def test_symptoms_say_what_was_found_and_where(
    reader: Client, row: Fault, shown: list[Check]
) -> None:
    Symptom.objects.create(fault=row, fingerprint="f" * 16, code="tool-crash", symbol="gone")
    seen, gone = table(reader, row, "symptoms")
    assert (seen["environments"], gone["environments"]) == ("4", "0")
    assert seen["message"].startswith("cancel_order saved nothing in ")
    text = page(reader, row)
    url = re.search(r'class="hit__count" href="([^"#]+)#(finding-\d+)"', text)
    assert url is not None
    assert f'id="{url[2]}"' in reader.get(url[1]).content.decode()


def test_lists_repairs_with_what_their_trials_showed(
    client: Client, reviewer: User, row: Fault, shown: list[Check]
) -> None:
    client.force_login(reviewer)
    server = faultcast.part(shown[0], "toolserver")
    faultcast.suspect(row, server)
    made = faultcast.proposal(row, server, state="waiting")
    text = page(client, row)
    assert "not tried" in text
    assert (
        f'href="/proposals/new/?fault={row.pk}&amp;component=shop/toolserver/{server.slug}"' in text
    )
    faultcast.trial(made, fixed=34, regressed=2)
    text = page(client, row)
    assert ">+34<" in text
    assert ">−2<" in text
    assert f'href="/proposals/{made.pk}/"' in text


def test_a_viewer_reads_and_is_offered_nothing(
    reader: Client, row: Fault, shown: list[Check]
) -> None:
    faultcast.suspect(row, faultcast.part(shown[0], "toolserver"))
    text = page(reader, row).split("<main")[1].split("</main>")[0]
    assert "<form" not in text
    assert "Write a repair" not in text
    assert "Nobody yet." in text


def test_a_fault_of_a_domain_kept_for_others_is_not_found(
    reader: Client, row: Fault, shop: Library
) -> None:
    shop.domain.readers.add(Group.objects.create(name="others"))
    assert reader.get(f"/faults/{row.pk}/").status_code == 404
    assert reader.get("/faults/99999/").status_code == 404
    assert f"fault={row.pk}" not in reader.get("/").content.decode()
    listed = reader.get(f"/environments/?fault={row.pk}").content.decode()
    assert "Nothing fits these filters." in listed


def test_what_tools_and_people_made_up_is_text(
    client: Client, reviewer: User, row: Fault, shown: list[Check]
) -> None:
    client.force_login(reviewer)
    server = faultcast.part(shown[0], "toolserver")
    for kind in ("toolserver", "intent", "records", "rule"):
        faultcast.suspect(
            row,
            faultcast.part(shown[0], kind),
            symbol=EVIL,
            question=EVIL,
            evidence=[evidence(EVIL, EVIL, result=EVIL), evidence("direct", EVIL, episode=EVIL)],
        )
    Symptom.objects.update(symbol=EVIL, code=EVIL[:40])
    Finding.objects.update(message=EVIL, symbol=EVIL)
    Comment.objects.create(fault=row, text=EVIL)
    faultcast.proposal(row, server, title=EVIL)
    faultcast.weighing(row, "failed", error=EVIL, finished=timezone.now())
    Fault.objects.update(title=EVIL, status="archived", archived_because=EVIL)
    for url in (
        f"/faults/{row.pk}/",
        "/faults/?status=archived",
        f"/environments/shop/{shown[0].environment.slug}/",
        "/components/shop/toolserver/shop-api/",
    ):
        text = client.get(url).content.decode()
        assert "<script>alert" not in text, url
        assert "<img src=x" not in text, url


def test_its_environments_and_components_lead_to_it(
    reader: Client, row: Fault, shown: list[Check]
) -> None:
    one = faultcast.suspect(row, faultcast.part(shown[0], "toolserver"))
    link = f'href="/faults/{row.pk}/"'
    assert link in reader.get(f"/environments/shop/{shown[0].environment.slug}/").content.decode()
    used = reader.get("/components/shop/toolserver/shop-api/").content.decode()
    assert f'href="/faults/{row.pk}/#suspect-{one.pk}"' in used
    Fault.objects.update(status="fixed")
    used = reader.get("/components/shop/toolserver/shop-api/").content.decode()
    assert "Suspected of" not in used


def test_the_queries_do_not_grow_with_suspects_sentences_and_environments(
    reader: Client,
    row: Fault,
    shown: list[Check],
    done: Round,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for size in (1, 5):
        for _ in range(size):
            server = faultcast.part(shown[0], "toolserver")
            faultcast.suspect(row, server, evidence=cited(shown[0]) * size)
        faultcast.proposal(row, server)
        page(reader, row)
        with django_assert_num_queries(QUERIES):
            page(reader, row)
        for check in faultcast.checks(done, "shop")[4:]:
            if size == 1:
                faultcast.sighted(row, check)


QUERIES = 32
