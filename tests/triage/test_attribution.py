"""Attribution from end to end: a tool server forgets to save, and who did it is found and proven."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.utils import timezone

from components.models import AuditEntry
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_counterexamples import checked
from tests.triage.trying import FORGETS, SAVES, intent_of
from triage import attribution, jobs, ties
from triage.attribution import attribute, work
from triage.faults import gather
from triage.labelling import label
from triage.models import (
    Attribution,
    Fault,
    Finding,
    Result,
    Round,
    Suspect,
    Swap,
    Symptom,
)
from triage.models.attribution import Party
from triage.models.job import JobState
from worlds.recordset import Recordset
from worlds.toolserver_body import ToolServerBody

MANY = 6


def gathered() -> Round:
    """A round over everything, worked off and gathered."""
    made = checked()
    Round.objects.filter(pk=made.pk).update(finished=timezone.now())
    made.refresh_from_db()
    gather(made)
    return made


@pytest.fixture
def fault(shop: Shop) -> Fault:
    """What a round showed after the pen's second version dropped what it was told to write; its first was sound."""
    for number in range(MANY):
        shop.sound(f"task-{number}")
    gathered()
    shop.component("pen", FORGETS)
    gathered()
    return Fault.objects.get()


def weighed(fault: Fault) -> Attribution:
    """An attribution, worked on here to its end."""
    held = attribute(None, fault, queue=False)
    assert jobs.run(Attribution, held.pk, "here", work)
    held.refresh_from_db()
    return held


def cited(row: Suspect, sort: str) -> list[dict[str, Any]]:
    return [each for each in row.evidence if each["sort"] == sort]


def test_one_fault_of_a_server_is_gathered_from_findings_that_blame_each_intent(
    fault: Fault,
) -> None:
    assert fault.environments == MANY
    assert fault.symptoms.count() >= MANY
    assert set(fault.symptoms.values_list("kind", flat=True)) == {"intent"}
    best = fault.suspects.first()
    assert best is not None
    assert (best.component and best.component.slug, best.attribution) == ("pen", None)


def test_the_server_is_confirmed_by_its_earlier_version(fault: Fault) -> None:
    held = weighed(fault)
    assert (held.state, held.error) == (JobState.DONE, "")
    rows = list(fault.suspects.all())
    best = rows[0]
    assert best.component is not None
    assert best.version is not None
    assert (best.component.slug, best.version.number, best.symbol) == ("pen", 2, "write")
    assert (best.state, best.rank, best.party) == ("confirmed", 1, Party.COMPONENT)
    assert best.score > 0.9
    assert {row.attribution for row in rows} == {held}
    assert all(row.state != "confirmed" for row in rows[1:])
    assert 0 < sum(row.score for row in rows) <= 1 + 1e-9
    (swapped,) = [each for each in cited(best, "counterfactual") if "pen v1" in each["text"]]
    assert swapped["text"].endswith("3 of 3 failing environments pass.")
    assert Result.objects.get(pk=swapped["cites"]["result"]).status == "solvable"
    assert not best.question


def test_the_version_that_brought_it_in_is_named(fault: Fault, shop: Shop) -> None:
    shop.component("pen", ToolServerBody(source=f"{FORGETS.source}\n# nothing else\n"))
    gathered()
    weighed(fault)
    best = fault.suspects.all()[0]
    texts = [each["text"] for each in cited(best, "version")]
    assert texts == [
        "pen v2 brought it in, after v1.",
        "The environment passes with pen v1.",
        "It fails with pen v2.",
    ]
    assert cited(best, "version")[0]["cites"] == {"version": shop.server.versions.get(number=2).pk}


def test_all_that_evidence_cites_may_be_opened(
    fault: Fault, shop: Shop, client: Client, viewer: User
) -> None:
    shop.component("pen", ToolServerBody(source=f"{FORGETS.source}\n# nothing else\n"))
    gathered()
    held = weighed(fault)
    client.force_login(viewer)
    keys = {
        each["cites"]["result"]
        for row in fault.suspects.all()
        for each in row.evidence
        if "result" in each["cites"]
    }
    assert keys
    assert keys <= set(held.tried.values_list("pk", flat=True))
    for key in keys:
        page = client.get(f"/results/{key}/")
        assert page.status_code == 200
        assert "Nobody wrote down" not in page.content.decode()
    for swap in Swap.objects.filter(attribution=held):
        assert swap.environment is not None
        assert swap.manifest
    cites = [each["cites"] for row in fault.suspects.all() for each in row.evidence]
    findings = {each["finding"] for each in cites if "finding" in each}
    assert findings <= set(Finding.objects.values_list("pk", flat=True))


