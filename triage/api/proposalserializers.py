"""Proposals, trials and versions as the API says them, and what is asked of them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from components.models import Version
from triage.api.faultserializers import HOW_FAR, JOB
from triage.api.refusals import OrderSerializer
from triage.models import Change, Outcome, Proposal, Trial
from triage.models.proposal import MOST_CHANGES, ProposalState
from triage.models.trial import Move, Stage
from triage.proposalfiles import text_of, text_of_body


class ChangeSerializer(serializers.ModelSerializer[Change]):
    kind = serializers.CharField(source="component.kind")
    component = serializers.CharField(source="component.slug")
    base = serializers.IntegerField(
        source="base.number", help_text="The version that it was written against."
    )
    current = serializers.IntegerField(
        source="component.current.number", default=None, help_text="The component's version now."
    )
    digest = serializers.CharField(source="body_id", help_text="Of what it would say.")
    version = serializers.IntegerField(
        source="version.number", default=None, help_text="What the approval made of it."
    )

    class Meta:
        model = Change
        fields = ["kind", "component", "base", "current", "digest", "version"]


class TextSerializer(serializers.ModelSerializer[Change]):
    """What a component's file says before and after."""

    kind = serializers.CharField(source="component.kind")
    component = serializers.CharField(source="component.slug")
    before = serializers.SerializerMethodField()
    after = serializers.SerializerMethodField()

    class Meta:
        model = Change
        fields = ["kind", "component", "before", "after"]

    def get_before(self, row: Change) -> str:
        """The text of the version that it was written against."""
        return text_of_body(row.component, row.base.body.parsed())

    def get_after(self, row: Change) -> str:
        """The text that is proposed."""
        return text_of_body(row.component, row.body.parsed())


class ProposalSerializer(serializers.ModelSerializer[Proposal]):
    domain = serializers.CharField(source="domain.slug")
    kind = serializers.CharField(help_text="repair or evolution")
    state = serializers.CharField(help_text=", ".join(ProposalState.values))
    author = serializers.CharField(source="author.username", default=None)
    decided_by = serializers.CharField(source="decided_by.username", default=None)

    class Meta:
        model = Proposal
        fields = [
            "id",
            "domain",
            "fault",
            "kind",
            "state",
            "title",
            "revision",
            "author",
            "repair",
            "likelihood",
            "created",
            "edited",
            "decided_by",
            "decided",
            "comment",
            "override",
        ]


class ProposalDetailSerializer(ProposalSerializer):
    changes = ChangeSerializer(many=True)
    trials = serializers.PrimaryKeyRelatedField(  # type: ignore[var-annotated]  # many=True makes another class
        many=True, read_only=True, help_text="The newest first."
    )
    trial = serializers.IntegerField(
        source="spoken_for_by",
        allow_null=True,
        help_text="The newest that is done and speaks for the proposal as it is.",
    )
    against = serializers.ListField(
        child=serializers.CharField(),
        help_text="What stands against approving it: then an `override` is needed.",
    )
    rank = serializers.IntegerField(
        allow_null=True,
        help_text="From 1, among those of its fault that can be approved as they are; null: it cannot be.",
    )
    below = serializers.CharField(
        allow_blank=True,
        help_text="What puts it below the one that ranks before it; empty for the first.",
    )

    class Meta(ProposalSerializer.Meta):
        more = ["reason", "authority", "changes", "trials", "trial", "against", "rank", "below"]
        fields = [*ProposalSerializer.Meta.fields, *more]


class ChangeOrderSerializer(OrderSerializer):
    """What one component would say."""

    kind = serializers.CharField(help_text="domain, intent, rule, records or toolserver")
    component = serializers.CharField(help_text="Its slug; of a contract, `domain`.")
    text = serializers.CharField(
        trim_whitespace=False, help_text="The whole file, without its about block."
    )
    form = serializers.CharField(
        default="file",
        help_text="`rows`: the text is `{table: {key: row, or null to take it out}}` of a records set.",
    )


class _Words(OrderSerializer):
    title = serializers.CharField(required=False)
    reason = serializers.CharField(required=False, allow_blank=True)
    authority = serializers.CharField(
        required=False,
        allow_blank=True,
        help_text="What it rests on, quoted: a clause, docstring, schema line, or a sibling that does it right.",
    )


class ProposalOrderSerializer(_Words):
    """A new proposal."""

    domain = serializers.CharField()
    fault = serializers.IntegerField(allow_null=True, default=None)
    title = serializers.CharField()
    changes = serializers.ListField(
        child=ChangeOrderSerializer(), min_length=1, max_length=MOST_CHANGES
    )


class EditOrderSerializer(_Words):
    """Other words or texts of a proposal; what is left out stays."""

    revision = serializers.IntegerField(help_text="The one that was read.")
    changes = serializers.ListField(
        child=ChangeOrderSerializer(), required=False, min_length=1, max_length=MOST_CHANGES
    )


