"""Searches for repairs and what they tried, as the API says them, and how one is asked for."""

from __future__ import annotations

from rest_framework import serializers

from triage.api.faultserializers import HOW_FAR, JOB
from triage.api.refusals import OrderSerializer
from triage.models import Alternative, Repair
from triage.models.repair import Fate
from triage.repairing import MOST_SECONDS, SECONDS


class RepairSerializer(serializers.ModelSerializer[Repair]):
    state = serializers.CharField(help_text="queued, running, done, failed or cancelled")
    author = serializers.CharField(
        source="author.username", default=None, help_text="null: the command line, or a round's end"
    )
    cancelled_by = serializers.CharField(source="cancelled_by.username", default=None)
    spent = serializers.FloatField(help_text="Seconds that the search took.")
    counts = serializers.DictField(
        child=serializers.IntegerField(),
        help_text=f"Fate → how many candidates ended so: {', '.join(Fate.values)}.",
    )
    proposals = serializers.PrimaryKeyRelatedField(  # type: ignore[var-annotated]  # many=True makes another class
        many=True, read_only=True, help_text="What it proposed."
    )

    class Meta:
        model = Repair
        words = ["fault", "seconds", "spent", "takes_back", "borrows", "counts", "proposals"]
        fields = [*JOB, *HOW_FAR, *words]


class RepairDetailSerializer(RepairSerializer):
    looked_at = serializers.ListField(
        child=serializers.CharField(),
        source="seen",
        help_text="Environments that proposers saw or candidates were tried on: these do not judge.",
    )

    class Meta(RepairSerializer.Meta):
        fields = [*RepairSerializer.Meta.fields, "looked_at"]


class AlternativeSerializer(serializers.ModelSerializer[Alternative]):
    rank = serializers.IntegerField(help_text="From 1: those that came furthest first.")
    fate = serializers.CharField(help_text=", ".join(Fate.values))
    components = serializers.ListField(child=serializers.CharField(), help_text="KIND/SLUG")
    cured = serializers.ListField(
        child=serializers.CharField(), help_text="Environments that show the fault no longer."
    )

    class Meta:
        model = Alternative
        fields = [
            "id",
            "rank",
            "fate",
            "because",
            "says",
            "proposer",
            "likelihood",
            "authority",
            "components",
            "cured",
            "proposal",
            "diff",
        ]


class RepairOrderSerializer(OrderSerializer):
    """How repairs are to be searched for."""

    seconds = serializers.FloatField(
        default=SECONDS, help_text=f"That the search may take, up to {MOST_SECONDS:g}."
    )
    takes_back = serializers.BooleanField(
        default=True, help_text="Whether earlier versions may be proposed."
    )
    borrows = serializers.BooleanField(
        default=True, help_text="Whether other components may be borrowed from."
    )

    def validate_seconds(self, value: float) -> float:
        """A time that a search may take."""
        if not 0 < value <= MOST_SECONDS:
            raise serializers.ValidationError(f"Give a number above 0, up to {MOST_SECONDS:g}.")
        return value
