"""Trials over the API: how far they are, what they showed, the end before time."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from components.models import Domain
from triage.api import proposalserializers as serializers
from triage.api.refusals import RefusedSerializer, refusals
from triage.api.viewsets import address, caller
from triage.models import Outcome, Proposal, Trial
from triage.trials import cancel

FILTERS = {
    "move": ("move", "fixed, regressed, unchanged or error; may be repeated."),
    "stage": ("stage", "probe, sample or full; may be repeated."),
}


class TrialViewSet(mixins.RetrieveModelMixin, viewsets.GenericViewSet[Trial]):
    """How far a trial is, and what it showed."""

    serializer_class = serializers.TrialSerializer
    queryset = Trial.objects.none()

    def get_queryset(self) -> QuerySet[Trial]:
        return trials_of(caller(self.request))

    @extend_schema(
        responses=serializers.OutcomeSerializer(many=True),
        parameters=[
            OpenApiParameter(name, str, description=said) for name, (_, said) in FILTERS.items()
        ],
    )
    @action(detail=True)
    def outcomes(self, request: Request, **_: Any) -> Response:
        """Each environment with the candidate beside the same without."""
        rows: Any = Outcome.objects.filter(trial=self.get_object())
        for name, (column, _said) in FILTERS.items():
            if asked := address(request).all(name):
                rows = rows.filter(**{f"{column}__in": asked})
        rows = rows.select_related("environment__domain")
        page: Any = self.paginate_queryset(rows.order_by("pk"))
        said = serializers.OutcomeSerializer(page, many=True)
        return self.get_paginated_response(said.data)

    @extend_schema(
        request=None, responses={200: serializers.TrialSerializer, 409: RefusedSerializer}
    )
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, **_: Any) -> Response:
        """End it before its time; needs the permission `triage.add_trial`. 409 when it has ended."""
        with refusals():
            cancel(caller(request), self.get_object())
        return Response(self.get_serializer(self.get_object()).data)


def trials_of(user: User) -> QuerySet[Trial]:
    """Those of which a user may see every proposal."""
    hidden = Proposal.objects.exclude(domain__in=Domain.objects.visible_to(user))
    rows = Trial.objects.visible_to(user).exclude(proposals__in=hidden.order_by().values("pk"))
    return rows.select_related("author", "cancelled_by").prefetch_related("proposals")
