from __future__ import annotations

from triage.pages.instruction import Piece, pieces

NAMES = {"order": {"id": "#1", "items": [{"price": 2}], "flag": True}}


def test_fills_slots_and_marks_where_they_came_from() -> None:
    assert pieces("Cancel {order.id}.", NAMES) == [
        Piece("Cancel "),
        Piece("#1", "order.id"),
        Piece("."),
    ]


def test_reaches_into_lists_and_writes_json_values_as_json() -> None:
    assert pieces("{order.items[0].price}{order.flag}", NAMES) == [
        Piece("2", "order.items[0].price"),
        Piece("true", "order.flag"),
    ]


def test_what_cannot_be_filled_stands_as_written() -> None:
    for path in ("nobody.name", "order.none", "order.items[7].price", "order.id.more", ""):
        assert pieces(f"{{{path}}}", NAMES) == [Piece(f"{{{path}}}", path, is_filled=False)]


def test_doubled_braces_are_braces() -> None:
    assert "".join(piece.text for piece in pieces("{{a}} {order.id}", NAMES)) == "{a} #1"
