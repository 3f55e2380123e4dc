"""Faults, who is suspected of them, and the weighing of suspects, as the API says them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from triage.api.refusals import OrderSerializer
from triage.models import Attribution, Comment, Fault, Suspect, Symptom
from triage.models.fault import FaultStatus

JOB = ["id", "state", "author", "cancelled_by", "created", "started", "finished"]
HOW_FAR = ["done", "total", "error"]


class EvidenceSerializer(serializers.Serializer[Any]):
    """A sentence with what it cites."""

    sort = serializers.CharField(help_text="direct, spectrum, counterfactual or version")
    text = serializers.CharField()
    cites = serializers.DictField(
        help_text="{finding}, {episode, step}, {result}, {version, line}, {environment}, or nothing"
    )


class SuspectSerializer(serializers.ModelSerializer[Suspect]):
    party = serializers.CharField(help_text="component, agent, user, plan or infrastructure")
    kind = serializers.CharField(source="component.kind", default=None)
    component = serializers.CharField(source="component.slug", default=None)
    version = serializers.IntegerField(source="version.number", default=None)
    state = serializers.CharField(
        help_text="confirmed, consistent, cleared, untestable; empty: nobody swapped it yet"
    )
    evidence = EvidenceSerializer(many=True)

    class Meta:
        model = Suspect
        fields = [
            "rank",
            "party",
            "kind",
            "component",
            "version",
            "symbol",
            "score",
            "direct",
            "spectrum",
            "state",
            "evidence",
            "question",
            "attribution",
        ]


class SymptomSerializer(serializers.ModelSerializer[Symptom]):
    kind = serializers.CharField(help_text="Of the component blamed; empty where none is.")
    component = serializers.CharField(source="slug")

    class Meta:
        model = Symptom
        fields = ["fingerprint", "code", "kind", "component", "symbol"]


class CommentSerializer(serializers.ModelSerializer[Comment]):
    author = serializers.CharField(source="author.username", default=None)

    class Meta:
        model = Comment
        fields = ["author", "text", "at"]


class FaultSerializer(serializers.ModelSerializer[Fault]):
    domain = serializers.CharField(source="domain.slug")
    status = serializers.CharField(help_text=", ".join(FaultStatus.values))
    count = serializers.IntegerField(
        source="environments", help_text="Environments that show it; of a fixed one, that did."
    )
    blocking = serializers.BooleanField(source="is_blocking")
    assignee = serializers.CharField(source="assignee.username", default=None)

    class Meta:
        model = Fault
        fields = [
            "id",
            "domain",
            "code",
            "title",
            "status",
            "count",
            "blocking",
            "assignee",
            "archived_because",
            "first_round",
            "last_round",
            "fixed_round",
            "created",
        ]


class FaultDetailSerializer(FaultSerializer):
    suspects = SuspectSerializer(many=True)
    symptoms = SymptomSerializer(many=True)
    comments = CommentSerializer(many=True)
    environments = serializers.ListField(
        child=serializers.CharField(), source="shown_by", help_text="Those that show it now."
    )
    attributions = serializers.PrimaryKeyRelatedField(  # type: ignore[var-annotated]  # many=True makes another class
        many=True, read_only=True
    )
    repairs = serializers.PrimaryKeyRelatedField(  # type: ignore[var-annotated]  # many=True makes another class
        many=True, read_only=True, help_text="Searches for repairs, the newest first."
    )
    proposals = serializers.PrimaryKeyRelatedField(  # type: ignore[var-annotated]  # many=True makes another class
        many=True, read_only=True
    )

    class Meta(FaultSerializer.Meta):
        more = ["suspects", "symptoms", "comments", "environments"]
        jobs = ["attributions", "repairs", "proposals"]
        fields = [*FaultSerializer.Meta.fields, *more, *jobs]


class AssignOrderSerializer(OrderSerializer):
    """To whom a fault goes."""

    assignee = serializers.CharField(allow_null=True, help_text="A username; null: nobody.")


class CommentOrderSerializer(OrderSerializer):
    """What is to be said of a fault."""

    text = serializers.CharField()


class ArchiveOrderSerializer(OrderSerializer):
    """Why a fault is put aside."""

    reason = serializers.CharField()


class AttributionSerializer(serializers.ModelSerializer[Attribution]):
    state = serializers.CharField(help_text="queued, running, done, failed or cancelled")
    author = serializers.CharField(source="author.username", default=None)
    cancelled_by = serializers.CharField(source="cancelled_by.username", default=None)
    suspects = SuspectSerializer(many=True, help_text="As this attribution weighed them.")

    class Meta:
        model = Attribution
        fields = [*JOB, *HOW_FAR, "fault", "round", "suspects"]
