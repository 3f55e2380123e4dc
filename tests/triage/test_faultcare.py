"""Giving faults to people, talking about them, putting them aside."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied

from components.models import AuditEntry
from tests.triage.seen import by_fingerprint, seen
from tests.triage.shop import Shop
from triage import faults
from triage.faultcare import FaultCareInvalid, archive, assign, comment, reopen
from triage.models import Comment, Fault


@pytest.fixture
def fault(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Fault:
    """One that shows in two environments."""
    monkeypatch.setattr(faults, "causes", by_fingerprint())
    faults.gather(seen(shop, {"a": ["write"], "b": ["write"]}))
    return Fault.objects.get()


def last() -> tuple[str, User | None, str | None]:
    entry = AuditEntry.objects.all()[0]
    return entry.action, entry.actor, entry.domain.slug if entry.domain else None


def test_a_fault_is_given_to_somebody_and_back(fault: Fault, reviewer: User, viewer: User) -> None:
    assign(reviewer, fault, viewer)
    assert Fault.objects.get().assignee == fault.assignee == viewer
    assert last() == ("fault.assign", reviewer, "notes")
    assert AuditEntry.objects.all()[0].detail == {"to": "viewer", "was": None}
    assign(reviewer, fault, viewer)
    assert AuditEntry.objects.count() == 1
    assign(None, fault, None)
    assert Fault.objects.get().assignee is None
    assert AuditEntry.objects.all()[0].detail == {"to": None, "was": "viewer"}


def test_it_is_not_given_to_those_who_may_not_read_it(
    fault: Fault, reviewer: User, viewer: User
) -> None:
    viewer.is_active = False
    with pytest.raises(FaultCareInvalid, match="viewer may not read notes"):
        assign(reviewer, fault, viewer)
    viewer.is_active = True
    insiders = Group.objects.create(name="insiders")
    fault.domain.readers.add(insiders)
    reviewer.groups.add(insiders)
    with pytest.raises(FaultCareInvalid, match="to somebody who may"):
        assign(reviewer, fault, viewer)


def test_a_comment_is_kept_with_its_author(fault: Fault, reviewer: User) -> None:
    made = comment(reviewer, fault, "  It is\0 the pen. ")
    assert (made.fault, made.author, made.text) == (fault, reviewer, "It is� the pen.")
    assert last() == ("fault.comment", reviewer, "notes")


@pytest.mark.parametrize(
    ("text", "problem"), [(" ", "is empty: say something"), ("x" * 4001, "has 4001 characters")]
)
def test_a_comment_says_something_and_not_too_much(fault: Fault, text: str, problem: str) -> None:
    with pytest.raises(FaultCareInvalid, match=problem):
        comment(None, fault, text)
    assert not Comment.objects.exists()


def test_a_fault_is_put_aside_and_taken_up_again(fault: Fault, shop: Shop, reviewer: User) -> None:
    archive(reviewer, fault, "not ours")
    assert (fault.status, fault.archived_because) == ("archived", "not ours")
    assert last() == ("fault.archive", reviewer, "notes")
    assert Fault.objects.open().count() == 0
    with pytest.raises(FaultCareInvalid, match="is archived already, because: not ours"):
        archive(reviewer, fault, "again")
    faults.gather(seen(shop, {"a": ["write"]}))
    reopen(reviewer, fault)
    assert (fault.status, fault.archived_because, fault.environments) == ("ongoing", "", 2)
    assert AuditEntry.objects.all()[0].detail == {
        "status": "ongoing",
        "was_archived_because": "not ours",
    }
    with pytest.raises(FaultCareInvalid, match="is ongoing, not archived"):
        reopen(reviewer, fault)


def test_a_fault_that_went_away_meanwhile_is_taken_up_as_fixed(fault: Fault, shop: Shop) -> None:
    archive(None, fault, "not ours")
    faults.gather(seen(shop, {"a": [], "b": []}))
    reopen(None, fault)
    assert (fault.status, fault.environments) == ("fixed", 0)
    archive(None, fault, "not ours")
    assert fault.environments == 0


def test_who_may_not_is_told_which_permission_that_needs(fault: Fault, viewer: User) -> None:
    with pytest.raises(PermissionDenied, match=r"may not assign faults.*triage\.change_fault"):
        assign(viewer, fault, viewer)
    with pytest.raises(PermissionDenied, match=r"may not comment on faults.*triage\.add_comment"):
        comment(viewer, fault, "hm")
    with pytest.raises(PermissionDenied, match=r"may not archive faults.*triage\.change_fault"):
        archive(viewer, fault, "no")
    with pytest.raises(PermissionDenied, match=r"may not reopen faults.*triage\.change_fault"):
        reopen(viewer, fault)
    assert not AuditEntry.objects.exists()


def test_faults_kept_for_others_are_not_there(fault: Fault, reviewer: User) -> None:
    fault.domain.readers.add(Group.objects.create(name="insiders"))
    for act in (
        lambda: assign(reviewer, fault, None),
        lambda: comment(reviewer, fault, "hm"),
        lambda: archive(reviewer, fault, "no"),
        lambda: reopen(reviewer, fault),
    ):
        with pytest.raises(FaultCareInvalid, match=f"there is no fault {fault.pk}"):
            act()
