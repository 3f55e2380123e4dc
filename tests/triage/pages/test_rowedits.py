from __future__ import annotations

from triage.pages.overlay import Overlay, WrittenRow
from triage.pages.rowedits import keyed, row_edits
from triage.proposalfiles import Problem

CONTRACT = {"tables": {"orders": {"key": "id"}}}


def records(*rows: dict[str, object]) -> dict[str, object]:
    return {"tables": {"orders": list(rows)}}


def test_tells_rows_that_are_new_gone_and_changed_apart() -> None:
    before = keyed(records({"id": "a", "n": 1}, {"id": "b"}, {"id": "c"}, {"n": 2}), CONTRACT)
    after = keyed(records({"id": "a", "n": 2}, {"id": "c"}, {"id": "d"}), CONTRACT)
    edits = row_edits(before, after)
    assert [(one.place, one.act) for one in edits] == [
        ("orders/a", "update"),
        ("orders/b", "delete"),
        ("orders/d", "insert"),
    ]


def test_rows_become_one_text_and_its_problems_are_told_of_by_row() -> None:
    rows = [
        WrittenRow("orders", "a", '{\n"id": "a"\n}'),
        WrittenRow("users", "u", "", is_gone=True),
        WrittenRow("orders", "", '{"id": "new"}'),
    ]
    made = Overlay.of(rows, lambda _: "id")
    assert made.problems == []
    assert '"new":' in made.text
    line = made.text.split("\n").index('"id": "a"') + 1
    assert made.told(Problem(line, "wrong")).message == "orders/a, line 2: wrong"
    assert made.told(Problem(None, "all of it")).message == "all of it"


def test_what_is_no_row_is_said_by_its_place() -> None:
    rows = [WrittenRow("orders", "a", "{"), WrittenRow("orders", "", "[]")]
    said = [one.message for one in Overlay.of(rows, lambda _: "id").problems]
    assert said[0].startswith("orders/a, line 1:")
    assert said[1] == "orders/: a row is an object with its id"
