"""The airline of the library against the published package: same data, same calls, same answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from tests.library.airline_calls import sequences
from tests.library.calls import EXPRESSIONS, shapes
from tests.library.tau2 import AIRLINE, RETAIL, Both, Call
from worlds.sandbox import Sandbox, Session
from worlds.typecheck import type_problems

DB = AIRLINE.db
DOMAIN = AIRLINE.domain
SERVER = AIRLINE.server


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Sandbox.shared().session() as session:
        yield session
    assert json.loads((AIRLINE.data / "db.json").read_text()) == DB  # only copies were changed


def test_every_published_row_fits_the_schema_of_its_table() -> None:
    for name, table in DOMAIN.tables.items():
        validator = jsonschema_rs.validator_for(table.schema_)
        misfits = [key for key, row in DB[name].items() if not validator.is_valid(row)]
        assert misfits == [], name


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("flights", {"colour": "red"}),
        ("flights", {"dates": {"2024-05-20": {"status": "available"}}}),
        ("flights", {"dates": {"20 May": {"status": "cancelled"}}}),
        ("reservations", {"status": "lost"}),
        ("reservations", {"nonfree_baggages": -1}),
        ("reservations", {"passengers": [{"first_name": "Ann", "last_name": "Li"}]}),
        ("users", {"membership": "platinum"}),
        ("users", {"payment_methods": {"x": {"source": "gift_card", "id": "x", "amount": -1}}}),
    ],
)
def test_the_schemas_refuse_what_no_sound_row_has(table: str, change: dict[str, Any]) -> None:
    row = deepcopy(next(iter(DB[table].values())))
    validator = jsonschema_rs.validator_for(DOMAIN.tables[table].schema_)
    assert validator.is_valid(row)
    assert not validator.is_valid({**row, **change})


def test_the_source_has_nothing_that_a_tool_server_may_not_have() -> None:
    assert SERVER.problems == []
    assert type_problems(SERVER.body) == ()


def test_the_tools_have_the_published_names_and_parameters() -> None:
    declared = AIRLINE.declared
    assert set(SERVER.tools) == set(declared)
    for name, tool in SERVER.tools.items():
        assert set(tool.schema["properties"]) == set(declared[name]["properties"]), name
        assert set(tool.schema.get("required", [])) == set(declared[name]["required"]), name


def test_exactly_the_tools_that_change_the_records_count_as_writing() -> None:
    writing = {name for name, tool in SERVER.tools.items() if tool.writes}
    assert writing == AIRLINE.published.WRITE_TOOLS


def test_what_calculates_is_the_same_code_in_both_domains() -> None:
    def arithmetic(source: str) -> str:
        return source.partition("# Arithmetic")[2].partition("# The tools")[0]

    assert arithmetic(SERVER.body.source) == arithmetic(RETAIL.server.body.source) != ""


@pytest.mark.parametrize("task", AIRLINE.plans)
def test_each_step_of_a_published_solution_does_here_what_it_does_there(
    task: str, session: Session
) -> None:
    both = Both(AIRLINE, session)
    for call in AIRLINE.plans[task]:
        assert both.ours(*call) == both.theirs(*call), call
    assert both.state_differences() == []


@settings(max_examples=400, suppress_health_check=[*HealthCheck])
@given(calls=sequences())
def test_generated_calls_end_here_as_they_end_there(calls: list[Call], session: Session) -> None:
    both = Both(AIRLINE, session)
    for call in calls:
        ours = both.ours(*call)
        if ours[1].endswith("can be used only once"):
            return  # there, the certificate is lost on the way to the refusal
        assert ours == both.theirs(*call)
    assert both.state_differences() == []


def test_a_certificate_that_pays_twice_is_refused_and_not_lost(session: Session) -> None:
    user = DB["users"]["mia_li_3668"]
    half = {"payment_id": "certificate_7504069", "amount": 25}
    args = {
        "user_id": user["user_id"],
        "origin": "JFK",
        "destination": "SEA",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [],
        "passengers": [],
        "payment_methods": [half, half],
        "total_baggages": 1,
        "nonfree_baggages": 1,
        "insurance": "no",
    }
    both = Both(AIRLINE, session)
    refusal = "Certificate certificate_7504069 can be used only once"
    assert both.ours("book_reservation", args) == ("refused", refusal)
    assert both.records.diff() == []
    assert both.theirs("book_reservation", args) == ("refused", "'certificate_7504069'")
    assert both.state_differences() == ["users/mia_li_3668"]


@settings(max_examples=300)
@given(call=shapes(AIRLINE))
def test_what_the_published_schema_refuses_is_refused_here(call: Call) -> None:
    tool, args = call
    fits = jsonschema_rs.validator_for(AIRLINE.declared[tool]).is_valid(args)
    assert fits or SERVER.tools[tool].refuse(args) is not None


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=200, suppress_health_check=[*HealthCheck])
@given(expression=EXPRESSIONS)
def test_generated_expressions_come_to_the_same(expression: str, session: Session) -> None:
    both = Both(AIRLINE, session)
    ours, theirs = (
        side("calculate", {"expression": expression}) for side in (both.ours, both.theirs)
    )
    assert ours[0] == theirs[0]
    if ours[0] == "ok" or "syntax" not in ours[1]:
        assert ours == theirs
