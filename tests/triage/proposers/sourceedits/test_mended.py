"""What is wrong with one place of a sound source, and that the edit which undoes it is found among the likeliest."""

from __future__ import annotations

import pytest

from tests.triage.proposers.sourceedits.hotel import SOURCE, hotel, mended
from triage.proposers.sourceedits import EDITORS

LIKELIEST = [
    ("comparisons", "(guest) < timedelta", "(guest) <= timedelta", "less than 3 days"),
    ("constants", "NOTICE_DAYS = 3", "NOTICE_DAYS = 30", "at least 3 days ahead"),
    ("fields", '"beds": room["beds"]', '"beds": room["bedz"]', "rooms"),
    ("fields", 'room["closed"]:', 'room["closedd"]:', "rooms"),
    ("fields", 'db.find("rooms"', 'db.find("room"', "the table rooms"),
    ("fields", '"beds": room["beds"]', '"beds": room["floor"]', "`beds`"),
    ("fields", 'db.get("guests", guest_id)', 'db.get("rooms", guest_id)', "refers to guests"),
    ("values", '{"state": "taken"', '{"state": "Taken"', "one of free, taken"),
    ("values", '["free", "taken"]', '["free", "takken"]', "no takken"),
    ("arithmetic", "days=NOTICE", "hours=NOTICE", "notice_days"),
    ("sequences", ', reverse=True)', ")", "largest first"),
    ("spellings", 'r["room_id"].lower()', 'r["room_id"]', "in one case"),
    ("spellings", "day.isoformat() in", "day in", "kept as text"),
    ("nones", '_guest(room["guest_id"])["name"] if room["guest_id"] else None',
     '_guest(room["guest_id"])["name"]', "may be null"),
    ("nones", '    if room is None:\n        raise ValueError(f"There is no room {room_id!r}.")\n', "", ""),
]  # fmt: skip

PLAUSIBLE = [
    ("comparisons", '["beds"] >= beds', '["beds"] > beds'),
    ("comparisons", "day in room", "day not in room"),
    ("conditions", "or not guest", "or guest"),
    ("conditions", '"free" or not', '"free" and not'),
    ("arithmetic", "(day) - _today", "(day) + _today"),
    ("constants", "reverse=True", "reverse=False"),
    ("fields", '"beds"] >=', '"floor"] >='),
    ("names", "fromisoformat(day)", "fromisoformat(room_id)"),
    ("names", "NOTICE_DAYS)", "OPEN)"),
    ("arguments", 'clock.local(clock.now(), guest["tz"])', 'clock.local(guest["tz"], clock.now())'),
    ("calls", "_guest(guest_id)\n    if", "_room(guest_id)\n    if"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new", "authority"), [c for c in LIKELIEST if c[1] != c[2]]
)
def test_what_the_text_itself_tells_is_undone_first(
    name: str, old: str, new: str, authority: str
) -> None:
    place, edit = mended(EDITORS[name], old, new)
    assert place == 0
    assert edit.likelihood >= 0.3
    assert authority in edit.authority


@pytest.mark.parametrize(("name", "old", "new"), PLAUSIBLE)
def test_a_plausible_slip_is_undone_by_some_edit(name: str, old: str, new: str) -> None:
    _, edit = mended(EDITORS[name], old, new)
    assert edit.likelihood <= 0.5


def test_what_a_neighbour_writes_almost_so_is_taken_over() -> None:
    place, edit = mended(
        EDITORS["twins"], 'guest["tz"]).date()', '"UTC").date()', neighbours=[SOURCE]
    )
    assert place == 0
    assert "_today" in edit.authority


def test_rows_are_looked_for_as_a_neighbour_looks_for_them() -> None:
    _, edit = mended(EDITORS["conditions"], '{"state": "free"}', "{}", neighbours=[SOURCE])
    assert "`rooms` looks for rooms" in edit.authority


def test_a_constant_is_set_as_a_neighbour_has_it() -> None:
    place, edit = mended(EDITORS["constants"], '["free", "taken"]', '["free"]', neighbours=[SOURCE])
    assert place == 0
    assert "another tool server" in edit.authority


def test_comments_stay_where_an_expression_is_replaced() -> None:
    for editor in EDITORS.values():
        for edit in editor(hotel(focus=["rooms"])):
            assert "# largest first" in edit.source
