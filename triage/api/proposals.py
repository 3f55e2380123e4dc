"""Proposals over the API: written, edited, tried and decided on; each by the revision that was read."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from components.actor import demand
from components.models import Component, Domain
from triage import proposals, review
from triage.api import proposalserializers as serializers
from triage.api.refusals import (
    Invalid,
    OverrideNeededSerializer,
    RefusedSerializer,
    ordered,
    refusals,
)
from triage.api.trials import trials_of
from triage.api.viewsets import address, caller
from triage.models import Fault, Proposal, Trial
from triage.pages.environment_list import whole
from triage.patches import file_name, patch_file
from triage.proposalfiles import validate
from triage.proposals import Said
from triage.ranking import place_of
from triage.refreshing import refresh
from triage.trials import attempt, latest_trial

FILTERS = {
    "state": ("state", "draft, trying, waiting, deferred, approved, …; may be repeated."),
    "domain": ("domain__slug", "A domain's slug; may be repeated."),
    "kind": ("kind", "repair or evolution; may be repeated."),
    "author": ("author__username", "A username; may be repeated."),
}
FORMS = ("file", "rows")
PATCH = "text/x-diff"


class PatchRenderer(BaseRenderer):
    """For who accepts nothing but a patch: why there is none."""

    media_type = PATCH
    format = "patch"

    def render(self, data: Any, *_: Any) -> bytes:
        return str(data.get("detail", "")).encode()


ANSWERS = {
    200: serializers.ProposalDetailSerializer,
    400: serializers.InvalidSerializer,
    409: RefusedSerializer,
}


@extend_schema_view(
    list=extend_schema(
        parameters=[
            *(OpenApiParameter(name, str, description=said) for name, (_, said) in FILTERS.items()),
            OpenApiParameter("fault", int, description="Of this fault."),
            OpenApiParameter("repair", int, description="Written by this search for repairs."),
        ]
    )
)
class ProposalViewSet(viewsets.ReadOnlyModelViewSet[Proposal]):
    """The newest first."""

    queryset = Proposal.objects.none()

    def get_serializer_class(self) -> type[BaseSerializer[Proposal]]:
        is_list = self.action == "list"
        return serializers.ProposalSerializer if is_list else serializers.ProposalDetailSerializer

    def get_queryset(self) -> QuerySet[Proposal]:
        rows = Proposal.objects.visible_to(caller(self.request))
        rows = rows.select_related("domain", "author", "decided_by")
        if self.action != "list":
            rows = rows.prefetch_related("changes__base", "changes__version", "trials")
            rows = rows.prefetch_related("changes__component__current")
        asked = address(self.request)
        for name, (column, _) in FILTERS.items():
            if values := asked.all(name):
                rows = rows.filter(**{f"{column}__in": values})
        for name in ("fault", "repair"):
            if number := asked.one(name):
                rows = rows.filter(**{name: whole(number)})
        return rows.order_by("-pk")

    def get_object(self) -> Any:
        """One, with the trial that speaks for it and what stands against it."""
        found: Any = super().get_object()
        trial = latest_trial(found)
        found.spoken_for_by = trial.pk if trial else None
        is_open = trial is not None and not found.is_decided
        found.against = review.objections([found], trial) if trial and is_open else []
        place = place_of(found)
        found.rank, found.below = (place.number, place.because) if place else (None, "")
        return found

    @extend_schema(
        request=serializers.ProposalOrderSerializer,
        responses={
            201: serializers.ProposalDetailSerializer,
            400: serializers.InvalidSerializer,
            409: RefusedSerializer,
        },
    )
    def create(self, request: Request) -> Response:
        """Propose that one to three components say something else, as texts of their files; needs the permission
        `triage.add_proposal`. 400 with problems by line where a text cannot be."""
        user = caller(request)
        demand(user, proposals.ADD, "propose repairs")
        order = ordered(serializers.ProposalOrderSerializer, request.data)
        domain = _domain(user, order["domain"])
        words = {name: order[name] for name in ("title", "reason", "authority") if name in order}
        with refusals():
            changes = bodies(domain, order["changes"])
            fault = _fault(user, order["fault"])
            made = proposals.propose(user, domain, changes, fault=fault, **words)
        return self._told(made.pk, status.HTTP_201_CREATED)

    @extend_schema(request=serializers.EditOrderSerializer, responses=ANSWERS)
    def partial_update(self, request: Request, **_: Any) -> Response:
        """Other words, or other texts: then it is a draft again; needs the permission `triage.change_proposal`. 409
        when somebody edited it meanwhile, or decided on it."""
        user, row = caller(request), self.get_object()
        demand(user, proposals.CHANGE, "edit proposals")
        order = ordered(serializers.EditOrderSerializer, request.data)
        with refusals():
            if "changes" in order:
                order["changes"] = bodies(row.domain, order["changes"])
            proposals.edit(user, row, order.pop("revision"), **order)
        return self._told(row.pk)

    @extend_schema(responses=serializers.TextSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None)
    def texts(self, _request: Request, **_: Any) -> Response:
        """The files of its components, before and after."""
        changes = self.get_object().changes.select_related(
            "component__domain", "base__body", "body"
        )
        return Response(serializers.TextSerializer(changes, many=True).data)

    @extend_schema(
        responses={(200, PATCH): OpenApiTypes.STR, 404: RefusedSerializer}, filters=False
    )
    @action(
        detail=True,
        url_path="patch",
        url_name="patch",
        renderer_classes=[JSONRenderer, PatchRenderer],
        pagination_class=None,
    )
    def patch_file(self, _request: Request, **_: Any) -> HttpResponse:
        """What it does to the source of an outside server, as a file that `git apply` takes in the source folder; 404
        where it patches none. No approval changes such a source."""
        row = self.get_object()
        with refusals():
            text = patch_file(row)
        if not text:
            raise NotFound(f"{row} patches no source.")
        headers = {"Content-Disposition": f'attachment; filename="{file_name(row)}"'}
        return HttpResponse(text, content_type=f"{PATCH}; charset=utf-8", headers=headers)

    @extend_schema(
        request=serializers.TryOrderSerializer,
        responses={201: serializers.TrialSerializer, 409: RefusedSerializer},
    )
    @action(detail=True, methods=["post"], url_path="try", url_name="try")
    def attempt(self, request: Request, **_: Any) -> Response:
        """Run it on what uses its components; needs the permission `triage.add_trial`. Workers do it: ask for the trial
        until it is done."""
        row, order = self.get_object(), ordered(serializers.TryOrderSerializer, request.data)
        with refusals():
            made: Trial = attempt(caller(request), [row], order["until"])
        said = serializers.TrialSerializer(trials_of(caller(request)).get(pk=made.pk)).data
        return Response(said, status=status.HTTP_201_CREATED)

    @extend_schema(
        request=serializers.ApproveOrderSerializer,
        responses={**ANSWERS, 409: OverrideNeededSerializer},
    )
    @action(detail=True, methods=["post"])
    def approve(self, request: Request, **_: Any) -> Response:
        """Make what it says current; needs the permission `triage.review_proposal`. 409 when it was edited, decided on
        or not tried in full, when a component moved, or when something stands `against` it and no `override` says
        why."""
        order = ordered(serializers.ApproveOrderSerializer, request.data)
        return self._decided(review.approve, **order)

    @extend_schema(request=serializers.RejectOrderSerializer, responses=ANSWERS)
    @action(detail=True, methods=["post"])
    def reject(self, request: Request, **_: Any) -> Response:
        """Turn it down for good; needs the permission `triage.review_proposal`."""
        return self._decided(
            review.reject, **ordered(serializers.RejectOrderSerializer, request.data)
        )

    @extend_schema(request=serializers.DeferOrderSerializer, responses=ANSWERS)
    @action(detail=True, methods=["post"])
    def defer(self, request: Request, **_: Any) -> Response:
        """Leave it for later; needs the permission `triage.review_proposal`."""
        return self._decided(
            review.defer, **ordered(serializers.DeferOrderSerializer, request.data)
        )

    @extend_schema(
        request=None, responses={200: serializers.RefreshedSerializer, 409: RefusedSerializer}
    )
    @action(detail=True, methods=["post"])
    def refresh(self, request: Request, **_: Any) -> Response:
        """Set it against what its components say now, to be tried anew; needs the permission
        `triage.change_proposal`."""
        with refusals():
            told = refresh(caller(request), self.get_object())
        said = {"merged": told.merged, "kept": told.kept, "dropped": told.dropped}
        return Response({"proposal": self._told(told.proposal.pk).data, **said})

    def _decided(self, decide: Any, **order: Any) -> Response:
        row = self.get_object()
        with refusals():
            decide(caller(self.request), row, **order)
        return self._told(row.pk)

    def _told(self, pk: int, code: int = status.HTTP_200_OK) -> Response:
        self.kwargs["pk"] = pk
        return Response(self.get_serializer(self.get_object()).data, status=code)


def bodies(domain: Domain, changes: list[dict[str, Any]]) -> list[Said]:
    """Components with what their texts say; raises Invalid with the problems of all texts."""
    said: list[Said] = []
    problems: list[dict[str, Any]] = []
    for change in changes:
        name = f"{change['kind']}/{change['component']}"
        row = Component.objects.filter(
            domain=domain, kind=change["kind"], slug=change["component"]
        ).first()
        if row is None:
            message = f"the domain {domain} has no such component"
            problems.append({"component": name, "line": None, "message": message})
        elif change["form"] not in FORMS:
            message = f"a text is a file or rows, not {change['form']!r:.40}"
            problems.append({"component": name, "line": None, "message": message})
        else:
            checked = validate(row, change["text"], change["form"])
            problems += [{"component": name, **one.document()} for one in checked.problems]
            if checked.body is not None:
                said.append((row, checked.body))
    if problems:
        raise Invalid(_sentence(problems[0]), problems)
    return said


def _sentence(problem: dict[str, Any]) -> str:
    where = "" if problem["line"] is None else f", line {problem['line']}"
    return f"{problem['component']}{where}: {problem['message']}"


def _domain(user: User, slug: str) -> Domain:
    found = Domain.objects.visible_to(user).filter(slug=slug).first()
    if found is None:
        raise ValidationError({"domain": f"There is no domain {slug!r}."})
    return found


def _fault(user: User, pk: int | None) -> Fault | None:
    if pk is None:
        return None
    found = Fault.objects.visible_to(user).filter(pk=pk).first()
    if found is None:
        raise ValidationError({"fault": f"There is no fault {pk}."})
    return found