def test_a_result_that_no_round_has_may_be_opened_too(
    shop: Shop, client: Client, viewer: User
) -> None:
    """Versions that no round ever checked are told apart by checks of the job's own."""
    shop.sound("a")
    gathered()
    for number in range(2):
        shop.component("pen", ToolServerBody(source=f"{SOURCE}\n# {number}\n"))
    shop.component("pen", FORGETS)
    gathered()
    weighed(Fault.objects.get())
    ours = Result.objects.filter(checks=None)
    assert ours.exists()
    assert set(ours.visible_to(viewer)) == set(
        Result.objects.filter(swaps__isnull=False, checks=None)
    )
    best = Suspect.objects.first()
    assert best is not None
    client.force_login(viewer)
    for each in cited(best, "version")[1:]:
        assert client.get(f"/results/{each['cites']['result']}/").status_code == 200


def test_who_goes_on_after_a_loss_runs_nothing_again(fault: Fault) -> None:
    held = attribute(None, fault, queue=False)
    lost = jobs.claim(Attribution, held.pk, "lost")
    steps = work(lost)  # type: ignore[arg-type]  # it was claimed
    assert next(steps)[0] == 1
    assert next(steps)[0] == 1  # one swap is done, and its suspect may have others
    assert next(done for done, _ in steps if done > 1) == 2
    stored = dict(Result.objects.values_list("pk", "created"))
    Attribution.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert jobs.take_back(Attribution) == 1
    assert jobs.run(Attribution, held.pk, "another", work)
    held.refresh_from_db()
    assert (held.state, held.attempt) == (JobState.DONE, 2)
    assert stored.items() <= dict(Result.objects.values_list("pk", "created")).items()
    with pytest.raises(jobs.JobLost):
        list(steps)
    assert Swap.objects.filter(attribution=held).count() == held.tried.count()


def test_cancelled_in_the_middle_it_writes_no_suspects(fault: Fault, curator: User) -> None:
    before = list(fault.suspects.values())
    held = attribute(curator, fault, queue=False)

    def cancelled(mine: Attribution) -> Any:
        for done, total in work(mine):
            if done == 2:
                jobs.cancel(curator, Attribution.objects.get(pk=mine.pk))
            yield done, total

    assert jobs.run(Attribution, held.pk, "here", cancelled)
    held.refresh_from_db()
    assert (held.state, held.done) == (JobState.CANCELLED, 1)
    assert list(fault.suspects.values()) == before
    assert not Swap.objects.exists()


