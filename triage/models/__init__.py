"""Rounds, checks and what they found, as rows."""

from triage.models.agent import AgentProfile
from triage.models.attribution import Attribution, Suspect, Swap
from triage.models.auditsample import AuditItem, AuditSample
from triage.models.certificate import Certificate
from triage.models.check import Check
from triage.models.counterexample import Counterexample, Judgement
from triage.models.episode import Episode
from triage.models.fault import Comment, Fault, Sighting, Symptom
from triage.models.finding import Finding
from triage.models.label import Label
from triage.models.proposal import Change, Proposal
from triage.models.repair import Alternative, Repair
from triage.models.result import Result
from triage.models.round import Round
from triage.models.suspicion import Suspicion
from triage.models.trial import Outcome, Trial

__all__ = [
    "AgentProfile",
    "Alternative",
    "Attribution",
    "AuditItem",
    "AuditSample",
    "Certificate",
    "Change",
    "Check",
    "Comment",
    "Counterexample",
    "Episode",
    "Fault",
    "Finding",
    "Judgement",
    "Label",
    "Outcome",
    "Proposal",
    "Repair",
    "Result",
    "Round",
    "Sighting",
    "Suspect",
    "Suspicion",
    "Swap",
    "Symptom",
    "Trial",
]
