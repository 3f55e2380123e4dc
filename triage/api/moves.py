"""What moved between two rounds, over the API."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from triage.models import Round
from triage.moves import Moves, moves, previous
from triage.pages.address import Address
from triage.pages.environment_list import whole


class MoverSerializer(serializers.Serializer[Any]):
    """A version between the two rounds."""

    id = serializers.IntegerField()
    kind = serializers.CharField(source="component.kind")
    component = serializers.CharField(source="component.slug")
    number = serializers.IntegerField()
    author = serializers.CharField(source="author.username", default=None)
    reason = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # the row's word, not DRF's


class CauseSerializer(serializers.Serializer[Any]):
    """What moved environments."""

    sort = serializers.CharField(
        help_text="proposal, version, parts, pin, recipe, labels, error, new or removed"
    )
    text = serializers.CharField()
    proposal = serializers.IntegerField(source="proposal.pk", default=None)
    versions = MoverSerializer(many=True)


class MoveSerializer(serializers.Serializer[Any]):
    """An environment that moved."""

    domain = serializers.CharField(source="environment.domain.slug")
    environment = serializers.CharField(source="environment.slug")
    before = serializers.CharField(
        allow_null=True, help_text="As it counted when the earlier round ended; null: not in it."
    )
    after = serializers.CharField(
        allow_null=True, help_text="As it counts now; null: not in the later round."
    )


class MovedSerializer(serializers.Serializer[Any]):
    """The environments that the same causes moved."""

    text = serializers.CharField()
    causes = CauseSerializer(many=True)
    fixed = serializers.IntegerField()
    broken = serializers.IntegerField()
    other = serializers.IntegerField(
        help_text="Neither: from one status that is not solvable to another."
    )
    environments = MoveSerializer(many=True, source="moves")


class FromToSerializer(serializers.Serializer[Any]):
    """How many went from one status to another, or stayed."""

    before = serializers.CharField(allow_null=True)
    after = serializers.CharField(allow_null=True)
    environments = serializers.IntegerField()


class MovesSerializer(serializers.Serializer[Any]):
    """`triage.moves.Moves`."""

    round = serializers.IntegerField(source="later.pk")
    since = serializers.IntegerField(source="earlier.pk")
    table = serializers.SerializerMethodField()
    groups = MovedSerializer(many=True)

    def get_table(self, found: Moves) -> list[dict[str, Any]]:
        """From and to, those that did not move too."""
        rows = sorted(found.table.items(), key=lambda one: (-one[1], str(one[0])))
        return [{"before": old, "after": new, "environments": n} for (old, new), n in rows]


class HasMoves:
    """What rounds say of what moved; for a view set of rounds."""

    @extend_schema(
        responses=MovesSerializer,
        parameters=[
            OpenApiParameter(
                "since",
                int,
                description="An earlier round; left out: the one before it over the same domains.",
            )
        ],
    )
    @action(detail=True)
    def moves(self, request: Request, **_: Any) -> Response:
        """What moved since an earlier round, and what moved it. 404 where there is no earlier one."""
        view: Any = self
        later, user = view.get_object(), cast(User, request.user)
        asked = Address(request.path, request.query_params).one("since")
        earlier = None if asked else previous(later, user)
        if earlier is None:
            rows = Round.objects.visible_to(user).filter(pk__lt=later.pk)
            earlier = get_object_or_404(rows, pk=whole(asked))
        return Response(MovesSerializer(moves(earlier, later, user)).data)
