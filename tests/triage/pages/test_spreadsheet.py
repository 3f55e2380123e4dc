from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.pages.spreadsheet import cell, spreadsheet

TEXT = st.text(st.characters(exclude_characters="\x00\r", exclude_categories=["Cs"]))


def read(rows: list[list[str]]) -> list[list[str]]:
    answer = spreadsheet("x", ["a", "b"], rows)
    text = b"".join(answer.streaming_content).decode()  # type: ignore[arg-type]  # not async here
    return list(csv.reader(io.StringIO(text, newline="")))


@given(st.lists(st.lists(TEXT, min_size=2, max_size=2), max_size=4))
def test_what_is_written_is_read_back(rows: list[list[str]]) -> None:
    assert read(rows) == [["a", "b"], *([str(cell(text)) for text in row] for row in rows)]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_text_is_a_formula(text: str) -> None:
    assert cell(text) == f"'{text}"


def test_numbers_and_times_stay_what_they_are() -> None:
    assert cell(-1.5) == -1.5
    assert cell(datetime(2026, 1, 2, tzinfo=UTC)) == "2026-01-02T00:00:00+00:00"
