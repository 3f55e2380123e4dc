"""Versions over the API: the text of each, and the way back to it."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from components.models import Domain, Version
from components.versions import restore
from triage.api import proposalserializers as serializers
from triage.api.refusals import RefusedSerializer, ordered, refusals
from triage.api.viewsets import caller


class VersionViewSet(mixins.RetrieveModelMixin, viewsets.GenericViewSet[Version]):
    """What a component said, with the text of its file."""

    serializer_class = serializers.VersionDetailSerializer
    queryset = Version.objects.none()

    def get_queryset(self) -> QuerySet[Version]:
        mine = Domain.objects.visible_to(caller(self.request))
        rows = Version.objects.filter(component__domain__in=mine)
        return rows.select_related("component__domain", "body", "parent", "author")

    @extend_schema(
        request=serializers.RestoreOrderSerializer,
        responses={201: serializers.VersionDetailSerializer, 409: RefusedSerializer},
    )
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, **_: Any) -> Response:
        """Make a new version that says what this one said; needs the permission `components.add_version`. 409 where the
        component says that already."""
        version, order = (
            self.get_object(),
            ordered(serializers.RestoreOrderSerializer, request.data),
        )
        with refusals():
            made = restore(caller(request), version, order["reason"])
        row = self.get_queryset().get(pk=made.pk)
        return Response(self.get_serializer(row).data, status=status.HTTP_201_CREATED)
