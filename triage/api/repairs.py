"""Searches for repairs over the API: how far they are, what they tried, the end before time."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from components.models import Environment
from triage import repairing
from triage.api import repairserializers as serializers
from triage.api.refusals import RefusedSerializer, refusals
from triage.api.viewsets import address, caller
from triage.models import Alternative, Repair
from triage.models.job import JobState
from triage.models.repair import Fate
from triage.pages.environment_list import whole


@extend_schema_view(
    list=extend_schema(
        parameters=[
            OpenApiParameter("fault", int, description="Of this fault."),
            OpenApiParameter(
                "state", str, description=f"{', '.join(JobState.values)}; may be repeated."
            ),
        ]
    )
)
class RepairViewSet(viewsets.ReadOnlyModelViewSet[Repair]):
    """The newest first."""

    queryset = Repair.objects.none()

    def get_serializer_class(self) -> type[BaseSerializer[Repair]]:
        is_list = self.action == "list"
        return serializers.RepairSerializer if is_list else serializers.RepairDetailSerializer

    def get_queryset(self) -> QuerySet[Repair]:
        rows, asked = repairs_of(caller(self.request)), address(self.request)
        if number := asked.one("fault"):
            rows = rows.filter(fault=whole(number))
        if states := asked.all("state"):
            rows = rows.filter(state__in=states)
        return rows.order_by("-pk")

    def get_object(self) -> Any:
        """One, with the names of the environments that it looked at."""
        found: Any = super().get_object()
        rows = Environment.objects.filter(pk__in=found.looked_at).order_by("slug")
        found.seen = list(rows.values_list("slug", flat=True))
        return found

    @extend_schema(
        responses=serializers.AlternativeSerializer(many=True),
        parameters=[
            OpenApiParameter("fate", str, description=f"{', '.join(Fate.values)}; may be repeated.")
        ],
    )
    @action(detail=True)
    def alternatives(self, request: Request, **_: Any) -> Response:
        """Candidates that it tried, those that came furthest first, and why they lost."""
        rows: Any = Alternative.objects.filter(repair=self.get_object())
        if fates := address(request).all("fate"):
            rows = rows.filter(fate__in=fates)
        page: Any = self.paginate_queryset(rows.order_by("rank", "pk"))
        said = serializers.AlternativeSerializer(page, many=True)
        return self.get_paginated_response(said.data)

    @extend_schema(
        request=None, responses={200: serializers.RepairDetailSerializer, 409: RefusedSerializer}
    )
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, **_: Any) -> Response:
        """End it before its time; what it proposed stays. Needs the permission `triage.add_repair`. 409 when it has
        ended."""
        with refusals():
            repairing.cancel(caller(request), self.get_object())
        return Response(self.get_serializer(self.get_object()).data)


def repairs_of(user: User) -> QuerySet[Repair]:
    """Those that a user may see, with what is said of each."""
    rows = Repair.objects.visible_to(user).select_related("author", "cancelled_by")
    return rows.prefetch_related("proposals")
