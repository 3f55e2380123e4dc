"""What counts: findings that are accepted, dismissed or of a code that demoted itself break nothing."""

from __future__ import annotations

import random
from typing import Any

import pytest
from django.contrib.auth.models import User

from components.models import Component, Environment
from tests.triage.shop import Shop
from tests.triage.test_labelling import labelled, run_round
from triage.labelling import label
from triage.models import Check, Finding, Label, Result, Round
from triage.models.check import pardoned
from triage.models.finding import Severity
from triage.pages import history
from triage.pages.present import Present
from triage.rounds import summary
from triage.standing import with_standing
from worlds.about import About
from worlds.check import Witness, decided

ACCEPTED = {"reason": "published so", "by": "ann"}


def standing() -> dict[str, str]:
    return {row.slug: row.status for row in with_standing(Environment.objects.order_by("slug"))}


def ended() -> list[str | None]:
    """How each check ended."""
    rows: Any = Check.objects.with_status()
    return list(rows.values_list("status", flat=True))


def dismiss(author: User, slug: str) -> None:
    """Label wrong all that blocks an environment."""
    for found in blocking(slug):
        label(author, found, is_right=False, reason="a slip")


def blocking(slug: str) -> list[Finding]:
    found = Finding.objects.filter(result__checks__environment__slug=slug, severity="blocking")
    return list(found.select_related("component", "version").distinct())


def accept(slug: str, at: str) -> None:
    """Accept all that blocks an environment at its `place` or `symbol`."""
    for found in blocking(slug):
        assert found.component is not None
        component = Component.objects.get(pk=found.component.pk)
        entry = {"code": found.code, "at": getattr(found, at), **ACCEPTED}
        component.about = {"accept": [*component.about.get("accept", []), entry]}
        component.save()


def test_a_dismissal_leaves_what_the_witness_proves(shop: Shop, reviewer: User) -> None:
    shop.vacuous("proven")
    shop.refused("unproven")
    shop.refused("left")
    run_round()
    assert standing() == dict.fromkeys(["left", "proven", "unproven"], "broken")
    dismiss(reviewer, "proven")
    dismiss(reviewer, "unproven")
    assert standing() == {"left": "broken", "proven": "solvable", "unproven": "unproven"}


def test_one_finding_that_counts_is_enough_to_break(shop: Shop, reviewer: User) -> None:
    shop.vacuous("a")
    run_round()
    first = blocking("a")[0]
    other = Finding.objects.get(pk=first.pk)
    other.pk, other.fingerprint = None, "another"
    other.save()
    dismiss(reviewer, "a")
    assert standing() == {"a": "solvable"}
    label(reviewer, other, is_right=True)
    assert standing() == {"a": "broken"}


@pytest.mark.parametrize("at", ["place", "symbol"])
def test_what_the_component_accepts_does_not_count_until_it_accepts_it_no_more(
    shop: Shop, at: str
) -> None:
    shop.vacuous("a")
    run_round()
    accept("a", at)
    assert standing() == {"a": "solvable"}
    Component.objects.update(about={})
    assert standing() == {"a": "broken"}


def test_an_acceptance_is_of_one_code_at_one_place(shop: Shop) -> None:
    shop.vacuous("a")
    run_round()
    for wrong in ({"code": "tool-crash"}, {"at": "elsewhere"}):
        accept("a", "place")
        for component in Component.objects.exclude(about={}):
            component.about["accept"] = [one | wrong for one in component.about["accept"]]
            component.save()
        assert standing() == {"a": "broken"}


def test_a_code_that_is_mostly_wrong_breaks_nothing_until_it_is_right_again(
    shop: Shop, reviewer: User
) -> None:
    shop.vacuous("a")
    run_round()
    for found in blocking("a"):
        labelled(found, reviewer, found.code, right=11, wrong=9)
    assert standing() == {"a": "solvable"}
    shown = Finding.objects.with_marks().get(pk=blocking("a")[0].pk)
    assert (shown.severity, shown.weight, shown.marks) == ("blocking", "advice", ["demoted"])
    Label.objects.filter(fingerprint__startswith="19-").update(is_right=True)
    assert standing() == {"a": "broken"}


