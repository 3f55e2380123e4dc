"""What people say of a relation's finding holds for its counterexample too: wrong retires it, right brings it back."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db.models.functions import Now

from components.models import AuditEntry
from triage.models import Counterexample, Finding, Label, Result
from triage.models.counterexample import Source
from triage.models.finding import FindingQuerySet

BY_LABEL = "labelled wrong by "
"""How the reason begins of a counterexample that a label retired, and a label may bring back."""


def follow(made: Label) -> None:
    """Let the counterexamples of the defect follow its newest label. Call it in a transaction."""
    _follow(made, _of(made))


def follow_known(result: Result) -> None:
    """Let what a new result's relations found follow the labels that there are already."""
    for found in Finding.objects.filter(result=result).with_marks():
        if not found.is_dismissed:
            continue
        defect = {"place": found.place, "version": found.version}
        newest = Label.objects.filter(fingerprint=found.fingerprint, **defect).first()
        if newest:
            _follow(newest, _of(newest).filter(result=result))


def _of(made: Label) -> FindingQuerySet:
    defect = {"fingerprint": made.fingerprint, "place": made.place, "version": made.version}
    return Finding.objects.filter(**defect)


def _follow(made: Label, findings: FindingQuerySet) -> None:
    for row in _shown_by(findings):
        if made.is_right and row.retired and row.retired_because.startswith(BY_LABEL):
            row.retired, row.retired_by, row.retired_because = None, None, ""
            _save(made, row, "counterexample.restore")
        elif not made.is_right and row.retired is None:
            row.retired, row.retired_by = Now(), made.author
            who = made.author.get_username() if made.author else "somebody who is gone"
            row.retired_because = f"{BY_LABEL}{who}: {made.reason}"
            _save(made, row, "counterexample.retire")


def _shown_by(findings: FindingQuerySet) -> list[Any]:
    """The counterexamples of relations that show what findings show: of the same actions in the same environment."""
    shown: dict[tuple[int, str], list[Any]] = defaultdict(list)
    rows = findings.filter(evidence__has_keys=["relation", "actions"]).order_by()
    for environment, said in rows.values_list("result__checks__environment", "evidence"):
        if said["actions"] not in shown[environment, said["relation"]]:
            shown[environment, said["relation"]].append(said["actions"])
    mine = Counterexample.objects.filter(
        label=Source.RELATION,
        environment__in={key[0] for key in shown},
        name__in={key[1] for key in shown},
    )
    rows_of = mine.select_for_update(of=("self",)).select_related("environment__domain")
    return [
        row
        for row in rows_of.order_by("pk")
        if row.document["actions"] in shown.get((row.environment_id, row.name), [])
    ]


def _save(made: Label, row: Counterexample, action: str) -> None:
    row.save(update_fields=["retired", "retired_by", "retired_because"])
    AuditEntry.objects.create(
        actor=made.author,
        action=action,
        domain=row.environment.domain,
        target=f"{row} of {row.environment}"[:300],
        detail={"label": made.word, "reason": made.reason},
    )
