"""What all editors of expressions have in common, whatever the source."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.triage.proposers.sourceedits.hotel import HOTEL, SOURCE, hotel
from triage.proposers.sourceedits import EDITORS
from triage.proposers.sourceedits.sourcecode import SourceCode

STATEMENTS = [
    "if row['beds'] < 3 and not x:\n    raise ValueError('less than 3')",
    "rows = [r for r in db.find('rooms', {'state': 'free'}) if r['beds'] > 1 or x]",
    "y = (x if row else None) or {'ä': row['beds'] * 2 - 1}",
    "return max(rows)[0][:10], f'{row[\"beds\"]} of {x}'",
    "for r in rows:\n    x += money(r['beds'] / 7)",
    "z = sorted(rows, key=lambda r: (-r['beds'], r['room_id']), )",
    "g = db.get('guests', row['guest_id'])['name'].lower() == 'ANN'",
    "a, b = x, (  # kept\n    row['flor']\n)",
    "w = sum(r['beds'] for r in rows)",
    "v = clock.now() + timedelta(days = 3)",
]


@pytest.mark.parametrize("name", EDITORS)
def test_edits_of_a_sound_source_parse_and_leave_all_other_functions_alone(name: str) -> None:
    source = hotel()
    for edit in EDITORS[name](source):
        before, after = _functions(source.text), _functions(edit.source)
        assert {n for n in before if before[n] != after.get(n)} <= {edit.function}, edit.says
        assert 0 < edit.likelihood <= 1
        assert edit.says
        assert not edit.says.endswith(".")


@pytest.mark.parametrize("name", EDITORS)
def test_only_what_is_under_suspicion_is_edited(name: str) -> None:
    assert {edit.function for edit in EDITORS[name](hotel(focus=["take"]))} <= {"take"}
    assert not list(EDITORS[name](SourceCode(SOURCE, HOTEL)))


@settings(max_examples=6, deadline=None)
@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=3))
def test_edits_of_any_statements_parse_and_come_in_the_same_order_again(lines: list[str]) -> None:
    body = "\n".join(lines).replace("\n", "\n    ")
    text = f"def tool(row, rows, x):\n    {body}\n"
    source, again = _suspected(text), _suspected(text)
    for editor in EDITORS.values():
        edits = list(editor(source))
        assert edits == list(editor(again))
        for edit in edits:
            ast.parse(edit.source)
            assert "ä" in edit.source or "ä" not in text or "'ä'" in edit.says


@pytest.mark.parametrize(
    "text", ["", "x = 1\n", "def tool():\n    pass\n", "def tool(a):\n    return nope(b)[0]\n"]
)
def test_sources_with_next_to_nothing_in_them_are_no_trouble(text: str) -> None:
    source = _suspected(text)
    for editor in EDITORS.values():
        for edit in editor(source):
            ast.parse(edit.source)


def _suspected(text: str) -> SourceCode:
    return SourceCode(text, HOTEL, {"tool": 1.0, "": 0.5})


def _functions(text: str) -> dict[str, str]:
    tree = ast.parse(text)
    return {n.name: ast.dump(n) for n in tree.body if isinstance(n, ast.FunctionDef)}