class TryOrderSerializer(OrderSerializer):
    """How far a trial goes."""

    until = serializers.CharField(default=Stage.FULL.value, help_text=", ".join(Stage.values))

    def validate_until(self, value: str) -> Stage:
        """A stage."""
        if value not in Stage.values:
            raise serializers.ValidationError(
                f"There is no stage {value!r}; there are {', '.join(Stage.values)}."
            )
        return Stage(value)


class DeferOrderSerializer(OrderSerializer):
    """A decision on what was read."""

    revision = serializers.IntegerField(help_text="The one that was read.")
    comment = serializers.CharField(default="", allow_blank=True)


class ApproveOrderSerializer(DeferOrderSerializer):
    """An approval of what was read."""

    override = serializers.CharField(
        default="", allow_blank=True, help_text="Why, in spite of what stands against it."
    )


class RejectOrderSerializer(OrderSerializer):
    """A rejection of what was read."""

    revision = serializers.IntegerField(help_text="The one that was read.")
    reason = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """Why a text is no body."""

    component = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    message = serializers.CharField()


class InvalidSerializer(serializers.Serializer[Any]):
    """Why something cannot be proposed."""

    detail = serializers.CharField()
    problems = ProblemSerializer(many=True, required=False)


class RefreshedSerializer(serializers.Serializer[Any]):
    """What became of the changes of a proposal that was brought up to date, each in a sentence."""

    proposal = ProposalDetailSerializer()
    merged = serializers.ListField(child=serializers.CharField())
    kept = serializers.ListField(child=serializers.CharField())
    dropped = serializers.ListField(child=serializers.CharField())


class VersionDetailSerializer(serializers.ModelSerializer[Version]):
    domain = serializers.CharField(source="component.domain.slug")
    kind = serializers.CharField(source="component.kind")
    component = serializers.CharField(source="component.slug")
    digest = serializers.CharField(source="body_id")
    parent = serializers.IntegerField(source="parent.number", default=None)  # type: ignore[assignment]  # the row's word, not DRF's
    author = serializers.CharField(source="author.username", default=None)
    text = serializers.SerializerMethodField()

    class Meta:
        model = Version
        fields = [
            "id",
            "domain",
            "kind",
            "component",
            "number",
            "digest",
            "parent",
            "author",
            "reason",
            "source",
            "created",
            "text",
        ]

    def get_text(self, row: Version) -> str:
        """Its file, as `library dump` writes it, without the about block."""
        return text_of(row)


class RestoreOrderSerializer(OrderSerializer):
    """Why an old version is to hold again."""

    reason = serializers.CharField()


class TrialSerializer(serializers.ModelSerializer[Trial]):
    state = serializers.CharField(help_text="queued, running, done, failed or cancelled")
    author = serializers.CharField(source="author.username", default=None)
    cancelled_by = serializers.CharField(source="cancelled_by.username", default=None)
    until = serializers.CharField(help_text=", ".join(Stage.values))
    stage = serializers.CharField(help_text="The last that is complete; empty: none yet.")
    proposals = serializers.PrimaryKeyRelatedField(  # type: ignore[var-annotated]  # many=True makes another class
        many=True, read_only=True
    )
    report = serializers.SerializerMethodField()

    class Meta:
        model = Trial
        fields = [*JOB, *HOW_FAR, "proposals", "changes", "until", "stage", "report"]

    @extend_schema_field({"type": "object", "additionalProperties": True})
    def get_report(self, row: Trial) -> Any:
        """What the complete stages showed."""
        return row.report


class OutcomeSerializer(serializers.ModelSerializer[Outcome]):
    domain = serializers.CharField(source="environment.domain.slug")
    environment = serializers.CharField(source="environment.slug")
    stage = serializers.CharField(help_text="In which it was run.")
    move = serializers.CharField(help_text=", ".join(Move.values))
    affected = serializers.BooleanField(
        source="is_affected", help_text="It shows the fault that the proposal is for."
    )
    held_out = serializers.BooleanField(
        source="is_held_out", help_text="It is of the half that no proposer may look at."
    )
    cured = serializers.BooleanField(source="is_cured", help_text="It no longer shows the fault.")
    before = serializers.CharField(source="before_status")
    after = serializers.CharField(source="after_status")
    before_result = serializers.CharField(source="before_id", allow_null=True)
    after_result = serializers.CharField(source="after_id", allow_null=True)

    class Meta:
        model = Outcome
        fields = [
            "domain",
            "environment",
            "stage",
            "move",
            "affected",
            "held_out",
            "cured",
            "before",
            "after",
            "before_result",
            "after_result",
            "bundle",
            "accepted_to_rejected",
            "rejected_to_accepted",
            "rejudged",
            "strength_before",
            "strength_after",
            "weakened",
            "drift",
            "error",
        ]
