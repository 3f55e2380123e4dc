"""Which checks count otherwise since people labelled what they found.

Every number counts findings as they count now, so a label moves old rounds too, and between two rounds it would be seen
nowhere. Whoever compares them wants to know it all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from triage.counterexamples import doubts
from triage.models import Check, Finding, Label
from triage.models.check import CheckQuerySet
from triage.models.finding import Severity
from triage.models.result import Status


class Defect(NamedTuple):
    """What a label is about."""

    fingerprint: str
    place: str
    version: int | None


def counted_at(checks: CheckQuerySet, moment: datetime) -> dict[int, str]:
    """Check → how it counted at a moment, of those of which labels of since say otherwise now. One query where
    there are no such labels, else six.

    Of an author who labelled a defect twice only the newer label is known.
    """
    since = _defects(Label.objects.filter(at__gt=moment))
    concerned = _concerned(checks, since) if since else {}
    if not concerned:
        return {}
    findings = _blocking(set(concerned.values()))
    wrong = _dismissed_at(moment, {_defect(one) for one in findings})
    blocked = {one.result_id for one in findings if _counts(one) and _defect(one) not in wrong}
    doubted = doubts(concerned)
    rows: Any = Check.objects.filter(pk__in=concerned).with_status().select_related("result")
    then = {}
    for check in rows:
        ended = Status.SOLVABLE if check.result.witness else Status.UNPROVEN
        status = Status.BROKEN if check.result_id in blocked else ended
        if status != check.status and check.pk not in doubted:
            then[check.pk] = status.value
    return then


def _concerned(checks: CheckQuerySet, defects: Collection[Defect]) -> dict[int, str]:
    """Check → its result, of those that show one of the defects."""
    rows = Finding.objects.filter(
        fingerprint__in={one.fingerprint for one in defects},
        severity=Severity.BLOCKING,
        result__status=Status.BROKEN,
        result__checks__in=checks,
    ).order_by()
    columns = ("result__checks", "result", "fingerprint", "place", "version")
    return {
        check: result
        for check, result, *defect in rows.values_list(*columns)
        if Defect(*defect) in defects
    }


def _blocking(results: Collection[str]) -> list[Any]:
    rows = Finding.objects.filter(result__in=results, severity=Severity.BLOCKING)
    return list(rows.with_marks().order_by())


def _counts(found: Finding) -> bool:
    """Whether it would, but for labels of its own."""
    return not found.is_accepted and not found.is_demoted


def _dismissed_at(moment: datetime, defects: Collection[Defect]) -> set[Defect]:
    """Those whose newest label at a moment said that they are none."""
    rows = Label.objects.filter(
        fingerprint__in={one.fingerprint for one in defects}, at__lte=moment
    )
    newest: dict[Defect, bool] = {}
    for row in rows.order_by("-at", "-pk"):
        newest.setdefault(_defect(row), row.is_right)
    return {defect for defect, is_right in newest.items() if not is_right}


def _defects(labels: Iterable[Label]) -> set[Defect]:
    return {_defect(one) for one in labels}


def _defect(row: Any) -> Defect:
    return Defect(row.fingerprint, row.place, row.version_id)
