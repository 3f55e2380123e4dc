"""Rooms that have a custodian: who asks for them, and who answers."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from examples.meetings_server import times
from examples.meetings_server.meetings import Meetings
from examples.meetings_server.rows import Meeting, Person, Request, RequestStatus, Room


class Requests(Meetings):
    """The requests for such rooms."""

    def requests(self, room: Room, viewer: Person, *, only_open: bool) -> list[dict[str, Any]]:
        """Those for a room, first asked first, each with the open ones that overlap with it."""
        query = "SELECT * FROM requests WHERE room_id = ? ORDER BY asked_at, request_id"
        found = self.store.query(Request, query, room.room_id)
        shown = [r for r in found if r.status == RequestStatus.ASKED or not only_open]
        meetings = {r.request_id: self.meeting(r.meeting_id) for r in shown}
        return [self._told(r, shown, meetings, viewer) for r in shown]

    def _told(
        self, request: Request, shown: list[Request], meetings: dict[str, Meeting], viewer: Person
    ) -> dict[str, Any]:
        meeting = meetings[request.request_id]
        named = {"request_id", "status", "asked_at", "answered_by", "note"}
        overlapping = [
            other.request_id
            for other in sorted(shown, key=lambda r: r.request_id)
            if other.status == RequestStatus.ASKED
            and other != request
            and meetings[other.request_id].overlaps(meeting.start, meeting.end)
        ]
        return {
            **request.model_dump(mode="json", include=named),
            "asked_by": self.person(request.asked_by).brief(),
            "meeting": self.view(meeting, viewer, viewer.tz),
            "seats_needed": meeting.seats,
            "overlaps": overlapping,
        }

    def ask(self, actor: Person, meeting: Meeting, room: Room) -> dict[str, Any]:
        """A new request, if the room would do; its custodian will answer."""
        if not room.custodian_id:
            raise ToolError(f"{room.name} needs nobody's approval: book_room books it.")
        if meeting.room_id == room.room_id:
            raise ToolError(f"Meeting {meeting.meeting_id} is in {room.name} already.")
        same = "meeting_id = ? AND room_id = ? AND status = 'asked'"
        if self.store.find(Request, same, meeting.meeting_id, room.room_id):
            raise ToolError(f"{room.name} has been asked for already; its custodian will answer.")
        self._refuse_for(meeting, room)
        request = Request(
            request_id=self.store.next_id(Request, "Q"),
            meeting_id=meeting.meeting_id,
            room_id=room.room_id,
            asked_by=actor.person_id,
            asked_at=times.utc(self.now),
            status=RequestStatus.ASKED,
            answered_by=None,
            note="",
        )
        custodian = self.person(room.custodian_id).brief()
        return {**self.store.insert(request).document(), "custodian": custodian}

    def request(self, request_id: str) -> Request:
        request = self.store.get(Request, request_id)
        if request is None:
            raise ToolError(f"There is no request {request_id!r}; list_requests gives the ids.")
        return request

    def decide(self, actor: Person, request: Request, answer: RequestStatus, note: str) -> Request:
        """The request with the custodian's answer; an approved meeting has the room at once."""
        room = self.room(request.room_id)
        if actor.person_id != room.custodian_id:
            name = self.person(room.custodian_id).name if room.custodian_id else "nobody"
            raise ToolError(f"Only {name} answers requests for {room.name}, not {actor.name}.")
        if request.status != RequestStatus.ASKED:
            raise ToolError(f"Request {request.request_id} was {request.status} already.")
        if answer == RequestStatus.DECLINED and not note.strip():
            raise ToolError("Say in a note why it is declined: whoever asked is told.")
        if answer == RequestStatus.APPROVED:
            meeting = self.upcoming(request.meeting_id)
            self._refuse_for(meeting, room)
            self.store.update(meeting, room_id=room.room_id)
        fields = {"status": answer, "answered_by": actor.person_id, "note": note.strip()}
        return self.store.update(request, **fields)

    def _refuse_for(self, meeting: Meeting, room: Room) -> None:
        """Raise ToolError when the meeting could not have the room, approved or not."""
        self.refuse_room(
            room,
            self.person(meeting.organizer_id),
            times.instant(meeting.start),
            times.length(meeting.start, meeting.end),
            meeting.seats,
            meeting.meeting_id,
            approved=True,
        )
