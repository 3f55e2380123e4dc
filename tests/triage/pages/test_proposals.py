from __future__ import annotations

import csv
import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from components.versions import keep
from tests.browser.seed import Library
from tests.triage import proposalcast
from triage.models import Proposal, Trial
from triage.models.proposal import ProposalState
from triage.pages.foryou import for_you
from worlds.rule import Rule

QUERIES = 17


def titles(client: Client, query: str = "") -> list[str]:
    text = client.get(f"/proposals/{query}").content.decode()
    return re.findall(r'data-open><span class="cut">(.*?)</span>', text)


def lines(client: Client, query: str) -> list[dict[str, str]]:
    answer: Any = client.get(f"/proposals/{query}")
    return list(csv.DictReader(b"".join(answer.streaming_content).decode().splitlines()))


def test_the_queue_is_ranked_and_what_waits_comes_first(reader: Client, shop: Library) -> None:
    said: dict[str, dict[str, Any]] = {
        "harms": {"fixed": 9, "regressed": 1},
        "mends less": {"held_out_fixed": 1, "fixed": 2, "edit_size": 1},
        "mends most": {"held_out_fixed": 2, "fixed": 5},
        "mends most with more": {"held_out_fixed": 2, "fixed": 5, "edit_size": 9},
    }
    for title, report in said.items():
        proposalcast.trial([proposalcast.proposal(shop, title=title)], **report)
    cites_nothing = proposalcast.proposal(shop, title="cites nothing", authority="")
    proposalcast.trial([cites_nothing], held_out_fixed=9, fixed=9)
    proposalcast.proposal(shop, title="written", state=ProposalState.DRAFT)
    proposalcast.proposal(shop, title="over", state=ProposalState.APPROVED)
    ranked = ["mends most", "mends most with more", "mends less", "harms", "cites nothing"]
    assert titles(reader) == [*ranked, "written", "over"]
    assert titles(reader, "?sort=-newest")[0] == "over"


def test_filters_by_state_domain_kind_fault_author_and_words(
    reader: Client, reviewer: User, shop: Library
) -> None:
    row, _ = proposalcast.tried(shop, author=reviewer)
    proposalcast.proposal(shop, title="another", state=ProposalState.DRAFT)
    mine = ["Give the money back"]
    for query in ("state=waiting", f"fault={row.fault_id}", "author=reviewer", "q=money"):
        assert titles(reader, f"?{query}") == mine, query
    assert len(titles(reader, "?kind=toolserver&domain=shop&q=shop-api")) == 2
    assert titles(reader, "?kind=rule") == []
    assert titles(reader, "?author=command+line") == ["another"]
    text = reader.get("/proposals/").content.decode()
    assert "cancel_order keeps the money" in text  # the fault by its name


def test_a_trial_of_before_an_edit_says_nothing(reader: Client, shop: Library) -> None:
    row, done = proposalcast.tried(shop)
    assert f"/trials/{done.pk}/?move=fixed" in reader.get("/proposals/").content.decode()
    Trial.objects.filter(pk=done.pk).update(created=row.created.replace(year=2020))
    assert "?move=fixed" not in reader.get("/proposals/").content.decode()


def test_the_csv_has_what_the_trial_reported(
    reader: Client, shop: Library, secret: Library
) -> None:
    proposalcast.tried(shop)
    proposalcast.proposal(secret)
    (line,) = lines(reader, "?format=csv")
    assert (line["fixed"], line["held_out"], line["components"]) == (
        "2",
        "1",
        "toolserver/shop-api",
    )


def test_several_are_tried_together_and_approved_at_once(
    client: Client, reviewer: User, shop: Library
) -> None:
    client.force_login(reviewer)
    one, other = (proposalcast.proposal(shop, title=name) for name in ("one", "other"))
    rule = shop.parts[0]
    assert rule.current is not None
    other.changes.all().delete()
    said = rule.current.body.content
    proposalcast.change(other, rule, keep(Rule.parse({**said, "judgement": []})))
    answer = client.post("/proposals/try/", {"proposal": [one.pk, other.pk]})
    made = Trial.objects.get()
    assert answer["Location"] == f"/trials/{made.pk}/"
    made.delete()
    Proposal.objects.update(state=ProposalState.WAITING)
    done = proposalcast.trial([one, other])
    proposalcast.untouched(done, shop)
    text = client.get(f"/trials/{done.pk}/").content.decode()
    assert "Approve all 2" in text
    read = {f"revision-{row.pk}": row.revision for row in (one, other)}
    refused = client.post(f"/trials/{done.pk}/approve/", {f"revision-{one.pk}": 1}, follow=True)
    assert "None of them was approved" in refused.content.decode()
    assert client.post(f"/trials/{done.pk}/approve/", read).status_code == 302
    assert set(Proposal.objects.values_list("state", flat=True)) == {"approved"}


def test_with_nothing_chosen_nothing_is_tried(
    client: Client, reviewer: User, viewer: User, shop: Library
) -> None:
    row = proposalcast.proposal(shop)
    client.force_login(reviewer)
    answer = client.post("/proposals/try/", {"proposal": "nonsense"}, follow=True)
    assert "Nothing was tried" in answer.content.decode()
    client.force_login(viewer)
    assert client.post("/proposals/try/", {"proposal": row.pk}).status_code == 403
    assert not Trial.objects.exists()


def test_every_number_of_a_trial_is_what_its_list_counts(reader: Client, shop: Library) -> None:
    _, done = proposalcast.tried(shop)
    proposalcast.outcome(
        done,
        shop.environments[5],
        5,
        move="regressed",
        accepted_to_rejected=1,
        rejected_to_accepted=2,
        weakened=["an undone write"],
        drift=[{"what": "effect"}],
        rejudged={"accepted_to_rejected": 1, "rejected_to_accepted": 1},
    )
    for query, number in {
        "move=fixed": 2,
        "move=regressed": 1,
        "shows=lost": 1,
        "shows=gained": 1,
        "shows=cured": 3,
        "shows=held-out": 1,
        "shows=diverged": 3,
        "shows=rejudged-lost": 1,
        "shows=rejudged-gained": 1,
        "shows=weakened": 1,
        "shows=drift": 1,
        "shows=nonsense": 0,
        "q=reorder": 1,
    }.items():
        text = reader.get(f"/trials/{done.pk}/?{query}").content.decode()
        assert text.count("<tr data-row") == number, query


def test_the_overview_says_what_waits(
    reader: Client, viewer: User, shop: Library, secret: Library, done: Any
) -> None:
    proposalcast.tried(shop)
    proposalcast.proposal(secret)
    running = proposalcast.trial([proposalcast.proposal(shop, title="x")], state="running")
    said = for_you(viewer)
    assert (said["waiting"], said["fix"], said["trials"]) == (2, 2, [running])
    assert for_you(viewer, ["elsewhere"])["waiting"] == 0
    text = reader.get("/").content.decode()
    assert '2 to decide on</a>, <span class="met">+2 environments</span> if approved' in text


def test_the_queries_do_not_grow_with_the_proposals(
    reader: Client, shop: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    proposalcast.tried(shop)
    reader.get("/proposals/")
    with django_assert_num_queries(QUERIES):
        reader.get("/proposals/")
    for number in range(5):
        proposalcast.trial([proposalcast.proposal(shop, title=str(number))])
    with django_assert_num_queries(QUERIES):
        reader.get("/proposals/")
