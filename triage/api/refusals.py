"""How refusals of what was asked for are answered: each with a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rest_framework import serializers, status
from rest_framework.exceptions import APIException, ValidationError

from components import versions
from triage.jobs import JobFailed, JobOver
from triage.patches import Unapprovable
from triage.proposals import AlreadyDecided, Conflict
from triage.review import OverrideNeeded, Untried
from triage.staleness import Stale
from triage.trials import TrialRefused

CONFLICTS: tuple[type[ValueError], ...] = (
    AlreadyDecided,
    Conflict,
    JobOver,
    Stale,
    TrialRefused,
    Unapprovable,
    Untried,
    versions.AlreadySays,
    versions.Moved,
)
"""What cannot be done as things stand by now."""


class Refused(APIException):
    """409"""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


class Invalid(APIException):
    """400, with what is wrong where; numbers stay numbers."""

    status_code = status.HTTP_400_BAD_REQUEST
    default_code = "invalid"

    def __init__(self, detail: str, problems: Sequence[Mapping[str, Any]]) -> None:
        super().__init__()
        said: Any = {"detail": detail, "problems": problems}
        self.detail = said


class RefusedSerializer(serializers.Serializer[Any]):
    """Why it cannot be done as things stand by now."""

    detail = serializers.CharField()


class OverrideNeededSerializer(RefusedSerializer):
    against = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="What stands against an approval that says no `override`.",
    )


@contextmanager
def refusals(*conflicts: type[ValueError]) -> Iterator[None]:
    """Answer what is raised inside: 409 for a conflict (also one of `conflicts`), 400 for any other ValueError."""
    try:
        yield
    except OverrideNeeded as error:
        raise Refused({"detail": str(error), "against": error.objections}) from error
    except JobFailed as error:
        raise Refused(str(error)) from error
    except ValueError as error:
        if isinstance(error, CONFLICTS + conflicts):
            raise Refused(str(error)) from error
        raise ValidationError({"detail": str(error)}) from error


class OrderSerializer(serializers.Serializer[Any]):
    """What a request asks for; a key that means nothing is refused."""

    def to_internal_value(self, data: Any) -> Any:
        """As DRF does, but for unknown keys."""
        if isinstance(data, Mapping) and (unknown := sorted(set(data) - set(self.fields))):
            known = ", ".join(self.fields)
            raise ValidationError(
                dict.fromkeys(unknown, f"There is no such key; there are {known}.")
            )
        return super().to_internal_value(data)


def ordered(order: type[OrderSerializer], data: Any) -> dict[str, Any]:
    """What a request asks for; raises ValidationError."""
    asked = order(data=data)
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)
