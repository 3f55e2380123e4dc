from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from components.versions import keep
from tests.browser import seed
from tests.browser.seed import Library
from tests.triage import proposalcast
from triage.models import Proposal, Trial
from triage.models.proposal import ProposalState
from worlds.patch import patch_of
from worlds.recordset import Recordset
from worlds.toolserver_body import OutsideBody, ToolServerBody

QUERIES = 28


@pytest.fixture
def judge(client: Client, reviewer: User) -> Client:
    """A browser in which a reviewer is logged in."""
    client.force_login(reviewer)
    return client


def page(client: Client, row: Proposal, query: str = "") -> str:
    answer = client.get(f"/proposals/{row.pk}/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def decide(client: Client, row: Proposal, decision: str, **said: str) -> tuple[int, str]:
    data = {"decision": decision, "revision": str(row.revision), **said}
    answer = client.post(f"/proposals/{row.pk}/decide/", data)
    return answer.status_code, answer.content.decode()


def test_marks_the_words_that_change_side_by_side(reader: Client, shop: Library) -> None:
    row, _ = proposalcast.tried(shop)
    text = page(reader, row)
    assert "<ins>, &quot;refund&quot;: order[&quot;total&quot;]</ins>" in text
    assert "25 lines the same" in text


def test_the_first_numbers_are_the_verdicts_that_change_and_link_to_what_they_count(
    reader: Client, shop: Library
) -> None:
    row, done = proposalcast.tried(shop, accepted_to_rejected=2)
    text = page(reader, row)
    assert text.index("pass→fail") < text.index("<dt>fixed</dt>")
    assert f'<a href="/trials/{done.pk}/?shows=lost">2</a>' in text
    assert f'<a href="/trials/{done.pk}/?move=fixed">2</a>' in text
    assert 'figure--bad"><dt>pass→fail' in text


def test_an_environment_is_shown_up_to_the_first_step_that_differs(
    reader: Client, shop: Library
) -> None:
    row, done = proposalcast.tried(shop)
    text = page(reader, row)
    assert "4 steps before that are the same" in text
    for outcome in done.outcomes.filter(environment=shop.environments[0]):
        for result in (outcome.before, outcome.after):
            assert result is not None
            key = result.episodes.get().key
            assert f'href="/episodes/{key}/?step=6"' in text
    other = page(reader, row, f"?environment={shop.environments[1].pk}")
    assert "change-address-001</a>" in other


def test_says_what_it_rests_on_who_is_suspected_and_what_was_not_checked(
    reader: Client, shop: Library
) -> None:
    row, _ = proposalcast.tried(shop)
    text = page(reader, row)
    assert "Cancel a pending order and give back the money." in text
    assert "2 findings point at cancel_order" in text
    assert "nondeterministic (3 environments)" in text
    assert "7 stored episodes" in text


def test_says_what_there_was_no_time_for_and_links_trouble_to_what_it_counts(
    reader: Client, shop: Library
) -> None:
    row, done = proposalcast.tried(shop, errors=1, rejudged={"untried": 4, "unscored": 3})
    done.outcomes.filter(pk=done.outcomes.order_by("pk")[0].pk).update(error="It was too slow.")
    text = page(reader, row)
    assert "<dt>4 stored episodes</dt><dd>there was no time" in text
    assert "<dt>3 stored episodes</dt>" in text
    assert f'<a href="/trials/{done.pk}/?shows=trouble">1</a>' in text
    shown = reader.get(f"/trials/{done.pk}/?shows=trouble").content.decode()
    assert shown.count("<tr data-row") == 1


def test_a_trial_of_what_was_edited_since_says_so(reader: Client, shop: Library) -> None:
    row, done = proposalcast.tried(shop)
    said = "What it tried is not what is proposed now"
    assert said not in reader.get(f"/trials/{done.pk}/").content.decode()
    row.changes.update(body=keep(ToolServerBody(source=proposalcast.source("None"))))
    assert said in reader.get(f"/trials/{done.pk}/").content.decode()


def test_of_records_only_the_rows_that_change_are_drawn(reader: Client, shop: Library) -> None:
    row = proposalcast.proposal(shop)
    records = shop.parts[1]
    assert records.current is not None
    content = records.current.body.content
    content["tables"]["orders"][0]["total"] = 4321.5
    proposalcast.change(row, records, keep(Recordset.parse(content)))
    text = page(reader, row)
    assert text.count("4321") == 1
    assert "<code>orders/" in text


def test_a_viewer_decides_nothing(reader: Client, shop: Library) -> None:
    row, done = proposalcast.tried(shop)
    assert "Approve" not in page(reader, row)
    assert decide(reader, row, "approve")[0] == 403
    assert reader.post(f"/proposals/{row.pk}/try/").status_code == 403
    assert reader.post(f"/trials/{done.pk}/approve/").status_code == 403
    assert reader.post(f"/trials/{done.pk}/cancel/").status_code == 403


def test_a_reviewer_approves(judge: Client, reviewer: User, shop: Library) -> None:
    row, done = proposalcast.tried(shop)
    proposalcast.untouched(done, shop)
    assert "Why it is right in spite of that" not in page(judge, row)
    assert decide(judge, row, "approve", comment="it does")[0] == 302
    row.refresh_from_db()
    assert (row.state, row.decided_by, row.comment) == ("approved", reviewer, "it does")
    text = page(judge, row)
    assert "it does" in text
    assert 'data-page-key="a"' not in text


def test_what_stands_against_it_is_said_and_asks_for_a_reason(judge: Client, shop: Library) -> None:
    row, _ = proposalcast.tried(shop, regressed=1, weakens=True)
    assert "Why it is right in spite of that" in page(judge, row)
    status, text = decide(judge, row, "approve", comment="keep me <b>")
    assert status == 409
    assert "keep me &lt;b&gt;" in text
    row.refresh_from_db()
    assert row.state == "waiting"
    assert decide(judge, row, "approve", override="the one is wrong itself")[0] == 302
    row.refresh_from_db()
    assert row.override == "the one is wrong itself"


def test_it_is_rejected_with_a_reason_and_deferred_with_or_without(
    judge: Client, shop: Library
) -> None:
    row, _ = proposalcast.tried(shop)
    assert decide(judge, row, "reject")[0] == 409
    assert decide(judge, row, "defer")[0] == 302
    row.refresh_from_db()
    assert row.state == "deferred"
    assert decide(judge, row, "reject", comment="no clause says so")[0] == 302
    row.refresh_from_db()
    assert (row.state, row.comment) == ("rejected", "no clause says so")
    assert decide(judge, row, "eat")[0] == 409


def test_who_read_another_revision_is_told_and_keeps_the_words(
    judge: Client, shop: Library
) -> None:
    row, _ = proposalcast.tried(shop)
    Proposal.objects.filter(pk=row.pk).update(revision=2)
    status, text = decide(judge, row, "approve", comment="well done")
    assert status == 409
    assert "Nothing was decided" in text
    assert 'value="well done"' in text
    assert 'name="revision" value="2"' in text


def test_one_that_was_not_tried_offers_a_trial_and_no_approval(
    judge: Client, shop: Library
) -> None:
    row = proposalcast.proposal(shop, state=ProposalState.DRAFT)
    text = page(judge, row)
    assert "Not tried as it is now" in text
    assert "Try it" in text
    assert 'data-page-key="a"' not in text
    assert judge.post(f"/proposals/{row.pk}/try/").status_code == 302
    made = Trial.objects.get(proposals=row)
    assert made.until == "full"
    assert f'id="trial-progress-{made.pk}"' in page(judge, row)


def test_a_running_trial_is_polled_and_cancelled(judge: Client, shop: Library) -> None:
    row = proposalcast.proposal(shop, state=ProposalState.TRYING)
    made = proposalcast.trial([row], state="running", stage="probe")
    Trial.objects.filter(pk=made.pk).update(done=12, total=40)
    progress = judge.get(f"/trials/{made.pk}/progress/")
    assert "12 of 40" in progress.content.decode()
    assert "HX-Refresh" not in progress
    assert judge.post(f"/trials/{made.pk}/cancel/")["Location"] == f"/proposals/{row.pk}/"
    made.refresh_from_db()
    assert made.state == "cancelled"
    assert judge.get(f"/trials/{made.pk}/progress/")["HX-Refresh"] == "true"
    assert judge.post(f"/trials/{made.pk}/cancel/").status_code == 302


def test_hostile_words_stay_words(reader: Client, shop: Library) -> None:
    evil = "<script>alert(1)</script>"
    row = proposalcast.proposal(
        shop,
        title=evil,
        reason=evil,
        authority=evil,
        body=proposalcast.source(f'"{evil}"'),
        decided=timezone.now(),
        comment=evil,
        override=evil,
    )
    done = proposalcast.trial([row])
    proposalcast.outcome(
        done, shop.environments[0], 0, weakened=[evil], drift=[{"what": evil, "before": evil}]
    )
    for path in (f"/proposals/{row.pk}/", "/proposals/", f"/trials/{done.pk}/"):
        text = reader.get(path).content.decode()
        assert evil not in text, path
        assert "alert(1)" in text, path


def test_of_a_domain_kept_for_others_there_is_nothing(
    judge: Client, shop: Library, secret: Library
) -> None:
    row, done = proposalcast.tried(secret_of_three(secret))
    for path in (f"/proposals/{row.pk}/", f"/proposals/{row.pk}/edit/", f"/trials/{done.pk}/"):
        assert judge.get(path).status_code == 404, path
    for path in (f"/proposals/{row.pk}/decide/", f"/proposals/{row.pk}/try/"):
        assert judge.post(path).status_code == 404, path
    assert judge.get(f"/trials/{done.pk}/progress/").status_code == 404
    mine = proposalcast.proposal(shop)
    both = proposalcast.trial([row, mine])
    assert judge.get(f"/trials/{both.pk}/").status_code == 404


def secret_of_three(made: Library) -> Library:
    made.environments.append(seed.environment(made, 2))
    assert Group.objects.filter(name="insiders").exists()
    return made


def test_the_queries_do_not_grow_with_the_environments(
    reader: Client, shop: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    row, done = proposalcast.tried(shop)
    page(reader, row)
    with django_assert_num_queries(QUERIES):
        page(reader, row)
    for number, environment in enumerate(shop.environments[3:9], 3):
        proposalcast.outcome(done, environment, number, weakened=["an undone write"])
    with django_assert_num_queries(QUERIES):
        page(reader, row)


def patched(shop: Library) -> Proposal:
    """A proposal, tried in full, that patches the source of a server outside."""
    row = proposalcast.proposal(shop)
    old, new = "one\ntwo\nthree\n", "one\ntwo and more\nthree\n"
    patch = patch_of({"a.py": old * 20}, {"a.py": old * 15 + new + old * 4})
    row.changes.update(body=keep(OutsideBody(server="crm", patch=patch)))
    proposalcast.trial([row])
    return row


def test_a_patch_is_shown_taken_as_a_file_and_not_approved(judge: Client, shop: Library) -> None:
    row = patched(shop)
    text = page(judge, row)
    assert "<code>a.py:44</code>" in text
    assert '<td class="diff__number">47</td>' in text
    assert f'href="/proposals/{row.pk}/patch/"' in text
    assert 'data-page-key="a"' not in text
    assert 'data-page-key="e"' not in text
    answer = judge.get(f"/proposals/{row.pk}/patch/")
    assert answer["Content-Type"] == "text/x-diff; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="proposal-{row.pk}.patch"'
    assert "+two and more\n" in answer.content.decode()
    status, text = decide(judge, row, "approve")
    assert status == 409
    assert "no approval changes" in text
    assert judge.get(f"/proposals/{row.pk}/edit/").status_code == 302


def test_what_patches_nothing_has_no_patch(reader: Client, shop: Library) -> None:
    row, _ = proposalcast.tried(shop)
    assert "/patch/" not in page(reader, row)
    assert reader.get(f"/proposals/{row.pk}/patch/").status_code == 404


def test_the_patch_of_a_domain_kept_for_others_is_not_there(
    reader: Client, secret: Library
) -> None:
    assert reader.get(f"/proposals/{patched(secret).pk}/patch/").status_code == 404
