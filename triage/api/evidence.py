"""What stands behind statuses, as JSON: counterexamples, certificates, suspicious passes, audit samples."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_field,
    extend_schema_view,
)
from rest_framework import serializers, viewsets
from rest_framework.request import Request

from components.models import Environment
from triage.audit_sample import estimate
from triage.certificates import acted, detailed, in_force, is_outdated
from triage.counterexamples import with_state
from triage.models import AuditItem, AuditSample, Certificate, Counterexample, Suspicion
from triage.models.auditsample import AuditVerdict
from triage.models.suspicion import Reading
from triage.pages.address import Address
from triage.unobserved import Gap, gaps

ASKED = {
    "domain": "A domain's slug; may be repeated.",
    "environment": "An environment's slug; may be repeated.",
    "state": "open, closed, not-applicable or retired; may be repeated.",
    "label": "relation or person; may be repeated.",
    "kind": "What is suspicious; may be repeated.",
    "agent": "An agent's name; may be repeated.",
    "reading": "unread, right or wrong; may be repeated.",
    "fingerprint": "Of a cluster; may be repeated.",
}


def _asks(*names: str) -> list[OpenApiParameter]:
    return [OpenApiParameter(name, str, description=ASKED[name]) for name in names]


def _caller(request: Request) -> User:
    return cast(User, request.user)


def _filtered(rows: QuerySet[Any], request: Request, columns: dict[str, str]) -> QuerySet[Any]:
    """The rows that have one of the values asked for in each column."""
    asked = Address(request.path, request.query_params)
    for name, column in columns.items():
        if values := asked.all(name):
            rows = rows.filter(**{f"{column}__in": values})
    return rows


class CounterexampleSerializer(serializers.ModelSerializer[Counterexample]):
    domain = serializers.CharField(source="environment.domain.slug")
    environment = serializers.CharField(source="environment.slug")
    intent = serializers.CharField(source="component.slug")
    version = serializers.IntegerField(source="version.number", default=None)
    label = serializers.CharField(help_text="relation or person")  # type: ignore[assignment]  # the row's word, not DRF's
    state = serializers.CharField(help_text="open, closed, not-applicable or retired")
    code = serializers.CharField()
    severity = serializers.CharField(help_text="What it weighs while it is open.")
    author = serializers.CharField(source="author.username", default=None)
    retired_by = serializers.CharField(source="retired_by.username", default=None)

    class Meta:
        model = Counterexample
        fields = [
            "id",
            "domain",
            "environment",
            "intent",
            "version",
            "bundle",
            "label",
            "name",
            "should",
            "state",
            "code",
            "severity",
            "reason",
            "episode",
            "author",
            "found",
            "retired",
            "retired_by",
            "retired_because",
        ]


class CounterexampleDetailSerializer(CounterexampleSerializer):
    document = serializers.SerializerMethodField()

    class Meta(CounterexampleSerializer.Meta):
        fields = [*CounterexampleSerializer.Meta.fields, "document"]

    @extend_schema_field({"type": "object", "additionalProperties": True})
    def get_document(self, row: Counterexample) -> Any:
        """Its actions, how its calls ended, and what no tool wrote."""
        return row.document


@extend_schema_view(list=extend_schema(parameters=_asks("domain", "environment", "state", "label")))
class CounterexampleViewSet(viewsets.ReadOnlyModelViewSet[Counterexample]):
    queryset = Counterexample.objects.none()

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Counterexample]]:
        is_one = self.action == "retrieve"
        return CounterexampleDetailSerializer if is_one else CounterexampleSerializer

    def get_queryset(self) -> QuerySet[Counterexample]:
        rows = with_state(Counterexample.objects.visible_to(_caller(self.request)))
        rows = rows.select_related(
            "environment__domain", "component", "version", "author", "retired_by"
        )
        columns = {
            "domain": "environment__domain__slug",
            "environment": "environment__slug",
            "state": "state",
            "label": "label",
        }
        return _filtered(rows, self.request, columns).order_by("pk")


class CertificateSerializer(serializers.ModelSerializer[Certificate]):
    domain = serializers.CharField(source="environment.domain.slug")
    environment = serializers.CharField(source="environment.slug")
    outdated = serializers.SerializerMethodField()
    checks = serializers.DictField(child=serializers.IntegerField())
    agents = serializers.SerializerMethodField()
    prover = serializers.SerializerMethodField()
    engine = serializers.DictField()
    unobserved = serializers.SerializerMethodField()

    class Meta:
        model = Certificate
        fields = [
            "id",
            "domain",
            "environment",
            "bundle",
            "result",
            "recipe",
            "outdated",
            "checks",
            "agents",
            "prover",
            "engine",
            "unobserved",
            "witness",
            "created",
        ]

    def get_outdated(self, row: Certificate) -> bool:
        """Whether the same agents would be checked otherwise today."""
        return is_outdated(row)

    def get_agents(self, row: Certificate) -> dict[str, str]:
        """Those of the panel that made an attempt, each with its digest."""
        return acted(row)["agents"]

    def get_prover(self, row: Certificate) -> dict[str, str]:
        """The prover with its digest, where it found the way."""
        return acted(row)["prover"]

    def get_unobserved(self, row: Certificate) -> list[Gap]:
        """What was not looked at, and what was found and does not count."""
        return gaps(row)


@extend_schema_view(list=extend_schema(parameters=_asks("domain", "environment")))
class CertificateViewSet(viewsets.ReadOnlyModelViewSet[Certificate]):
    """Those in force: of environments that stand solvable as they are now."""

    serializer_class = CertificateSerializer
    queryset = Certificate.objects.none()

    def get_queryset(self) -> QuerySet[Certificate]:
        rows = detailed(in_force(Environment.objects.visible_to(_caller(self.request))))
        columns = {"domain": "environment__domain__slug", "environment": "environment__slug"}
        return _filtered(rows, self.request, columns).order_by("pk")


class SuspicionSerializer(serializers.ModelSerializer[Suspicion]):
    domain = serializers.CharField(source="environment.domain.slug")
    environment = serializers.CharField(source="environment.slug")
    intent = serializers.CharField(source="component.slug")
    agent = serializers.CharField(source="episode.agent.name")
    kind = serializers.CharField(help_text="other-effect, unread, around-guard or weaker-agent")
    reading = serializers.SerializerMethodField()
    by = serializers.CharField(source="by.username", default=None)

    class Meta:
        model = Suspicion
        fields = [
            "id",
            "domain",
            "environment",
            "intent",
            "agent",
            "episode",
            "result",
            "kind",
            "explanation",
            "fingerprint",
            "found",
            "reading",
            "note",
            "by",
            "at",
            "counterexample",
        ]

    @extend_schema_field({"type": "string", "enum": ["unread", "right", "wrong"]})
    def get_reading(self, row: Suspicion) -> str:
        """What a person says of the pass."""
        return row.reading or "unread"


@extend_schema_view(
    list=extend_schema(parameters=_asks("domain", "kind", "agent", "reading", "fingerprint"))
)
class SuspicionViewSet(viewsets.ReadOnlyModelViewSet[Suspicion]):
    serializer_class = SuspicionSerializer
    queryset = Suspicion.objects.none()

    def get_queryset(self) -> QuerySet[Suspicion]:
        rows = Suspicion.objects.visible_to(_caller(self.request))
        rows = rows.select_related("environment__domain", "component", "episode__agent", "by")
        rows = rows.defer("episode__document")
        asked = Address(self.request.path, self.request.query_params)
        if readings := asked.all("reading"):
            rows = rows.filter(
                reading__in=[Reading.UNREAD if one == "unread" else one for one in readings]
            )
        columns = {
            "domain": "environment__domain__slug",
            "kind": "kind",
            "agent": "episode__agent__name",
            "fingerprint": "fingerprint",
        }
        return _filtered(rows, self.request, columns).order_by("pk")


class AuditItemSerializer(serializers.ModelSerializer[AuditItem]):
    environment = serializers.CharField(source="environment.slug")
    verdict = serializers.SerializerMethodField()
    by = serializers.CharField(source="by.username", default=None)

    class Meta:
        model = AuditItem
        fields = [
            "id",
            "stratum",
            "population",
            "environment",
            "bundle",
            "verdict",
            "note",
            "by",
            "at",
        ]

    @extend_schema_field({"type": "string", "nullable": True, "enum": ["sound", "defective", None]})
    def get_verdict(self, row: AuditItem) -> str | None:
        """What a person says of the environment; null while nobody read it."""
        return None if row.verdict == AuditVerdict.UNREAD else row.verdict


class EstimateSerializer(serializers.Serializer[Any]):
    """`triage.estimate.Estimate`"""

    read = serializers.IntegerField()
    defective = serializers.IntegerField()
    population = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    unread = serializers.ListField(child=serializers.CharField())
    said = serializers.CharField()


class AuditSampleSerializer(serializers.ModelSerializer[AuditSample]):
    author = serializers.CharField(source="author.username", default=None)

    class Meta:
        model = AuditSample
        fields = ["id", "name", "seed", "size", "created", "author"]


class AuditSampleDetailSerializer(AuditSampleSerializer):
    estimate = serializers.SerializerMethodField()
    items = AuditItemSerializer(many=True)

    class Meta(AuditSampleSerializer.Meta):
        fields = [*AuditSampleSerializer.Meta.fields, "estimate", "items"]

    @extend_schema_field(EstimateSerializer)
    def get_estimate(self, row: AuditSample) -> Any:
        """The residual defect rate, from what the caller may read."""
        mine = AuditItem.objects.visible_to(_caller(self.context["request"]))
        return EstimateSerializer(estimate(mine.filter(sample=row))).data


class AuditSampleViewSet(viewsets.ReadOnlyModelViewSet[AuditSample]):
    queryset = AuditSample.objects.none()

    def get_serializer_class(self) -> type[serializers.BaseSerializer[AuditSample]]:
        is_one = self.action == "retrieve"
        return AuditSampleDetailSerializer if is_one else AuditSampleSerializer

    def get_queryset(self) -> QuerySet[AuditSample]:
        user = _caller(self.request)
        rows = AuditSample.objects.visible_to(user).select_related("author")
        if self.action == "retrieve":
            items = AuditItem.objects.visible_to(user).select_related("environment", "by")
            rows = rows.prefetch_related(Prefetch("items", items.order_by("pk")))
        return rows.order_by("-pk")
