"""Whole checks of a case's environments with candidates in place, stored and shared by key with rounds and trials."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Model

from components.versions import keep
from triage.cases import Opened
from triage.hypotheses import Hypothesis, Shown, results_of
from triage.ladder import Climbed, Looked, Sign
from triage.models import Finding, Result
from triage.models.finding import Severity
from triage.proposers.candidate import Candidate
from triage.weakening import redefines, weakens

JUDGES = {"domain", "intent", "rule"}
"""Kinds that decide what passes and what is asked for."""


@dataclass(frozen=True)
class Looking:
    """For one case; `asker` as in `triage.behaviour`."""

    opened: Opened
    asker: Model

    def before(self) -> dict[str, Looked]:
        """What each environment showed as it is, by slug."""
        return {slug: _looked(shown) for slug, shown in self.opened.shown.items()}

    def look(self, slug: str, candidate: Candidate) -> Looked:
        """As `triage.ladder.Look`."""
        return _looked(self._shown(slug, candidate))

    def weigh(self, candidate: Candidate, climbed: Climbed) -> tuple[bool, bool]:
        """As `triage.repairsearch.Weigh`, by one environment that it cures; trials look at more."""
        if not any(kind in JUDGES for kind, _ in candidate.changes):
            return False, False
        slug = climbed.cured[0]
        before, after = self.opened.shown[slug], self._shown(slug, candidate)
        return weakens(before, after), redefines(before, after)

    def _shown(self, slug: str, candidate: Candidate) -> Shown:
        asked = self.opened.shown[slug].hypothesis
        bodies = {name: keep(body).digest for name, body in candidate.changes.items()}
        made = Hypothesis(asked.environment, asked.manifest.replaced(bodies))
        return next(results_of([made], self.asker))


def _looked(shown: Shown) -> Looked:
    result: Result | None = shown.result
    if result is None:
        return Looked("", {})
    rows = Finding.objects.counted().filter(result=result).exclude(severity=Severity.ADVICE)
    signs = {
        print_: Sign(code, severity, message)
        for print_, code, severity, message in rows.values_list(
            "fingerprint", "code", "severity", "message"
        )
    }
    return Looked(result.status, signs)
