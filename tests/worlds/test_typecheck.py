"""The sandbox's own type checker: what it finds becomes a warning with its line."""

from __future__ import annotations

import pytest

from tests.worlds.shop import SOURCE, checked
from worlds.toolserver_body import ToolServerBody
from worlds.typecheck import type_problems


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("return nothing_of_that_name", "nothing_of_that_name"),
        ("return db.fetch('t', 'k')", "fetch"),
        ("return clock.tomorrow()", "tomorrow"),
        ("return len(5)", "len"),
    ],
)
def test_a_wrong_name_or_type_is_found_in_its_function_and_line(code: str, words: str) -> None:
    (found,) = type_problems(ToolServerBody(source=f"def act() -> object:\n    {code}\n"))
    assert (found.symbol, found.line) == ("act", 2)
    assert words in found.message


def test_a_sound_source_has_no_problem() -> None:
    assert type_problems(ToolServerBody(source=SOURCE)) == ()


def test_a_module_that_cannot_be_loaded_is_not_a_matter_of_types() -> None:
    assert type_problems(ToolServerBody(source="x = 1 // 0\n")) == ()


def test_a_type_error_is_a_warning_and_the_plan_decides() -> None:
    result = checked(source=f"{SOURCE}\n\ndef _never() -> int:\n    return db.fetch('t')\n")
    assert [(f.code, f.severity, f.symbol) for f in result.findings] == [
        ("source-invalid", "warning", "_never")
    ]
    assert result.status == "solvable"