def test_cancelled_at_the_very_end_it_writes_nothing_either(
    fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list(fault.suspects.values())
    held = attribute(None, fault, queue=False)
    judged = attribution._judged

    def late(*given: Any) -> Any:
        jobs.cancel(None, Attribution.objects.get(pk=held.pk))
        return judged(*given)

    monkeypatch.setattr(attribution, "_judged", late)
    jobs.run(Attribution, held.pk, "here", work)
    held.refresh_from_db()
    assert held.state == JobState.CANCELLED
    assert list(fault.suspects.values()) == before
    assert not Swap.objects.exists()


def test_asked_twice_while_one_waits_it_is_the_same(fault: Fault, reviewer: User) -> None:
    first = attribute(reviewer, fault, queue=False)
    assert attribute(None, fault, queue=False) == first
    assert jobs.claim(Attribution, first.pk, "here") is not None
    assert attribute(None, fault, queue=False) == first
    assert AuditEntry.objects.filter(action="fault.attribute").count() == 1
    entry = AuditEntry.objects.get(action="fault.attribute")
    assert (entry.actor, entry.target) == (reviewer, str(fault))
    jobs.cancel(None, first)
    assert attribute(None, fault, queue=False) != first


def test_asked_again_it_replaces_what_was_said_and_runs_no_check(fault: Fault) -> None:
    weighed(fault)
    said = [(row.component, row.state, round(row.score, 9)) for row in fault.suspects.all()]
    stored = set(Result.objects.values_list("pk", flat=True))
    again = weighed(fault)
    assert [(row.component, row.state, round(row.score, 9)) for row in fault.suspects.all()] == said
    assert {row.attribution for row in fault.suspects.all()} == {again}
    assert set(Result.objects.values_list("pk", flat=True)) == stored


def test_where_nothing_shows_it_any_longer_it_fails_with_a_sentence(
    fault: Fault, reviewer: User
) -> None:
    before = list(fault.suspects.values())
    for found in Finding.objects.filter(fingerprint__in=Symptom.objects.values("fingerprint")):
        label(reviewer, found, is_right=False, reason="it is meant so")
    held = weighed(fault)
    assert held.state == JobState.FAILED
    assert held.error == (
        f"no finding that counts shows fault {fault.pk} in {fault.last_round} any longer"
    )
    assert list(fault.suspects.values()) == before


def test_without_a_round_there_is_nothing_to_weigh(fault: Fault) -> None:
    Fault.objects.update(last_round=None)
    with pytest.raises(jobs.JobFailed, match=f"no round that is kept shows fault {fault.pk}"):
        attribute(None, fault, queue=False)
    assert not Attribution.objects.exists()


def test_who_may_only_read_may_not_ask(fault: Fault, viewer: User, reviewer: User) -> None:
    with pytest.raises(PermissionDenied, match="may not have suspects weighed"):
        attribute(viewer, fault, queue=False)
    assert not Attribution.objects.exists()
    assert attribute(reviewer, fault, queue=False).author == reviewer


def test_an_intent_that_asks_for_something_else_is_blamed_and_no_server(shop: Shop) -> None:
    for number in range(MANY):
        shop.sound(f"task-{number}")
    gathered()
    made = shop.domain.environments.get(slug="task-0")
    goal = {"require": ["get('notes', 'N1').text == 'other'"], "changes": ["notes/N1#text"]}
    component, said = intent_of(made, goal=goal)
    shop.component(component.slug, said)
    gathered()
    fault = Fault.objects.get()
    weighed(fault)
    best = fault.suspects.all()[0]
    assert (best.component, best.state) == (component, "confirmed")
    pen = fault.suspects.filter(component=shop.server).first()
    assert pen is None or pen.score < best.score / 2


def test_where_nothing_stands_in_nobody_is_confirmed(shop: Shop) -> None:
    shop.component("pen", FORGETS)
    shop.sound("a")
    gathered()
    fault = Fault.objects.get()
    weighed(fault)
    assert {row.state for row in fault.suspects.all()} <= {
        "",
        "untestable",
        "cleared",
        "consistent",
    }


def test_lines_that_only_failing_ones_run_are_told_of_the_best_suspect(shop: Shop) -> None:
    branch = f'if len(text) > 3:\n        return {{"id": note_id, "text": text}}\n    {SAVES}'
    for slug in ("ab", "abc", "abcd", "abcde"):
        shop.sound(slug)
    gathered()
    shop.component("pen", ToolServerBody(source=SOURCE.replace(SAVES, branch)))
    gathered()
    fault = Fault.objects.get(code="plan-misses-goal")
    weighed(fault)
    best = fault.suspects.all()[0]
    assert best.symbol == "write"
    assert best.version is not None
    (told,) = [each for each in cited(best, "spectrum") if "failing attempts" in each["text"]]
    assert told["cites"]["version"] == best.version.pk
    assert told["text"].startswith(f"Line {told['cites']['line']} of `write` run")


def test_two_that_are_always_used_together_are_tied_and_asked_about(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.component("pen", FORGETS)
    shop.component("desk", Recordset.parse({"tables": {"notes": [{"id": "N1", "text": ""}]}}))
    shop.sound("a")
    gathered()
    fault = Fault.objects.get()
    monkeypatch.setattr(ties, "TIE", 0.0001)
    weighed(fault)
    rows = list(fault.suspects.all())
    first = [row for row in rows if row.rank == 1]
    assert len(first) > 1
    assert all(row.question.endswith("known to be right.") for row in first)
    assert all(not row.question for row in rows if row.rank > 1)


def test_a_finding_in_the_user_s_script_has_the_simulated_user_at_fault(fault: Fault) -> None:
    Finding.objects.filter(result__checks__round=fault.last_round).update(place="user.script[0]")
    weighed(fault)
    intents = fault.suspects.filter(component__kind="intent")
    assert {row.party for row in intents} <= {Party.USER}


def test_where_the_search_finds_another_way_the_plan_is_at_fault(shop: Shop) -> None:
    shop.searched("a", [{"call": "write", "args": {"note_id": "N9", "text": "b"}}])
    for slug in ("c", "d"):
        shop.sound(slug)
    made = gathered()
    assert made.checks.get(environment__slug="a").result.witness == "search"  # type: ignore[union-attr]
    fault = Fault.objects.get()
    weighed(fault)
    row = fault.suspects.get(component__kind="intent")
    assert row.party == Party.PLAN
    assert any("Another way than its plan" in each["text"] for each in cited(row, "direct"))


def test_it_is_cancelled_by_who_asked_and_by_who_may_ask(
    fault: Fault, reviewer: User, viewer: User
) -> None:
    held = attribute(reviewer, fault, queue=False)
    with pytest.raises(PermissionDenied, match="may not cancel the weighing of suspects"):
        attribution.cancel(viewer, held)
    attribution.cancel(reviewer, held)
    assert (held.state, held.cancelled_by) == (JobState.CANCELLED, reviewer)
    assert AuditEntry.objects.get(action="attribution.cancel").target == str(fault)
    with pytest.raises(jobs.JobOver):
        attribution.cancel(reviewer, held)
    assert AuditEntry.objects.filter(action="attribution.cancel").count() == 1
