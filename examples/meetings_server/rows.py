"""The rows of the database as typed objects."""

from __future__ import annotations

import json
from enum import IntEnum, StrEnum
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict

Item = TypeVar("Item")


def _parsed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


JsonList = Annotated[list[Item], BeforeValidator(_parsed)]
"""A list that its column holds as JSON text."""


class Weekday(IntEnum):
    """As ISO 8601 counts them."""

    MONDAY = 1
    TUESDAY = 2
    WEDNESDAY = 3
    THURSDAY = 4
    FRIDAY = 5
    SATURDAY = 6
    SUNDAY = 7


class Status(StrEnum):
    SCHEDULED = "scheduled"
    CANCELLED = "cancelled"


class Visibility(StrEnum):
    NORMAL = "normal"
    PRIVATE = "private"


class Rights(StrEnum):
    """What delegates may do with a calendar."""

    MANAGE = "manage"
    READ = "read"


class RequestStatus(StrEnum):
    ASKED = "asked"
    APPROVED = "approved"
    DECLINED = "declined"


class Response(StrEnum):
    NEEDS_ACTION = "needs_action"
    ACCEPTED = "accepted"
    TENTATIVE = "tentative"
    DECLINED = "declined"


class AbsenceKind(StrEnum):
    VACATION = "vacation"
    SICK = "sick"
    PARENTAL = "parental"
    TRAVEL = "travel"


class Row(BaseModel):
    """A row of the table `table`, whose primary key is the column `key`."""

    model_config = ConfigDict(frozen=True)

    table: ClassVar[str]
    key: ClassVar[str]

    def document(self) -> dict[str, Any]:
        """As plain JSON."""
        return self.model_dump(mode="json")

    def columns(self) -> dict[str, Any]:
        """As SQLite stores it: lists as JSON text."""
        return {
            name: json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
            for name, value in self.document().items()
        }


class Place(Row):
    """Somebody or something that lives by the clocks of a time zone."""

    name: str
    tz: str


class Office(Place):
    table = "offices"
    key = "office_id"

    office_id: str
    city: str
    country: str
    visitor_limit: int


class Person(Place):
    table = "people"
    key = "person_id"

    person_id: str
    email: str
    role: str
    team: str
    office_id: str
    work_start: str
    work_end: str
    work_days: JsonList[Weekday]
    manager_id: str | None
    delegate_ids: JsonList[str]
    delegate_rights: Rights

    @property
    def managers(self) -> list[str]:
        """Who may change this person's calendar: the person, and delegates with the right to."""
        manages = self.delegate_rights == Rights.MANAGE
        return [self.person_id, *(self.delegate_ids if manages else [])]

    def brief(self) -> dict[str, Any]:
        return {"person_id": self.person_id, "name": self.name, "email": self.email}


class Room(Row):
    table = "rooms"
    key = "room_id"

    room_id: str
    name: str
    office_id: str
    capacity: int
    equipment: JsonList[str]
    teams: JsonList[str]
    """Empty for everybody."""
    closed_until: str | None
    custodian_id: str | None
    """Who decides about it; None where it may simply be booked."""


class Holiday(Row):
    table = "holidays"
    key = "holiday_id"

    holiday_id: str
    name: str
    date: str
    country: str
    office_id: str | None


class Absence(Row):
    table = "absences"
    key = "absence_id"

    absence_id: str
    person_id: str
    first_day: str
    last_day: str
    kind: AbsenceKind
    entered_by: str


class Attendee(BaseModel):
    model_config = ConfigDict(frozen=True)

    person_id: str
    response: Response


class Meeting(Row):
    table = "meetings"
    key = "meeting_id"

    meeting_id: str
    title: str
    organizer_id: str
    attendees: JsonList[Attendee]
    room_id: str | None
    start: str
    """In UTC with the offset written out, as all instants: they compare as text."""
    end: str
    status: Status
    series_id: str | None
    exception: bool
    visibility: Visibility
    cancel_reason: str

    def response(self, person_id: str) -> Response | None:
        """What the person has answered; None when not invited."""
        return next((a.response for a in self.attendees if a.person_id == person_id), None)

    def goes(self, person_id: str) -> bool:
        return self.response(person_id) not in (None, Response.DECLINED)

    @property
    def seats(self) -> int:
        return sum(a.response != Response.DECLINED for a in self.attendees)

    def overlaps(self, start: str, end: str) -> bool:
        return self.start < end and start < self.end

    def asked_again(self) -> list[Attendee]:
        """The attendees, of whom all but the organizer have yet to answer."""
        return [
            Attendee(
                person_id=each.person_id,
                response=Response.ACCEPTED
                if each.person_id == self.organizer_id
                else Response.NEEDS_ACTION,
            )
            for each in self.attendees
        ]


class Series(Row):
    table = "series"
    key = "series_id"

    series_id: str
    title: str
    organizer_id: str
    weekday: Weekday
    time: str
    """On the clocks of `tz`."""
    tz: str
    minutes: int
    until: str | None
    """Its last day; None while it goes on."""


class Request(Row):
    table = "requests"
    key = "request_id"

    request_id: str
    meeting_id: str
    room_id: str
    asked_by: str
    asked_at: str
    status: RequestStatus
    answered_by: str | None
    note: str
