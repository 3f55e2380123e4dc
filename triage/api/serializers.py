"""Rows as the API says them; every name is the project's word for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from components.models import Component, Domain, Environment, Version
from triage.models import Check, Counterexample, Episode, Finding, Round
from triage.models.finding import Severity
from triage.models.result import Status
from triage.scope import STATUSES, restricted


class DomainSerializer(serializers.ModelSerializer[Domain]):
    class Meta:
        model = Domain
        fields = ["id", "slug"]


class VersionSerializer(serializers.ModelSerializer[Version]):
    digest = serializers.CharField(source="body_id")
    author = serializers.CharField(source="author.username", default=None)
    parent = serializers.IntegerField(source="parent.number", default=None)  # type: ignore[assignment]  # the row's word, not DRF's

    class Meta:
        model = Version
        fields = ["id", "number", "digest", "parent", "author", "reason", "source", "created"]


class ComponentSerializer(serializers.ModelSerializer[Component]):
    domain = serializers.CharField(source="domain.slug")
    version = serializers.IntegerField(source="current.number", default=None)
    digest = serializers.CharField(source="current.body_id", default=None)

    class Meta:
        model = Component
        fields = ["id", "domain", "kind", "slug", "about", "version", "digest"]


class ComponentDetailSerializer(ComponentSerializer):
    versions = VersionSerializer(many=True)
    body = serializers.SerializerMethodField()

    class Meta(ComponentSerializer.Meta):
        fields = [*ComponentSerializer.Meta.fields, "versions", "body"]

    @extend_schema_field({"type": "object", "nullable": True, "additionalProperties": True})
    def get_body(self, component: Component) -> Any:
        """The current version's body as plain JSON."""
        return component.current.body.content if component.current else None


class DoubtSerializer(serializers.ModelSerializer[Counterexample]):
    code = serializers.CharField(help_text="goal-blind, or goal-narrow where it should pass.")
    author = serializers.CharField(source="author.username", default=None)

    class Meta:
        model = Counterexample
        fields = ["id", "code", "name", "should", "reason", "author"]


class EnvironmentSerializer(serializers.ModelSerializer[Environment]):
    domain = serializers.CharField(source="domain.slug")
    status = serializers.CharField(help_text="solvable, broken, unproven, error or unverified")
    check_id = serializers.IntegerField(source="latest_check", allow_null=True)
    counterexamples = DoubtSerializer(
        source="doubts",
        many=True,
        help_text="Those of people that make it broken, whatever was found.",
    )
    components = serializers.SerializerMethodField()

    class Meta:
        model = Environment
        fields = [
            "id",
            "domain",
            "slug",
            "seed",
            "status",
            "check_id",
            "counterexamples",
            "components",
        ]

    def get_components(self, environment: Environment) -> dict[str, list[str]]:
        """Slugs by kind, in the environment's order."""
        named: dict[str, list[str]] = {}
        for part in environment.parts.all():
            named.setdefault(part.component.kind, []).append(part.component.slug)
        return named


class SaidSerializer(serializers.Serializer[Any]):
    """What a person says of a finding."""

    label = serializers.ChoiceField(["right", "wrong"])  # type: ignore[assignment]  # our word, not DRF's
    reason = serializers.CharField()
    author = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField()


class AcceptanceSerializer(serializers.Serializer[Any]):
    """Why a component accepts a finding, and who says so."""

    reason = serializers.CharField()
    by = serializers.CharField()


class LabelOrderSerializer(serializers.Serializer[Any]):
    """What is to be said of a finding."""

    label = serializers.ChoiceField(["right", "wrong"])  # type: ignore[assignment]  # our word, not DRF's
    reason = serializers.CharField(
        default="", allow_blank=True, trim_whitespace=True, help_text="Needed for wrong."
    )


class FindingSerializer(serializers.ModelSerializer[Finding]):
    severity = serializers.ChoiceField(
        Severity.values,
        source="weight",
        help_text="That it has now; advice where its code is demoted.",
    )
    reported = serializers.CharField(
        source="severity", help_text="The severity that the check gave it."
    )
    label = SaidSerializer(source="said", allow_null=True, help_text="The newest.")  # type: ignore[assignment]  # our word
    accepted = AcceptanceSerializer(source="acceptance", allow_null=True)
    demoted = serializers.BooleanField(source="is_demoted")
    counted = serializers.BooleanField(
        source="is_counted", help_text="Not accepted, not labelled wrong, not demoted."
    )
    component = serializers.CharField(source="component.slug", default=None)
    domain = serializers.CharField(source="component.domain.slug", default=None)
    version = serializers.IntegerField(source="version.number", default=None)

    class Meta:
        model = Finding
        fields = [
            "id",
            "code",
            "severity",
            "kind",
            "domain",
            "component",
            "version",
            "place",
            "symbol",
            "fingerprint",
            "message",
            "evidence",
            "reported",
            "label",
            "accepted",
            "demoted",
            "counted",
        ]


class CodeSerializer(serializers.Serializer[Any]):
    """`triage.codes.Standing`."""

    code = serializers.CharField()
    stage = serializers.CharField(help_text="Empty where the table of this version lacks the code.")
    severity = serializers.CharField(help_text="As checks report it.")
    demoted = serializers.BooleanField(
        help_text="Whether its findings are no more than advice now."
    )
    findings = serializers.IntegerField(
        help_text="Of the environments as they are, those that count."
    )
    not_counted = serializers.IntegerField()
    right = serializers.IntegerField(help_text="Defects labelled so, in all domains.")
    wrong = serializers.IntegerField()
    precision = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="Wilson's, of 95%: from, to."
    )


