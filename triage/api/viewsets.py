"""The API: what the pages show, as JSON. Every list starts from what the caller may read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from components.models import Component, Domain, Environment, Part
from triage.api import serializers
from triage.api.moves import HasMoves
from triage.cancellation import RoundOver, cancel
from triage.codes import standings
from triage.counterexamples import doubts
from triage.labelling import LabelInvalid, label
from triage.models import Check, Episode, Finding, Label, Result, Round
from triage.pages.address import Address
from triage.pages.components import narrowed as narrowed_components
from triage.pages.environment_list import narrowed as narrowed_environments
from triage.pages.environment_list import standing, whole
from triage.rounds import create_round, progress, summary
from triage.scope import RoundInvalid, Scope

M = TypeVar("M", Check, Episode, Finding)


def caller(request: Request) -> User:
    """The user behind a request that authentication let through."""
    return cast(User, request.user)


def address(request: Request) -> Address:
    """What the request asks for."""
    return Address(request.path, request.query_params)


def _asks(*names: str) -> list[OpenApiParameter]:
    return [OpenApiParameter(name, str, description=ASKED[name]) for name in names]


ASKED = {
    "q": "Words that must all occur in its names.",
    "status": "solvable, broken, unproven, error or unverified; may be repeated.",
    "domain": "A domain's slug; may be repeated.",
    "code": "A finding's code; may be repeated.",
    "kind": "The kind of component (that is blamed); may be repeated.",
    "solved": "The name of an agent that solved it; may be repeated.",
    "unsolved": "The name of an agent that did not solve it; may be repeated.",
    "component": "`domain/kind/slug` of a component that it uses; may be repeated.",
    "fault": "The number of a fault that it shows; may be repeated.",
    "round": "A round's number.",
    "authority": "given or ours; may be repeated.",
    "severity": "blocking, warning or advice, as it is now; may be repeated.",
    "counted": "yes, or no for findings that are accepted, dismissed or demoted.",
    "state": "queued, running, done, error or cancelled; may be repeated.",
    "agent": "An agent's name; may be repeated.",
}


class DomainViewSet(viewsets.ReadOnlyModelViewSet[Domain]):
    serializer_class = serializers.DomainSerializer
    queryset = Domain.objects.none()
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[Domain]:
        return Domain.objects.visible_to(caller(self.request)).order_by("slug")


@extend_schema_view(list=extend_schema(parameters=_asks("q", "kind", "domain", "authority")))
class ComponentViewSet(viewsets.ReadOnlyModelViewSet[Component]):
    queryset = Component.objects.none()

    def get_serializer_class(self) -> type[BaseSerializer[Component]]:
        is_one = self.action == "retrieve"
        return serializers.ComponentDetailSerializer if is_one else serializers.ComponentSerializer

    def get_queryset(self) -> QuerySet[Component]:
        rows = narrowed_components(caller(self.request), address(self.request))
        if self.action == "retrieve":
            rows = rows.select_related("current__body")
            rows = rows.prefetch_related("versions__author", "versions__parent")
        return rows.select_related("domain", "current").order_by("domain__slug", "kind", "slug")


@extend_schema_view(
    list=extend_schema(
        parameters=_asks(
            "q",
            "status",
            "authority",
            "domain",
            "code",
            "severity",
            "counted",
            "kind",
            "solved",
            "unsolved",
            "component",
            "fault",
            "round",
        )
    )
)
class EnvironmentViewSet(viewsets.ReadOnlyModelViewSet[Environment]):
    """Filtered like the page; with `round` as that round saw them, else as they stand now."""

    serializer_class = serializers.EnvironmentSerializer
    queryset = Environment.objects.none()

    def get_queryset(self) -> QuerySet[Environment]:
        parts = Part.objects.select_related("component").order_by("position")
        asked = address(self.request)
        rows = narrowed_environments(standing(caller(self.request), asked), asked)
        rows = rows.select_related("domain").prefetch_related(Prefetch("parts", parts))
        return rows.order_by("domain__slug", "slug")

    def paginate_queryset(self, queryset: Any) -> Any:
        """A page of them, each with its `doubts`."""
        return _with_doubts(super().paginate_queryset(queryset) or [])

    def get_object(self) -> Environment:
        """One with its `doubts`."""
        found = super().get_object()
        _with_doubts([found])
        return found


def _with_doubts(rows: Sequence[Any]) -> list[Any]:
    """Environments with the counterexamples of people that make them broken; one query."""
    people = doubts(row.latest_check for row in rows if row.latest_check)
    for row in rows:
        row.doubts = people.get(row.latest_check, [])
    return list(rows)


class RoundViewSet(
    HasMoves, mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Round]
):
    serializer_class = serializers.RoundSerializer
    queryset = Round.objects.none()

    def get_queryset(self) -> QuerySet[Round]:
        user = caller(self.request)
        rows = (
            Round.objects.visible_to(user)
            .select_related("author", "cancelled_by")
            .with_domains(user)
        )
        return rows.order_by("-pk")

    @extend_schema(
        request=serializers.RoundOrderSerializer, responses={201: serializers.RoundSerializer}
    )
    def create(self, request: Request) -> Response:
        """Start a round; needs the permission `triage.add_round`."""
        order = serializers.RoundOrderSerializer(data=request.data)
        order.is_valid(raise_exception=True)
        try:
            asked = dict(order.validated_data)
            panel = asked.pop("panel")
            made = create_round(caller(request), Scope(**asked), panel)
        except RoundInvalid as error:
            raise ValidationError({"detail": str(error)}) from error
        row = self.get_queryset().get(pk=made.pk)
        return Response(self.get_serializer(row).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses=serializers.RoundSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, **_: Any) -> Response:
        """End a running round: for who started it, and for who may run rounds over all of its domains.

        What waits or runs is dropped; what is done keeps its results. 409 when it is over already.
        """
        made = self.get_object()
        try:
            cancel(caller(request), made)
        except RoundOver as error:
            return Response({"detail": f"{error}"}, status=status.HTTP_409_CONFLICT)
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(responses=serializers.SummarySerializer)
    @action(detail=True)
    def summary(self, request: Request, **_: Any) -> Response:
        """The round in numbers, over what the caller may read."""
        return Response(dict(summary(self.get_object(), caller(request))))

    @extend_schema(responses=serializers.ProgressSerializer)
    @action(detail=True)
    def progress(self, request: Request, **_: Any) -> Response:
        """How far the round is."""
        return Response(dict(progress(self.get_object(), caller(request))))


@extend_schema_view(list=extend_schema(parameters=_asks("round", "domain", "state", "status")))
class CheckViewSet(viewsets.ReadOnlyModelViewSet[Check]):
    queryset = Check.objects.none()

    def get_serializer_class(self) -> type[BaseSerializer[Check]]:
        is_one = self.action == "retrieve"
        return serializers.CheckDetailSerializer if is_one else serializers.CheckSerializer

    def get_queryset(self) -> QuerySet[Check]:
        rows = Check.objects.visible_to(caller(self.request)).for_list()
        if self.action == "retrieve":
            findings = Prefetch("result__findings", Finding.objects.for_list().with_label())
            episodes = Prefetch("result__episodes", Episode.objects.for_list())
            rows = rows.prefetch_related(findings, episodes)
        if number := address(self.request).one("round"):
            rows = rows.filter(round=whole(number))
        columns = {"domain": "environment__domain__slug", "state": "state", "status": "status"}
        return _filtered(rows, self.request, columns).order_by("-round_id", "pk")


@extend_schema_view(list=extend_schema(parameters=_asks("round", "agent")))
class EpisodeViewSet(viewsets.ReadOnlyModelViewSet[Episode]):
    queryset = Episode.objects.none()

    def get_serializer_class(self) -> type[BaseSerializer[Episode]]:
        is_one = self.action == "retrieve"
        return serializers.EpisodeDetailSerializer if is_one else serializers.EpisodeSerializer

    def get_queryset(self) -> QuerySet[Episode]:
        rows = Episode.objects.visible_to(caller(self.request)).select_related("agent")
        if self.action != "retrieve":
            rows = rows.defer("document")
        if (results := results_of_round(self.request)) is not None:
            rows = rows.filter(pk__in=results.values("episodes"))
        return _filtered(rows, self.request, {"agent": "agent__name"}).order_by("key")


@extend_schema_view(
    list=extend_schema(parameters=_asks("round", "code", "severity", "kind", "counted"))
)
class FindingViewSet(viewsets.ReadOnlyModelViewSet[Finding]):
    serializer_class = serializers.FindingSerializer
    queryset = Finding.objects.none()

    def get_queryset(self) -> QuerySet[Finding]:
        rows: Any = Finding.objects.visible_to(caller(self.request)).with_marks().with_label()
        rows = rows.select_related("component__domain", "version")
        if (results := results_of_round(self.request)) is not None:
            rows = rows.filter(result__in=results)
        columns = {"code": "code", "severity": "weight", "kind": "kind"}
        counts = {"yes": True, "no": False}
        if asked := [counts[one] for one in address(self.request).all("counted") if one in counts]:
            rows = rows.filter(is_counted__in=asked)
        found: QuerySet[Finding] = _filtered(rows, self.request, columns)
        return found.order_by("pk")

    @extend_schema(
        request=serializers.LabelOrderSerializer, responses=serializers.FindingSerializer
    )
    @action(detail=True, methods=["post"])
    def label(self, request: Request, **_: Any) -> Response:
        """Say whether the finding is right; needs the permission `triage.add_label`. One that is labelled wrong is
        dismissed wherever it shows, and counts no longer. The caller's label of before is replaced."""
        found = self.get_object()
        order = serializers.LabelOrderSerializer(data=request.data)
        order.is_valid(raise_exception=True)
        said = order.validated_data
        try:
            label(caller(request), found, is_right=said["label"] == "right", reason=said["reason"])
        except LabelInvalid as error:
            raise ValidationError({"detail": str(error)}) from error
        return Response(self.get_serializer(self.get_object()).data)


class CodeViewSet(viewsets.GenericViewSet[Any]):
    """Every code with what it found, and how often people say that it was right."""

    serializer_class = serializers.CodeSerializer
    queryset = Label.objects.none()

    @extend_schema(responses=serializers.CodeSerializer(many=True))
    def list(self, request: Request) -> Response:
        """All codes, in the order of the stages; `findings` are those that the caller may read."""
        rows = [one.document() for one in standings(caller(request))]
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


def _filtered(rows: QuerySet[M], request: Request, columns: dict[str, str]) -> QuerySet[M]:
    """The rows that have one of the values asked for in each column."""
    for name, column in columns.items():
        if asked := address(request).all(name):
            rows = rows.filter(**{f"{column}__in": asked})
    return rows


def results_of_round(request: Request) -> QuerySet[Result] | None:
    """The results that the caller may read of the round asked for; None where none is asked for."""
    number = address(request).one("round")
    if not number:
        return None
    checks = Check.objects.visible_to(caller(request)).filter(round=whole(number))
    return Result.objects.filter(pk__in=checks.values("result"))
