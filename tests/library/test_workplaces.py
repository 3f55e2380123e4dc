"""What all workplaces of the library have in common: their form, their breadth, twins, three sizes of records."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.library.workplace import DEEP, LIBRARY, Workplace
from worlds.librarywriter import texts
from worlds.recordset import Recordset

PLACES = {domain: Workplace(domain) for domain in DEEP}
SCRIPTS = sorted(LIBRARY.glob("*/records/*.py"))
LARGEST = 1024 * 1024


@pytest.fixture(params=DEEP)
def place(request: pytest.FixtureRequest) -> Workplace:
    return PLACES[request.param]


def test_the_files_are_in_canonical_form(place: Workplace) -> None:
    written = {name: text for name, text in texts(place.folder) if name != "pins.json"}
    assert {name: (place.path / name).read_text(encoding="utf-8") for name in written} == written


def test_every_environment_is_pinned_and_no_two_are_one(place: Workplace) -> None:
    pins = place.folder.pins
    assert set(pins) == set(place.specs)
    bound = {
        (
            spec.intent,
            spec.records,
            spec.toolservers,
            json.dumps(pins[slug].binding, sort_keys=True),
        )
        for slug, spec in place.specs.items()
    }
    assert len(bound) == len(place.specs)


def test_there_are_eighteen_intents_each_in_an_environment(place: Workplace) -> None:
    assert {spec.intent for spec in place.specs.values()} == set(place.intents)
    assert len(place.intents) >= 18


def test_a_quarter_of_the_requests_is_turned_down_and_a_fifth_are_dialogues(
    place: Workplace,
) -> None:
    assert len(place.turned_down) >= len(place.intents) / 4
    assert len(place.dialogues) >= len(place.intents) / 5


def test_a_request_that_is_turned_down_reads_as_one_that_is_granted(place: Workplace) -> None:
    granted = [i for i in place.intents.values() if i.goal.outcome == "done"]
    twins = {intent.instruction: intent for intent in granted}
    for slug, intent in place.turned_down.items():
        assert intent.instruction in twins, slug
        assert intent.goal.answer == twins[intent.instruction].goal.answer != {}, slug


def test_every_clause_compiles_and_every_quote_stands_in_its_rule(place: Workplace) -> None:
    assert place.clauses.problems == []
    for slug, file in place.folder.rules.items():
        sentences = [*(clause.quote for clause in file.body.clauses), *file.body.judgement]
        assert [words for words in sentences if words not in file.body.text] == [], slug


def test_the_plans_call_every_tool(place: Workplace) -> None:
    groups = {spec.toolservers: set[str]() for spec in place.specs.values()}
    for spec in place.specs.values():
        steps = place.intents[spec.intent].plan(spec.toolservers) or ()
        groups[spec.toolservers] |= {step.call for step in steps if step.call}
    for slug, server in place.servers.items():
        called = set().union(*(tools for group, tools in groups.items() if slug in group))
        assert set(server.tools) - called == set(), slug


def test_there_are_three_records_sets_of_which_the_largest_has_five_thousand_rows(
    place: Workplace,
) -> None:
    sizes = sorted(
        sum(len(rows) for rows in file.body.tables.values())
        for file in place.folder.records.values()
    )
    small, middle, large = sizes
    assert small < 130
    assert 200 <= middle < 2_000
    assert large >= 5_000
    for path in (place.path / "records").glob("*.json"):
        assert path.stat().st_size <= LARGEST, path.name


def test_there_are_two_tool_servers_that_differ(place: Workplace) -> None:
    names = sorted(set(server.tools) for server in place.servers.values())
    assert len(names) >= 2
    assert all(one != other for number, one in enumerate(names) for other in names[:number])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_a_script_prints_the_records_beside_it(script: Path) -> None:
    printed = subprocess.run([sys.executable, script], capture_output=True, check=True).stdout
    beside = json.loads(script.with_suffix(".json").read_text(encoding="utf-8"))
    made = json.loads(printed)
    assert made["about"] == beside["about"]
    bodies = [
        {key: value for key, value in each.items() if key != "about"} for each in (made, beside)
    ]
    keys = {
        name: table.key
        for name, table in Workplace(script.parts[-3]).folder.domain.body.tables.items()
    }
    for body in bodies:
        for name, rows in body["tables"].items():
            rows.sort(key=lambda row, key=keys[name]: row[key])
    assert Recordset.parse(bodies[0]).digest == Recordset.parse(bodies[1]).digest
