"""Labelling findings: a person says of a defect that it is right or wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from components.actor import demand
from components.models import AuditEntry, Component, Domain, Version
from triage.dismissal import follow
from triage.models import Finding, Label
from triage.results import storable

MOST = 4000
"""Characters of a reason."""
PERMISSION = "triage.add_label"


class LabelInvalid(ValueError):
    """The label that was asked for cannot be."""


def label(author: User, found: Finding, *, is_right: bool, reason: str = "") -> Label:
    """Say of the defect that `found` shows that it is right, or wrong, which dismisses it.

    The counterexample of a relation's finding is retired, or brought back, with it (`triage.dismissal`). The author's
    label of before is replaced; the audit log keeps it. What was said already is not said again.
    Raises PermissionDenied and LabelInvalid.
    """
    with transaction.atomic(), noting_demotions(author):
        return give(author, found, is_right=is_right, reason=reason)


@contextmanager
def noting_demotions(author: User) -> Iterator[None]:
    """Note in the audit log which codes the labels given meanwhile demoted or restored."""
    before = _demoted()
    yield
    for code in sorted(before ^ (now := _demoted())):
        _audit_code(author, code, is_demoted=code in now)


def give(author: User, found: Finding, *, is_right: bool, reason: str = "") -> Label:
    """`label`, for one of many: inside `noting_demotions`."""
    demand(author, PERMISSION, "label findings")
    reason = _reason(reason, is_right=is_right)
    component, version = _blamed(author, found)
    with transaction.atomic():
        # One label of an author at a time: a form that is sent twice says it once.
        User.objects.select_for_update(no_key=True).get(pk=author.pk)
        defect = {"fingerprint": found.fingerprint, "place": found.place, "version": version}
        before = Label.objects.filter(author=author, **defect).first()
        if before and (before.is_right, before.reason) == (is_right, reason):
            return before
        made, _ = Label.objects.update_or_create(
            author=author,
            **defect,
            defaults={"is_right": is_right, "reason": reason, "at": timezone.now()},
            create_defaults={
                **defect,
                "author": author,
                "domain": component.domain,
                "component": component,
                "code": found.code,
                "is_right": is_right,
                "reason": reason,
            },
        )
        _audit(made, before)
        follow(made)
    return made


def labels_of(findings: Collection[Finding]) -> dict[int, list[Label]]:
    """Finding → what people said of it, the newest first; one query."""
    given: dict[tuple[str, str, int], list[Label]] = {}
    wanted = Label.objects.filter(fingerprint__in={found.fingerprint for found in findings})
    for one in wanted.exclude(version=None).select_related("author"):
        given.setdefault((one.fingerprint, one.place, one.version_id or 0), []).append(one)
    return {
        found.pk: given.get((found.fingerprint, found.place, found.version_id or 0), [])
        for found in findings
    }


def _reason(reason: str, *, is_right: bool) -> str:
    reason = str(storable(reason)).strip()
    if not is_right and not reason:
        raise LabelInvalid("a finding that is dismissed needs a reason: say why it is wrong")
    if len(reason) > MOST:
        raise LabelInvalid(f"the reason has {len(reason)} characters: say it in {MOST}")
    return reason


def _blamed(author: User, found: Finding) -> tuple[Component, Version]:
    if found.component is None or found.version is None:
        raise LabelInvalid(
            f"finding {found.pk} blames no version of a component that is still there, and a label holds for "
            "one: run a round, and label what it finds"
        )
    if not Domain.objects.visible_to(author).filter(pk=found.component.domain_id).exists():
        raise LabelInvalid(f"there is no finding {found.pk}")
    return found.component, found.version


def _demoted() -> set[str]:
    return set(Label.objects.demoted().values_list("code", flat=True))


def _audit(made: Label, before: Label | None) -> None:
    """With what the author had said before, which its row no longer has."""
    said = {"label": made.word, "reason": made.reason, "fingerprint": made.fingerprint}
    replaced = {"label": before.word, "reason": before.reason} if before else None
    AuditEntry.objects.create(
        actor=made.author,
        action="finding.label",
        domain=made.domain,
        target=f"{made.code} in {made.version} at {made.place}"[:300],
        detail=said | ({"replaced": replaced} if replaced else {}),
    )


def _audit_code(author: User, code: str, *, is_demoted: bool) -> None:
    """Of no domain, as it holds for all."""
    now = Label.objects.precisions()[code]
    AuditEntry.objects.create(
        actor=author,
        action="code.demote" if is_demoted else "code.restore",
        target=code,
        detail={"right": now.right, "wrong": now.wrong},
    )
