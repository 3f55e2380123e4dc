"""Rounds, checks and what they found, as rows."""

from triage.models.agent import AgentProfile
from triage.models.check import Check
from triage.models.episode import Episode
from triage.models.finding import Finding
from triage.models.label import Label
from triage.models.result import Result
from triage.models.round import Round

__all__ = ["AgentProfile", "Check", "Episode", "Finding", "Label", "Result", "Round"]
