"""docs/library.md holds a domain that works, and says every key that files may have and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic.fields import FieldInfo

from envcurate.home import BASE_DIR
from worlds import clauses
from worlds.__main__ import main
from worlds.about import About
from worlds.body import Part
from worlds.cel_functions import BUILT_IN, IN_SCRIPTS, ON_RECORDS, PURE
from worlds.domain import Domain
from worlds.environments import EnvironmentsFile
from worlds.intent import Answer, Finish, Goal, Intent
from worlds.prelude import STUBS
from worlds.recordset import Recordset
from worlds.rule import Clause, Rule
from worlds.toolserver_body import OutsideBody

TEXT = (BASE_DIR / "docs" / "library.md").read_text()
FILE = re.compile(r"^`(lending/[^`]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
UNSAID = {"patch"}
"""Keys that a body has and no file may say."""
MODELS: dict[str, type[Part]] = {
    "about": About,
    "domain.yaml": Domain,
    "intents/SLUG.yaml": Intent,
    "rules/SLUG.yaml": Rule,
    "records/SLUG.json": Recordset,
    "toolservers/SLUG.yaml": OutsideBody,
    "environments.yaml": EnvironmentsFile,
}


def table(section: str, head: str) -> list[list[str]]:
    """The cells of the first table of a section of the reference whose header row begins with `head`."""
    part = TEXT.split(f"\n### {section}\n", 1)[1].split("\n### ")[0]
    lines = part.split(f"\n| {head} |", 1)[1].splitlines()[2:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def keys(model: type[Part], before: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Each key of a model's files that holds no keys of ours itself, as the page writes it."""
    for name, field in model.model_fields.items():
        key = f"{before}{field.alias or name}"
        inner = part_of(field.annotation)
        if inner is None:
            yield key, field
        else:
            steps, found = inner
            yield from keys(found, f"{key}{steps}.")


def part_of(annotation: Any, steps: str = "") -> tuple[str, type[Part]] | None:
    """The model inside an annotation and the way there: `dict[str, list[Line]]` → (".NAME[]", Line)."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return steps, annotation
    origin = getattr(annotation, "__origin__", None)
    step = {dict: ".NAME", list: "[]"}.get(origin, "") if origin else ""
    found = (part_of(each, steps + step) for each in get_args(annotation))
    return next(filter(None, found), None)


@pytest.fixture
def lending(tmp_path: Path) -> Path:
    for name, text in FILE.findall(TEXT):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "lending"


def test_the_domain_on_the_page_is_sound(lending: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(lending)]) == 0
    said = capsys.readouterr().out.strip()
    assert said == "1 environment: 1 solvable, 0 broken, 0 unproven"
    assert f"`{said}`" in TEXT


def test_a_probe_of_the_domain_on_the_page_finds_nothing(
    lending: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe", str(lending)]) == 0
    (said,) = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"1 writing tool, \d+ calls: 0 findings", said)
    assert "`python -m worlds probe lending` ends with `0 findings`" in TEXT


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        ("toolservers/desk.py", '    return db.update("books"', "    #", "plan-misses-goal"),
        ("records/desk.json", '"lent_to": "M1"', '"lent_to": "M9"', "reference-dangling"),
    ],
)
def test_the_mistakes_on_the_page_are_found_as_it_says(
    lending: Path, capsys: pytest.CaptureFixture[str], name: str, old: str, new: str, code: str
) -> None:
    path = lending / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert main(["check", str(lending)]) == 1
    assert f"blocking {code}: " in capsys.readouterr().out
    assert f"`{code}`" in TEXT


@pytest.mark.parametrize("section", MODELS)
def test_the_keys_of_a_file_are_those_of_its_model(section: str) -> None:
    said = [names(row[0])[0] for row in table(section, "key")]
    told = [re.sub(r"(\.NAME)+$", "", key) for key in said]
    known = {key for key, _ in keys(MODELS[section])} - UNSAID
    assert sorted(told) == sorted(known)


@pytest.mark.parametrize("section", MODELS)
def test_what_must_be_given_is_in_italics_and_nothing_else(section: str) -> None:
    fields = dict(keys(MODELS[section]))
    for key, _, form in table(section, "key"):
        name = re.sub(r"(\.NAME)+$", "", names(key)[0])
        is_italic = form.startswith("*") and form.endswith("*")
        required = fields[name].is_required()
        assert (is_italic, name) == (required, name)


@pytest.mark.parametrize(
    ("section", "key", "model", "field"),
    [
        ("about", "authority", About, "authority"),
        ("intents/SLUG.yaml", "goal.outcome", Goal, "outcome"),
        ("intents/SLUG.yaml", "goal.answer.NAME.type", Answer, "type"),
        ("intents/SLUG.yaml", "plans.NAME[].finish.outcome", Finish, "outcome"),
        ("rules/SLUG.yaml", "clauses[].on", Clause, "on"),
        ("rules/SLUG.yaml", "clauses[].enforce", Clause, "enforce"),
    ],
)
def test_the_choices_of_a_key_are_all_there(
    section: str, key: str, model: type[Part], field: str
) -> None:
    form = next(row[2] for row in table(section, "key") if names(row[0]) == [key])
    schema = model.model_json_schema()["properties"][field]
    choices = schema.get("enum") or schema["anyOf"][0]["enum"]
    assert sorted(names(form)) == sorted(choices)


def test_what_clauses_see_is_what_they_are_given() -> None:
    said = {names(on)[0]: names(sees) for on, _, sees in table("rules/SLUG.yaml", "`on`")}
    seen = {on: [name for name in sees if "." not in name] for on, sees in said.items()}
    assert seen == {on: list(given) for on, given in clauses._NAMES.items()}
    always = TEXT.split("\nAll see ", 1)[1].split("; none", 1)[0]
    assert set(clauses._ALWAYS) <= set(names(always))


def test_the_functions_of_a_script_are_those_that_there_are() -> None:
    rows = table("intents/SLUG.yaml", "function")
    assert [names(row[0])[0].partition("(")[0] for row in rows] == list(IN_SCRIPTS)


def test_what_tools_may_call_is_what_they_are_given() -> None:
    said = [name for row in table("toolservers/SLUG.py", "name") for name in names(row[0])]
    there = set()
    for module, stub in STUBS.items():
        for name, parameters in re.findall(
            r"^def (\w+)\((.*?)\) ->", stub, re.MULTILINE | re.DOTALL
        ):
            words = [
                each.partition(":")[0].strip() for each in re.split(r",(?![^\[]*\])", parameters)
            ]
            full = name if module == name else f"{module}.{name}"
            there.add(f"{full}({', '.join(filter(None, words))})")
    assert set(said) == there


def test_the_functions_of_conditions_are_all_there_and_no_others() -> None:
    listed = {
        name.partition("(")[0]
        for row in table("Functions of conditions", "function")
        for name in names(row[0])
    }
    assert listed == {*ON_RECORDS, *PURE}
    told = TEXT.split("\n### Functions of conditions\n", 1)[1]
    assert [name for name in BUILT_IN if name not in re.findall(r"\w+", told)] == []
