"""The retail store of the library against the published package: same data, same calls, same answers."""

from __future__ import annotations

import json
from collections.abc import Iterator

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from tests.library.calls import EXPRESSIONS, shapes
from tests.library.retail_calls import sequences
from tests.library.tau2 import RETAIL, Both, Call
from worlds.sandbox import Sandbox, Session
from worlds.typecheck import type_problems

DB = RETAIL.db
DOMAIN = RETAIL.domain
SERVER = RETAIL.server


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Sandbox.shared().session() as session:
        yield session
    assert json.loads((RETAIL.data / "db.json").read_text()) == DB  # nothing was changed but copies


def test_every_published_row_fits_the_schema_of_its_table() -> None:
    for name, table in DOMAIN.tables.items():
        validator = jsonschema_rs.validator_for(table.schema_)
        misfits = [key for key, row in DB[name].items() if not validator.is_valid(row)]
        assert misfits == [], name


def test_the_schemas_refuse_a_status_nobody_knows_and_a_field_too_many() -> None:
    validator = jsonschema_rs.validator_for(DOMAIN.tables["orders"].schema_)
    order = next(iter(DB["orders"].values()))
    assert not validator.is_valid({**order, "status": "lost"})
    assert not validator.is_valid({**order, "colour": "red"})


def test_the_source_has_nothing_that_a_tool_server_may_not_have() -> None:
    assert SERVER.problems == []
    assert type_problems(SERVER.body) == ()


def test_the_tools_have_the_published_names_and_parameters() -> None:
    declared = RETAIL.declared
    assert set(SERVER.tools) == set(declared)
    for name, tool in SERVER.tools.items():
        assert set(tool.schema["properties"]) == set(declared[name]["properties"]), name
        assert set(tool.schema.get("required", [])) == set(declared[name]["required"]), name


def test_exactly_the_tools_that_change_the_store_count_as_writing() -> None:
    changing = ("cancel_", "modify_", "exchange_", "return_")
    writing = {name for name, tool in SERVER.tools.items() if tool.writes}
    assert writing == {name for name in SERVER.tools if name.startswith(changing)}


@pytest.mark.parametrize("task", RETAIL.plans)
def test_each_step_of_a_published_solution_does_here_what_it_does_there(
    task: str, session: Session
) -> None:
    both = Both(RETAIL, session)
    for call in RETAIL.plans[task]:
        assert both.ours(*call) == both.theirs(*call), call
    assert both.state_differences() == []


@settings(max_examples=400, suppress_health_check=[*HealthCheck])
@given(calls=sequences())
def test_generated_calls_end_here_as_they_end_there(calls: list[Call], session: Session) -> None:
    both = Both(RETAIL, session)
    for call in calls:
        assert both.ours(*call) == both.theirs(*call)
    assert both.state_differences() == []


@settings(max_examples=300)
@given(call=shapes(RETAIL))
def test_malformed_arguments_are_refused_by_the_schema_as_the_published_one_refuses_them(
    call: Call,
) -> None:
    tool, args = call
    fits = jsonschema_rs.validator_for(RETAIL.declared[tool]).is_valid(args)
    assert (SERVER.tools[tool].refuse(args) is None) == fits


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=400, suppress_health_check=[*HealthCheck])
@given(expression=EXPRESSIONS)
def test_generated_expressions_come_to_the_same(expression: str, session: Session) -> None:
    both = Both(RETAIL, session)
    ours, theirs = (
        side("calculate", {"expression": expression}) for side in (both.ours, both.theirs)
    )
    assert ours[0] == theirs[0]
    if ours[0] == "ok" or "syntax" not in ours[1]:
        assert ours == theirs


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("2 ** 3", "Powers are not supported"),
        ("1+" * 600 + "1", "An expression may have 1000 characters"),
        ("1 / 0", "division by zero"),
        ("1 + a", "Invalid characters in expression"),
        ("(" * 200 + "1" + ")" * 200, "too many nested parentheses (<string>, line 1)"),
        ("1 +", "invalid syntax (<string>, line 1)"),
        ("9" * 400, "int too large to convert to float"),
    ],
)
def test_what_cannot_be_calculated_is_refused_in_words(
    expression: str, text: str, session: Session
) -> None:
    both = Both(RETAIL, session)
    assert both.ours("calculate", {"expression": expression}) == ("refused", text)
