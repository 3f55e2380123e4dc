"""Labels: who may give them, what they hold for, what they leave in the log."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from components.models import AuditEntry, Component
from tests.conftest import member
from tests.triage.shop import Shop
from triage.labelling import MOST, LabelInvalid, label, labels_of
from triage.models import Finding, Label
from triage.rounds import create_round
from triage.work import work_off
from worlds.intent import Intent


def run_round() -> None:
    made = create_round(None, queue=False)
    list(work_off(list(made.checks.values_list("pk", flat=True)), "here"))


@pytest.fixture
def found(shop: Shop) -> Finding:
    """What a check found in an environment that is broken."""
    shop.refused("a")
    run_round()
    return Finding.objects.get(code="plan-refused")


def marked(found: Finding) -> Finding:
    return Finding.objects.with_marks().get(pk=found.pk)


def test_a_label_keeps_what_it_is_about(found: Finding, reviewer: User) -> None:
    made = label(reviewer, found, is_right=False, reason="  the note is made first \x00")
    assert (made.code, made.fingerprint, made.place) == (found.code, found.fingerprint, found.place)
    assert (made.component, made.version) == (found.component, found.version)
    assert (made.domain.slug, made.author) == ("notes", reviewer)
    assert (made.word, made.reason) == ("wrong", "the note is made first \ufffd")


@pytest.mark.parametrize("group", ["reviewer", "curator", "admin"])
def test_reviewers_and_above_may_label(
    found: Finding, group: str, request: pytest.FixtureRequest
) -> None:
    label(request.getfixturevalue(group), found, is_right=True)
    assert Label.objects.get().is_right


def test_a_viewer_is_refused_in_a_sentence(found: Finding, viewer: User) -> None:
    with pytest.raises(PermissionDenied, match=r"viewer may not label findings.*triage\.add_label"):
        label(viewer, found, is_right=True)
    assert not Label.objects.exists()


def test_who_may_not_see_the_domain_may_not_label_in_it(found: Finding, reviewer: User) -> None:
    assert found.component is not None
    found.component.domain.readers.add(Group.objects.create(name="insiders"))
    with pytest.raises(LabelInvalid, match="there is no finding"):
        label(reviewer, found, is_right=True)


def test_a_dismissal_needs_a_reason(found: Finding, reviewer: User) -> None:
    with pytest.raises(LabelInvalid, match="needs a reason"):
        label(reviewer, found, is_right=False, reason=" \n")
    with pytest.raises(LabelInvalid, match=f"say it in {MOST}"):
        label(reviewer, found, is_right=False, reason="x" * (MOST + 1))
    assert not Label.objects.exists()
    assert not AuditEntry.objects.filter(action="finding.label").exists()


def test_a_later_label_of_the_same_author_replaces_it_and_the_log_keeps_both(
    found: Finding, reviewer: User
) -> None:
    first = label(reviewer, found, is_right=False, reason="a slip")
    second = label(reviewer, found, is_right=True)
    assert Label.objects.get() == second == first
    assert second.at > first.at
    newest, oldest = AuditEntry.objects.filter(action="finding.label")
    assert newest.detail["replaced"] == {"label": "wrong", "reason": "a slip"}
    assert "replaced" not in oldest.detail
    assert oldest.domain == second.domain
    assert oldest.actor == reviewer


def test_saying_the_same_again_writes_nothing(found: Finding, reviewer: User) -> None:
    for _ in range(2):
        label(reviewer, found, is_right=False, reason="a slip")
    assert AuditEntry.objects.filter(action="finding.label").count() == 1


def test_where_authors_disagree_the_newest_counts(
    found: Finding, reviewer: User, curator: User
) -> None:
    label(reviewer, found, is_right=False, reason="a slip")
    label(curator, found, is_right=True)
    assert not marked(found).is_dismissed
    label(reviewer, found, is_right=False, reason="it is, look at step 2")
    assert marked(found).is_dismissed
    assert Label.objects.count() == 2
    assert [one.author for one in labels_of([found])[found.pk]] == [reviewer, curator]
    assert Label.objects.precisions()["plan-refused"].labels == 1


def test_a_label_holds_in_every_round_and_environment_that_shows_the_defect(
    shop: Shop, reviewer: User
) -> None:
    shop.refused("a")
    shop.refused("b")
    run_round()
    intent = Component.objects.get(kind="intent", slug="a")
    shown = list(Finding.objects.filter(code="plan-refused"))
    for one in shown:  # one intent in two environments
        Finding.objects.filter(pk=one.pk).update(
            fingerprint="same", place="same", component=intent, version=intent.current
        )
    label(reviewer, marked(shown[0]), is_right=False, reason="a slip")
    assert [marked(one).is_dismissed for one in shown] == [True, True]


def test_a_label_holds_for_the_version_that_was_blamed(
    shop: Shop, found: Finding, reviewer: User
) -> None:
    label(reviewer, found, is_right=False, reason="a slip")
    assert found.component is not None
    shop.component(found.component.slug, _said(found.component))
    run_round()
    newest = Finding.objects.with_marks().filter(code="plan-refused").latest("pk")
    assert newest.fingerprint == found.fingerprint
    assert newest.version != found.version
    assert not newest.is_dismissed


def _said(component: Component) -> Intent:
    """The body of an intent, changed so that it finds the same again."""
    assert component.current is not None
    said = component.current.body.parsed()
    assert isinstance(said, Intent)
    return said.model_copy(update={"open": ["write.text"]})


def test_a_label_outlives_the_finding_and_the_component(
    found: Finding, reviewer: User, shop: Shop
) -> None:
    label(reviewer, found, is_right=False, reason="a slip")
    found.result.checks.all().delete()
    found.result.delete()
    shop.domain.environments.all().delete()
    assert found.component is not None
    found.component.delete()
    left = Label.objects.get()
    assert (left.component, left.version, left.code) == (None, None, "plan-refused")
    assert Label.objects.precisions()["plan-refused"].wrong == 1


def test_a_finding_that_blames_no_version_cannot_be_labelled(
    found: Finding, reviewer: User
) -> None:
    found.version = None
    with pytest.raises(LabelInvalid, match="blames no version"):
        label(reviewer, found, is_right=True)


def test_labels_are_seen_by_who_may_see_their_domain(
    found: Finding, reviewer: User, stranger: User
) -> None:
    made = label(reviewer, found, is_right=True)
    assert list(Label.objects.visible_to(stranger)) == [made]
    made.domain.readers.add(Group.objects.create(name="insiders"))
    assert not Label.objects.visible_to(stranger).exists()


def labelled(found: Finding, author: User, code: str, right: int, wrong: int) -> None:
    """So many labels of a code, each about another defect like `found`."""
    assert found.component is not None
    assert found.version is not None
    Label.objects.bulk_create(
        Label(
            domain=found.component.domain,
            code=code,
            fingerprint=f"{number}-{code}"[:16],
            place=found.place,
            component=found.component,
            version=found.version,
            is_right=number < right,
            author=author,
        )
        for number in range(right + wrong)
    )


def test_the_label_that_makes_a_code_demote_itself_or_takes_it_back_says_so_in_the_log(
    found: Finding, reviewer: User
) -> None:
    labelled(found, reviewer, found.code, right=11, wrong=8)
    label(reviewer, found, is_right=False, reason="a slip")
    entry = AuditEntry.objects.get(action="code.demote")
    assert (entry.target, entry.domain) == ("plan-refused", None)
    assert entry.detail == {"right": 11, "wrong": 9}
    assert marked(found).is_demoted
    label(reviewer, found, is_right=True)
    assert AuditEntry.objects.get(action="code.restore").detail == {"right": 12, "wrong": 8}
    assert not marked(found).is_demoted


@pytest.mark.parametrize(("right", "wrong"), [(0, 19), (0, 20), (11, 9), (12, 8), (33, 22)])
def test_the_database_demotes_the_codes_that_their_precision_does(
    found: Finding, reviewer: User, right: int, wrong: int
) -> None:
    labelled(found, reviewer, "tool-crash", right, wrong)
    assert ("tool-crash" in Label.objects.demoted().values_list("code", flat=True)) is (
        Label.objects.precisions()["tool-crash"].is_demoted
    )


def test_one_author_labels_one_defect_once_even_in_the_database(
    found: Finding, reviewer: User
) -> None:
    label(reviewer, found, is_right=True)
    row = Label.objects.get()
    row.pk = None
    with pytest.raises(IntegrityError, match="label_once_an_author"), transaction.atomic():
        row.save(force_insert=True)
    row.author = member("another", "reviewer")
    row.save(force_insert=True)
    assert Label.objects.count() == 2