def test_a_round_of_before_counts_by_the_same_rule_as_today(
    shop: Shop, reviewer: User, viewer: User
) -> None:
    shop.vacuous("a")
    shop.refused("b")
    run_round()
    made = Round.objects.get()
    before = summary(made)
    assert (before["solvable"], before["broken"], before["unproven"]) == (0, 2, 0)
    dismiss(reviewer, "a")
    dismiss(reviewer, "b")
    after = summary(made)
    assert (after["solvable"], after["broken"], after["unproven"]) == (1, 0, 1)
    assert after["solvability"] == 0.5
    tally = history.by_round([made], viewer)[made.pk]
    assert (tally.solvable, tally.broken, tally.unproven) == (1, 0, 1)
    assert Present(viewer).every.whole.solvability == 0.5
    assert history.by_intent(Check.objects.all()) == (2, 1)
    assert set(Result.objects.values_list("status", flat=True)) == {"broken"}


def test_findings_by_code_in_a_summary_are_those_that_count(shop: Shop, reviewer: User) -> None:
    shop.vacuous("a")
    shop.vacuous("b")
    run_round()
    made, code = Round.objects.get(), blocking("a")[0].code
    assert summary(made)["findings"][code] == 2
    dismiss(reviewer, "a")
    assert summary(made)["findings"][code] == 1


def test_an_error_stays_an_error_and_what_waits_has_no_status(shop: Shop, reviewer: User) -> None:
    shop.vacuous("a")
    run_round()
    dismiss(reviewer, "a")
    Check.objects.update(state="error")
    assert standing() == {"a": "error"}
    Check.objects.update(state="queued", result=None)
    assert ended() == [None]


def test_what_is_accepted_reads_the_same_in_python_and_in_the_database(shop: Shop) -> None:
    shop.vacuous("a")
    run_round()
    found = blocking("a")[0]
    for at in (found.place, found.symbol, "elsewhere"):
        entry = {"code": found.code, "at": at, **ACCEPTED}
        Component.objects.filter(findings=found).update(about={"accept": [entry]})
        row = Finding.objects.for_list().get(pk=found.pk)
        assert row.is_accepted is (row.acceptance is not None) is (at != "elsewhere")
        if row.acceptance:
            assert (row.acceptance.reason, row.acceptance.by) == ("published so", "ann")


def test_the_database_decides_as_a_check_does(shop: Shop, reviewer: User) -> None:
    """Whatever the severities, marks and witness: `worlds.check.decided` over what counts."""
    shop.vacuous("a")
    run_round()
    check, sample = Check.objects.get(), blocking("a")[0]
    assert check.result is not None
    luck = random.Random(4)
    for _ in range(40):
        rows = [_drawn(luck, sample, reviewer, number) for number in range(luck.randrange(4))]
        witness: Witness = luck.choice(("", "plan", "search"))
        blocks: Any = [row for row in rows if row.severity == "blocking"]
        Result.objects.update(witness=witness, status=decided(blocks, witness))
        expected = decided((row for row in blocks if not _is_off(row)), witness)
        assert ended() == [expected]
        Finding.objects.all().delete()
        Label.objects.all().delete()


def _drawn(luck: random.Random, sample: Finding, author: User, number: int) -> Finding:
    """A finding like `sample`, dismissed or accepted or neither."""
    row = Finding.objects.create(
        result=sample.result,
        code=sample.code,
        severity=luck.choice(Severity.values),
        component=sample.component,
        version=sample.version,
        place=luck.choice(["here", "there"]),
        symbol="it",
        fingerprint=f"print {number}",
        message="",
    )
    entry = {"code": sample.code, "at": luck.choice(["here", "nowhere"]), **ACCEPTED}
    Component.objects.filter(findings=sample).update(about={"accept": [entry]})
    if luck.random() < 0.4:
        label(author, row, is_right=luck.random() < 0.3, reason="so")
    return row


def _is_off(row: Finding) -> bool:
    about = About.model_validate(Component.objects.get(findings=row).about)
    given = Label.objects.filter(fingerprint=row.fingerprint, place=row.place).first()
    is_accepted = about.accepting(row.code, row.place, row.symbol) is not None
    return is_accepted or (given is not None and not given.is_right)


def test_pardoned_results_are_asked_for_in_one_query(
    shop: Shop, reviewer: User, django_assert_num_queries: Any
) -> None:
    shop.vacuous("a")
    shop.refused("b")
    run_round()
    dismiss(reviewer, "a")
    with django_assert_num_queries(1):
        assert [row.witness for row in pardoned()] == ["plan"]
