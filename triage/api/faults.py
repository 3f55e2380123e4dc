"""Faults, and the weighing of their suspects, over the API."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from components.actor import demand
from triage import attribution, faultcare, repairing
from triage.api import faultserializers as serializers
from triage.api.refusals import RefusedSerializer, ordered, refusals
from triage.api.repairs import repairs_of
from triage.api.repairserializers import RepairOrderSerializer, RepairSerializer
from triage.api.viewsets import address, caller
from triage.attribution import attribute
from triage.faultcare import FaultCareInvalid
from triage.models import Attribution, Fault
from triage.sightings import environments_by_fault, showing
from triage.standins import Sources

FILTERS = {
    "status": ("status", "new, ongoing, fixed, regressed or archived; may be repeated."),
    "domain": ("domain__slug", "A domain's slug; may be repeated."),
    "code": ("code", "A finding's code; may be repeated."),
    "assignee": ("assignee__username", "A username; may be repeated."),
}
ANSWERS = {200: serializers.FaultDetailSerializer, 409: RefusedSerializer}


@extend_schema_view(
    list=extend_schema(
        parameters=[
            OpenApiParameter(name, str, description=said) for name, (_, said) in FILTERS.items()
        ]
    )
)
class FaultViewSet(viewsets.ReadOnlyModelViewSet[Fault]):
    """Those that most environments show come first."""

    queryset = Fault.objects.none()

    def get_serializer_class(self) -> type[BaseSerializer[Fault]]:
        is_list = self.action == "list"
        return serializers.FaultSerializer if is_list else serializers.FaultDetailSerializer

    def get_queryset(self) -> QuerySet[Fault]:
        rows = Fault.objects.visible_to(caller(self.request)).select_related("domain", "assignee")
        if self.action != "list":
            rows = rows.prefetch_related(
                "suspects__component",
                "suspects__version",
                "symptoms",
                "comments__author",
                "attributions",
                "repairs",
                "proposals",
            )
        for name, (column, _) in FILTERS.items():
            if asked := address(self.request).all(name):
                rows = rows.filter(**{f"{column}__in": asked})
        return rows.order_by("-environments", "pk")

    def get_object(self) -> Any:
        """One, with the environments that show it now."""
        found: Any = super().get_object()
        seen = showing().filter(fault=found)
        found.shown_by = environments_by_fault(seen).get(found.pk, [])
        return found

    @extend_schema(request=serializers.AssignOrderSerializer, responses=ANSWERS)
    @action(detail=True, methods=["post"])
    def assign(self, request: Request, **_: Any) -> Response:
        """Give the fault to somebody who may read its domain; needs the permission `triage.change_fault`."""
        found = self.get_object()
        demand(caller(request), faultcare.CHANGE, "assign faults")
        who = _user(ordered(serializers.AssignOrderSerializer, request.data)["assignee"])
        with refusals():
            faultcare.assign(caller(request), found, who)
        return self._as_it_is()

    @extend_schema(request=serializers.CommentOrderSerializer, responses=ANSWERS)
    @action(detail=True, methods=["post"])
    def comment(self, request: Request, **_: Any) -> Response:
        """Say something about the fault; needs the permission `triage.add_comment`."""
        found, order = self.get_object(), ordered(serializers.CommentOrderSerializer, request.data)
        with refusals():
            faultcare.comment(caller(request), found, order["text"])
        return self._as_it_is()

    @extend_schema(request=serializers.ArchiveOrderSerializer, responses=ANSWERS)
    @action(detail=True, methods=["post"])
    def archive(self, request: Request, **_: Any) -> Response:
        """Put the fault aside, with a reason; needs the permission `triage.change_fault`. 409 when it is already."""
        found, order = self.get_object(), ordered(serializers.ArchiveOrderSerializer, request.data)
        with refusals(FaultCareInvalid):
            faultcare.archive(caller(request), found, order["reason"])
        return self._as_it_is()

    @extend_schema(request=None, responses=ANSWERS)
    @action(detail=True, methods=["post"])
    def reopen(self, request: Request, **_: Any) -> Response:
        """Take an archived fault up again; needs the permission `triage.change_fault`. 409 when it is not archived."""
        with refusals(FaultCareInvalid):
            faultcare.reopen(caller(request), self.get_object())
        return self._as_it_is()

    @extend_schema(
        request=None, responses={201: serializers.AttributionSerializer, 409: RefusedSerializer}
    )
    @action(detail=True, methods=["post"])
    def attribute(self, request: Request, **_: Any) -> Response:
        """Weigh the suspects thoroughly, each swapped alone; needs the permission `triage.add_attribution`. A worker
        does it: ask for the attribution until it is done."""
        with refusals():
            made = attribute(caller(request), self.get_object())
        row = _attributions(caller(request)).get(pk=made.pk)
        said = serializers.AttributionSerializer(row).data
        return Response(said, status=status.HTTP_201_CREATED)

    @extend_schema(
        request=RepairOrderSerializer,
        responses={
            200: RepairSerializer,
            201: RepairSerializer,
            400: RefusedSerializer,
            409: RefusedSerializer,
        },
    )
    @action(detail=True, methods=["post"])
    def repair(self, request: Request, **_: Any) -> Response:
        """Have repairs searched for, tried and proposed; needs the permission `triage.add_repair`. A worker does it:
        ask for the repair until it is done. 200 with the one that waits or runs already; 409 where no round that is
        kept shows the fault."""
        user, row = caller(request), self.get_object()
        demand(user, repairing.PERMISSION, "have repairs proposed")
        order = ordered(RepairOrderSerializer, request.data)
        sources = Sources(parents=order["takes_back"], siblings=order["borrows"])
        known = set(row.repairs.values_list("pk", flat=True))
        with refusals(repairing.RepairRefused):
            made = repairing.repair(user, row, sources=sources, seconds=order["seconds"])
        said = RepairSerializer(repairs_of(user).get(pk=made.pk)).data
        is_new = made.pk not in known
        return Response(said, status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)

    def _as_it_is(self) -> Response:
        return Response(self.get_serializer(self.get_object()).data)


class AttributionViewSet(mixins.RetrieveModelMixin, viewsets.GenericViewSet[Attribution]):
    """How far the weighing of a fault's suspects is, and what it showed."""

    serializer_class = serializers.AttributionSerializer
    queryset = Attribution.objects.none()

    def get_queryset(self) -> QuerySet[Attribution]:
        return _attributions(caller(self.request))

    @extend_schema(
        request=None, responses={200: serializers.AttributionSerializer, 409: RefusedSerializer}
    )
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, **_: Any) -> Response:
        """End it before its time: for who asked for it, and for who has the permission `triage.add_attribution`. 409
        when it has ended."""
        held = self.get_object()
        with refusals():
            attribution.cancel(caller(request), held)
        return Response(self.get_serializer(self.get_object()).data)


def _attributions(user: User) -> QuerySet[Attribution]:
    rows = Attribution.objects.visible_to(user).select_related("author", "cancelled_by")
    return rows.prefetch_related("suspects__component", "suspects__version")


def _user(name: str | None) -> User | None:
    if name is None:
        return None
    found = User.objects.filter(username=name, is_active=True).first()
    if found is None:
        raise ValidationError({"assignee": f"There is no user {name!r}."})
    return found
