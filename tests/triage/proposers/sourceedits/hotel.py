"""A small tool server, its contract, and what editors say of it with something in it changed."""

from __future__ import annotations

from collections.abc import Sequence

from triage.proposers.sourceedits import Editor
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.domain import Domain

HOTEL = Domain.model_validate(
    {
        "tables": {
            "rooms": {
                "key": "room_id",
                "schema": {
                    "properties": {
                        "room_id": {"type": "string"},
                        "beds": {"type": "integer"},
                        "floor": {"type": "integer"},
                        "guest_id": {"type": ["string", "null"]},
                        "state": {"enum": ["free", "taken", "out_of_order"]},
                        "closed": {"type": "array", "items": {"type": "string"}},
                    }
                },
                "references": [{"from": "guest_id", "to": "guests"}],
            },
            "guests": {
                "key": "guest_id",
                "schema": {
                    "properties": {
                        "guest_id": {"type": "string"},
                        "name": {"type": "string"},
                        "arrives": {"type": "string"},
                        "tz": {"type": "string"},
                    }
                },
            },
        }
    }
)

SOURCE = '''"""A hotel."""

from datetime import date, timedelta

NOTICE_DAYS = 3
OPEN = ["free", "taken"]


def rooms(beds: int, name: str = "") -> list[dict]:
    """List free rooms, the largest first.

    Args:
        beds: at least so many.
        name: part of the name.
    """
    wanted = name.strip().lower()
    rows = db.find("rooms", {"state": "free"})
    rows = [r for r in rows if r["beds"] >= beds and wanted in r["room_id"].lower()]
    return sorted(rows, key=lambda r: r["beds"], reverse=True)  # largest first


def take(room_id: str, guest_id: str, day: str) -> dict:
    """Give a room to a guest, at least 3 days ahead."""
    room, guest = _room(room_id), _guest(guest_id)
    if room["state"] != "free" or not guest["name"]:
        raise ValueError(f"Room {room['room_id']} is not free.")
    if date.fromisoformat(day) - _today(guest) < timedelta(days=NOTICE_DAYS):
        raise ValueError("That is less than 3 days ahead.")
    if day in room["closed"]:
        raise ValueError("It is closed.")
    return _shown(db.update("rooms", room_id, {"state": "taken", "guest_id": guest_id}))


def _today(guest: dict) -> date:
    return clock.local(clock.now(), guest["tz"]).date()


def _room(room_id: str) -> dict:
    room = db.get("rooms", room_id)
    if room is None:
        raise ValueError(f"There is no room {room_id!r}.")
    return room


def _guest(guest_id: str) -> dict:
    guest = db.get("guests", guest_id)
    if guest is None:
        raise ValueError(f"There is no guest {guest_id!r}.")
    return guest


def _shown(room: dict) -> dict:
    return {
        "room_id": room["room_id"],
        "beds": room["beds"],
        "guest": _guest(room["guest_id"])["name"] if room["guest_id"] else None,
    }


def _closed(room: dict, day: date) -> bool:
    return day.isoformat() in room["closed"]
'''


def hotel(
    old: str = "", new: str = "", *, focus: Sequence[str] = (), neighbours: Sequence[str] = ()
) -> SourceCode:
    """The source with one thing in it written another way, all of it or some functions under suspicion."""
    assert old in SOURCE
    source = SourceCode(SOURCE.replace(old, new, 1), HOTEL, {}, {}, neighbours)
    names = focus or ["", *source.functions]
    return SourceCode(source.text, HOTEL, dict.fromkeys(names, 1.0), {}, neighbours)


def mended(
    editor: Editor, old: str, new: str, *, neighbours: Sequence[str] = ()
) -> tuple[int, Edit]:
    """The edit that undoes a change, and how many edits of its editor are thought likelier."""
    edits = sorted(editor(hotel(old, new, neighbours=neighbours)), key=lambda e: -e.likelihood)
    found = [(i, each) for i, each in enumerate(edits) if each.source == SOURCE]
    assert found, f"nothing writes {old!r} for {new!r}: {[each.says for each in edits]}"
    return found[0]