class EpisodeSerializer(serializers.ModelSerializer[Episode]):
    agent = serializers.CharField(source="agent.name")

    class Meta:
        model = Episode
        fields = [
            "key",
            "bundle",
            "agent",
            "seed",
            "attempt",
            "reward",
            "progress",
            "length",
            "calls",
            "created",
        ]


class EpisodeDetailSerializer(EpisodeSerializer):
    class Meta(EpisodeSerializer.Meta):
        fields = [*EpisodeSerializer.Meta.fields, "document"]


class CheckSerializer(serializers.ModelSerializer[Check]):
    domain = serializers.CharField(source="environment.domain.slug")
    environment = serializers.CharField(source="environment.slug")
    status = serializers.ChoiceField(Status.values, allow_null=True)
    witness = serializers.CharField(source="result.witness", default=None)
    seconds = serializers.FloatField(source="result.seconds", default=None)

    class Meta:
        model = Check
        fields = [
            "id",
            "round",
            "domain",
            "environment",
            "bundle",
            "state",
            "status",
            "witness",
            "seconds",
            "was_known",
            "attempt",
            "worker",
            "finished",
            "error",
        ]


class CheckDetailSerializer(CheckSerializer):
    times = serializers.DictField(
        source="result.times",
        default=dict,
        child=serializers.ListField(child=serializers.FloatField()),
        help_text="Agent → seconds of each of its attempts; static, controls, soundness, solving → of the stage.",
    )
    findings = FindingSerializer(source="result.findings", many=True, default=list)
    episodes = EpisodeSerializer(source="result.episodes", many=True, default=list)
    unobserved = serializers.ListField(
        child=serializers.DictField(child=serializers.CharField()),
        source="result.unobserved",
        default=list,
    )

    class Meta(CheckSerializer.Meta):
        extra = ["times", "manifest", "findings", "episodes", "unobserved"]
        fields = [*CheckSerializer.Meta.fields, *extra]


class RoundSerializer(serializers.ModelSerializer[Round]):
    author = serializers.CharField(source="author.username", default=None)
    domains = serializers.SlugRelatedField("slug", many=True, read_only=True)  # type: ignore[var-annotated]  # many=True makes another class
    scope = serializers.SerializerMethodField()
    cancelled_by = serializers.CharField(source="cancelled_by.username", default=None)

    class Meta:
        model = Round
        fields = [
            "id",
            "created",
            "finished",
            "cancelled",
            "cancelled_by",
            "author",
            "domains",
            "scope",
            "panel",
            "recipe",
        ]

    @extend_schema_field({"type": "object", "additionalProperties": True})
    def get_scope(self, made: Round) -> dict[str, Any]:
        """What was asked for, as far as the caller may read its domains."""
        return restricted(made.scope, {domain.slug for domain in made.domains.all()})


class RoundOrderSerializer(serializers.Serializer[Any]):
    """What a new round is over; everything left out = all that the caller may read, with every agent."""

    domains = serializers.ListField(child=serializers.CharField(), default=list)
    environments = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="`domain/slug`, or a slug alone where that is enough.",
    )
    statuses = serializers.ListField(
        child=serializers.ChoiceField(STATUSES),
        default=list,
        help_text="Only those that stand so now.",
    )
    sample = serializers.IntegerField(min_value=1, allow_null=True, default=None)
    seed = serializers.IntegerField(default=0, help_text="Draws the sample.")
    panel = serializers.ListField(child=serializers.CharField(), default=list)

    def to_internal_value(self, data: Any) -> Any:
        """As DRF does, but a key that means nothing is refused: left out, it would widen the round."""
        if isinstance(data, Mapping) and (unknown := sorted(set(data) - set(self.fields))):
            raise serializers.ValidationError(
                {
                    name: f"There is no such key; there are {', '.join(self.fields)}."
                    for name in unknown
                }
            )
        return super().to_internal_value(data)


class CountsSerializer(serializers.Serializer[Any]):
    """`triage.rounds.Counts`."""

    environments = serializers.IntegerField()
    solvable = serializers.IntegerField()
    broken = serializers.IntegerField()
    unproven = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # the word of Counts, not DRF's
    solvability = serializers.FloatField(allow_null=True)


class SummarySerializer(serializers.Serializer[Any]):
    """`triage.rounds.Summary`."""

    round = serializers.IntegerField()
    environments = serializers.IntegerField()
    solvable = serializers.IntegerField()
    broken = serializers.IntegerField()
    unproven = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # the word of Summary, not DRF's
    solvability = serializers.FloatField(allow_null=True)
    solve_rate = serializers.DictField(child=serializers.FloatField(allow_null=True))
    floor = serializers.FloatField(allow_null=True)
    findings = serializers.DictField(child=serializers.IntegerField())
    seconds = serializers.FloatField()
    by_authority = serializers.DictField(child=CountsSerializer())


class ProgressSerializer(serializers.Serializer[Any]):
    """`triage.rounds.Progress`."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()
    rate = serializers.FloatField()
    seconds_left = serializers.FloatField(allow_null=True)
