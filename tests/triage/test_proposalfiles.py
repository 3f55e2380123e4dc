"""What people write of a component: read with line numbers, looked at, and written as a dump writes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from components.dump import dump
from components.models import Component
from tests.triage.repairs import policy
from tests.triage.shop import SOURCE, Shop
from triage.proposalfiles import Checked, text_of, validate
from worlds.library import write
from worlds.recordset import Recordset
from worlds.toolserver_body import OutsideBody


def component(slug: str) -> Component:
    return Component.objects.select_related("domain", "current__body").get(slug=slug)


def text(slug: str) -> str:
    version = component(slug).current
    assert version is not None
    return text_of(version)


def told(checked: Checked) -> list[tuple[int | None, str]]:
    assert checked.body is None
    assert checked.body_digest == ""
    return [(one.line, one.message) for one in checked.problems]


def new(checked: Checked) -> list[tuple[str, int | None]]:
    assert checked.problems == []
    return [(one.finding.code, one.line) for one in checked.new.found]


@pytest.fixture
def used(shop: Shop) -> Shop:
    """With an environment, an intent `task` and a rule."""
    policy(shop)
    shop.sound("task")
    return shop


def test_a_text_is_what_a_dump_writes(used: Shop, tmp_path: Path) -> None:
    folder = write(dump(used.domain), tmp_path)
    files = {path.stem: path.read_text() for path in folder.rglob("*.*") if path.stem != "pins"}
    assert {slug: text(slug) for slug in ("domain", "desk", "pen", "task", "policy")} == {
        slug: files[slug] for slug in ("domain", "desk", "pen", "task", "policy")
    }


@pytest.mark.parametrize("slug", ["domain", "desk", "pen", "task", "policy"])
def test_the_text_as_it_is_changes_nothing(used: Shop, slug: str) -> None:
    checked = validate(component(slug), text(slug).replace("\n", "\r\n"))
    current = component(slug).current
    assert current is not None
    assert (checked.problems, checked.is_changed) == ([], False)
    assert checked.body_digest == current.body_id


@pytest.mark.parametrize(
    ("slug", "written", "line", "why"),
    [
        ("task", "instruction: a\ngoal: {}\nplan: {}\n", 3, "unknown key 'plan'"),
        ("task", "instruction: [\n", 2, "not YAML"),
        ("task", "- a\n", 1, "keys and values of the intent are wanted"),
        ("policy", "text: a\nclauses:\n  - id: b\n", 3, "the key 'quote' is missing"),
        ("domain", "tables:\n  notes: {}\n", 2, "the key 'key' is missing"),
        ("desk", '{"tables": {"notes": [\n{"id": "a"},\n{"id": "a"}]}}', 3, "have the key 'a'"),
        ("desk", '{"tables": {"letters": []}}', 1, "no table 'letters'"),
        ("desk", '{"tables":\n', 2, "not JSON"),
        ("pen", "\n\ndef a(:\n", 3, "syntax error"),
        ("pen", "# about:\n#   title: A\n\nimport os\n", 4, "the import of os is not allowed"),
        ("pen", "a = 'b\x00'", None, "cannot be stored"),
        ("pen", "#" * (2 * 1024**2 + 1), None, "bytes are too many"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    used: Shop, slug: str, written: str, line: int | None, why: str
) -> None:
    found = told(validate(component(slug), written))
    assert found[0][0] == line
    assert why in found[0][1]


def test_a_problem_of_a_source_has_a_column_too(used: Shop) -> None:
    (problem,) = validate(component("pen"), "import math\n\na = eval('1')\n").problems
    assert problem.document() == {
        "line": 3,
        "column": 5,
        "message": "eval is not allowed in a tool server",
    }


def test_a_changed_file_is_a_body_to_propose(used: Shop) -> None:
    checked = validate(component("policy"), "text: Be brief.\n")
    assert checked.is_changed
    assert checked.body is not None
    assert checked.body.content() == {"text": "Be brief."}
    assert checked.new.environment is not None


def test_a_type_that_does_not_fit_is_a_new_finding(used: Shop) -> None:
    wrong = SOURCE + "\n\ndef bad(x: int) -> str:\n    return x\n"
    assert new(validate(component("pen"), wrong)) == [("source-invalid", wrong.count("\n"))]


def test_a_renamed_tool_is_a_new_finding_about_the_plan_that_calls_it(used: Shop) -> None:
    checked = validate(component("pen"), SOURCE.replace("def write", "def scribble"))
    (found,) = checked.new.found
    assert (found.finding.kind, found.finding.component, found.line) == ("intent", "task", None)
    assert found.document()["place"].startswith("plans.default[0]")


def test_a_finding_is_new_until_the_component_says_it(used: Shop) -> None:
    wrong = text("task").replace("'N1').text", "'N1').txt")
    lines = wrong.splitlines()
    number = next(number for number, line in enumerate(lines, 1) if "'N1').txt" in line)
    checked = validate(component("task"), wrong)
    assert new(checked) == [("name-unknown", number)]
    assert checked.body is not None
    used.component("task", checked.body)
    assert new(validate(component("task"), wrong.replace("Do what", "Please do what"))) == []


def test_quotes_and_conditions_of_a_rule_that_nothing_uses_are_looked_at(used: Shop) -> None:
    rule = "text: Be kind.\nclauses:\n  - id: a\n    quote: Be brief\n    on: end\n    require: 'nobody'\n"
    found = new(validate(component("policy"), rule))
    assert ("quote-missing", 4) in found
    assert ("name-unknown", 6) in found


def test_without_an_environment_and_with_a_server_outside_it_says_so(shop: Shop) -> None:
    checked = validate(component("pen"), SOURCE + "\n\nA = 1\n")
    assert checked.new.unlooked == "the domain has no environment yet"
    shop.astray("a")
    assert new(validate(component("far"), "server: near\n")) == []
    assert "in trials only" in validate(component("far"), "server: near\n").new.unlooked
    assert told(validate(component("far"), "server: a\ncommand: [rm]\n"))[0][0] == 2


def rows(document: object) -> Checked:
    return validate(component("desk"), json.dumps(document, indent=1), "rows")


def test_single_rows_take_the_place_of_those_of_their_keys(used: Shop) -> None:
    checked = rows({"notes": {"N1": {"text": "new"}, "N2": None, "N7": {"id": "N7", "text": ""}}})
    assert isinstance(checked.body, Recordset)
    found = sorted(checked.body.tables["notes"], key=lambda row: str(row["id"]))
    assert found == [
        {"id": "N0", "text": ""},
        {"id": "N1", "text": "new"},
        {"id": "N7", "text": ""},
    ]
    assert (checked.is_changed, new(checked)) == (True, [])
    assert not rows({"notes": {"N1": {"text": ""}}}).is_changed


def test_a_row_against_its_schema_is_a_new_finding_at_its_line(used: Shop) -> None:
    assert new(rows({"notes": {"N1": {"text": 5}}})) == [("row-invalid", 3)]
    whole = text("desk").replace('{"id": "N2", "text": ""}', '{"id": "N2", "text": 5}')
    assert new(validate(component("desk"), whole)) == [("row-invalid", whole.count("\n"))]


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ([], "rows are an object"),
        ({"notes": []}, "rows are an object"),
        ({"letters": {}}, "no table 'letters'"),
        ({"notes": {"N9": None}}, "no row 'N9' to take out"),
        ({"notes": {"N1": 5}}, "a row is an object"),
        ({"notes": {"N1": {"id": "N2"}}}, "says id 'N2', and stands at 'N1'"),
    ],
)
def test_rows_that_cannot_be_are_told(used: Shop, document: object, why: str) -> None:
    assert why in told(rows(document))[0][1]
    assert "single rows are of records sets" in told(validate(component("pen"), "{}", "rows"))[0][1]


def test_the_queries_do_not_grow_with_the_environments(used: Shop) -> None:
    counts = []
    for number in range(2):
        with CaptureQueriesContext(connection) as asked:
            validate(component("policy"), f"text: Be brief {number}.\n")
        counts.append(len(asked))
        for extra in range(4):
            used.sound(f"z-{number}-{extra}")
    assert counts[0] >= counts[1]


def test_an_outside_server_stands_in_yaml(shop: Shop) -> None:
    shop.component("far", OutsideBody(server="far"))
    assert text("far") == "server: far\n"
