"""Rooms: what they offer, and whether they can be had."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from examples.meetings_server import times
from examples.meetings_server.directory import Directory
from examples.meetings_server.rows import Meeting, Person, Room

OPEN_TO_ALL_ROOMS = "Facilities"


class Rooms(Directory):
    """The rooms of the offices."""

    def room(self, room_id: str) -> Room:
        room = self.store.get(Room, room_id)
        if room is None:
            raise ToolError(f"There is no room {room_id!r}; find_rooms gives the ids.")
        return room

    def rooms(self, office_id: str, name: str, equipment: list[str]) -> list[Room]:
        """With all of the equipment, and of this name, or with this text in it when none has it."""
        wanted = name.strip().lower()
        rooms = self.store.find(Room, "office_id = ? AND instr(fold(name), ?)", office_id, wanted)
        equipped = [r for r in rooms if set(equipment) <= set(r.equipment)]
        return [r for r in equipped if r.name.lower() == wanted] or equipped

    def why_not(self, room: Room, people: int, team: str, approved: bool = False) -> list[str]:
        """What speaks against a room for so many people of a team, whenever it be."""
        reasons = []
        if room.custodian_id and not approved:
            custodian = self.person(room.custodian_id).name
            reasons.append(
                f"{room.name} is had only with the approval of {custodian}: request_room asks"
            )
        if room.capacity < people:
            reasons.append(f"{room.name} seats {room.capacity}, not {people}")
        if room.teams and team not in [*room.teams, OPEN_TO_ALL_ROOMS]:
            reasons.append(f"{room.name} is reserved for {', '.join(room.teams)}")
        return reasons

    def why_not_now(self, room: Room) -> list[str]:
        """What speaks against a room as long as nobody says when."""
        return [f"{room.name} is closed until {room.closed_until}"] if room.closed_until else []

    def why_not_then(self, room: Room, start: datetime, minutes: int, but: str = "") -> list[str]:
        """What speaks against a room at that time; the meeting `but` does not."""
        day = times.local(start.isoformat(), self.office(room.office_id).tz)[:10]
        closed = self.why_not_now(room) if day <= (room.closed_until or "") else []
        end = start + timedelta(minutes=minutes)
        taken = self.store.find(
            Meeting,
            "room_id = ? AND status = 'scheduled' AND meeting_id <> ? AND start < ? AND ? < \"end\"",
            room.room_id,
            but,
            end.isoformat(),
            start.isoformat(),
        )
        return closed + [f"{room.name} is taken from {m.start} to {m.end}" for m in taken]

    def refuse_room(
        self,
        room: Room,
        organizer: Person,
        start: datetime,
        minutes: int,
        people: int,
        but: str = "",
        *,
        approved: bool = False,
    ) -> None:
        """Raise ToolError when the organizer cannot have the room then; its custodian may have approved."""
        reasons = self.why_not(room, people, organizer.team, approved)
        reasons += self.why_not_then(room, start, minutes, but)
        if reasons:
            raise ToolError("; ".join(reasons) + ". find_rooms lists rooms that can be had.")

    def offer(self, room: Room, reasons: list[str]) -> dict[str, Any]:
        custodian = self.person(room.custodian_id).brief() if room.custodian_id else None
        told = {"custodian": custodian, "available": not reasons, "why_not": reasons}
        return {**room.document(), **told}
