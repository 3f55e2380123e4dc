"""Rounds, checks and what they found, as rows."""

from triage.models.agent import AgentProfile
from triage.models.auditsample import AuditItem, AuditSample
from triage.models.certificate import Certificate
from triage.models.check import Check
from triage.models.counterexample import Counterexample, Judgement
from triage.models.episode import Episode
from triage.models.finding import Finding
from triage.models.label import Label
from triage.models.result import Result
from triage.models.round import Round
from triage.models.suspicion import Suspicion

__all__ = [
    "AgentProfile",
    "AuditItem",
    "AuditSample",
    "Certificate",
    "Check",
    "Counterexample",
    "Episode",
    "Finding",
    "Judgement",
    "Label",
    "Result",
    "Round",
    "Suspicion",
]
