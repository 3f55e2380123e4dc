"""Operators of the held-out half: that they find sites, and what some of them do."""

from __future__ import annotations

import ast
import functools
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.faults.mutation import SITES, Operator, Original, Site, operators
from benchmarks.operators.heldout.conditions import polarity, stronger, weaker
from worlds.domain import Domain
from worlds.intent import Intent
from worlds.library import read
from worlds.recordset import Recordset
from worlds.rule import Rule

LIBRARY = Path(__file__).parents[4] / "library"
DOMAINS = ("expenses", "warehouse", "clinic")
OPERATORS = operators("heldout")

FEWER = {
    ("expenses", "unparsed"): "it has three files",
    ("warehouse", "unparsed"): "it has three files",
    ("warehouse", "clause-split"): "few of its clauses ask for two things",
}


@functools.cache
def domain(name: str) -> Original:
    """A domain of the library, read once."""
    return Original(read(LIBRARY, [name])[0])


def content_of(original: Original, operator: Operator, site: Site) -> Any:
    """What a component is before it is changed."""
    if operator.kind == "domain":
        return original.domain
    held: Any = {
        "intent": original.intents,
        "rule": original.rules,
        "records": original.records,
        "toolserver": original.sources,
    }[operator.kind]
    return held[site.component]


def can_be_read(operator: Operator, content: Any) -> None:
    """Raise where a component of this kind cannot be read."""
    if operator.kind == "toolserver":
        ast.parse(content)
    else:
        kinds: Any = {"domain": Domain, "intent": Intent, "rule": Rule, "records": Recordset}
        kinds[operator.kind].parse(content)


def site(name: str, operator: str, component: str, place: str) -> Any:
    """What a component becomes at the site of this place."""
    sites = OPERATORS[operator].sites(domain(name))
    return next(s for s in sites if s.component == component and s.place == place).changed()


def test_there_are_enough_operators() -> None:
    rewrites = [each for each in OPERATORS.values() if each.is_rewrite]
    assert len(rewrites) >= 20
    assert len(OPERATORS) - len(rewrites) >= 20


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda each: each.name)
def test_each_operator_changes_a_domain_at_four_places(name: str, operator: Operator) -> None:
    original = domain(name)
    drawn = operator.drawn(original)
    assert (len(drawn) < SITES) == ((name, operator.name) in FEWER)
    assert [(s.component, s.place) for s in operator.drawn(original)] == [
        (s.component, s.place) for s in drawn
    ]
    assert len({(s.component, s.place) for s in drawn}) == len(drawn)
    for each in drawn:
        before = content_of(original, operator, each)
        said = json.dumps(before)
        after = each.changed()
        can_be_read(operator, after)
        assert json.dumps(after) != said
        assert json.dumps(before) == said


def test_conditions_are_made_weaker_and_stronger_by_where_they_stand() -> None:
    text = "a <= 5 && !(b > 3 || c)"
    assert "a <= 6 && !(b > 3 || c)" in [each.text for each in weaker(text)]
    assert "a <= 5 && !(c)" in [each.text for each in weaker(text)]
    assert "a <= 5 && !(b > 2 || c)" in [each.text for each in stronger(text)]


@pytest.mark.parametrize(
    ("text", "part", "holds"),
    [
        ("a && b", "b", True),
        ("x.exists(l, l.a && b)", "b", True),
        ("!x.all(l, l.a && b)", "b", False),
        ("(a == b) == c", "a", None),
        ("a ? b : c", "b", None),
        ("x.filter(l, b).size() > 0", "b", None),
    ],
)
def test_how_a_part_bears_on_a_condition(text: str, part: str, holds: bool | None) -> None:
    assert polarity(text, text.index(part)) is holds


def test_a_bound_is_made_easier() -> None:
    rule = domain("clinic").rules["booking"]
    index = next(i for i, each in enumerate(rule["clauses"]) if each["id"] == "urgent-soon")
    new = site("clinic", "clause-loosened", "booking", "clauses.urgent-soon.require: bound at 37")
    assert rule["clauses"][index]["require"].endswith("<= 1")
    assert new["clauses"][index]["require"].endswith("<= 2")


def test_a_refusal_comes_after_the_write() -> None:
    sites = OPERATORS["effects-out-of-order"].sites(domain("warehouse"))
    late = next(s for s in sites if s.component == "wms" and s.place.startswith("block_bin"))
    lines = late.changed().splitlines()
    start = next(
        i for i, line in enumerate(lines) if "db.update" in line and "block_reason" in line
    )
    assert lines[start].strip().startswith("written = ")
    assert any("raise ValueError" in line for line in lines[start : start + 4])


def test_sql_is_a_place_for_faults_too() -> None:
    for operator in ("filter-lost", "randomness", "write-to-wrong-row", "wrong-constant"):
        sites = list(OPERATORS[operator].sites(domain("clinic")))
        assert any("SELECT" in s.changed() for s in sites if s.component.startswith("frontdesk/"))
    wide = next(iter(OPERATORS["write-to-wrong-row"].sites(domain("clinic"))))
    assert "patient_id = (SELECT patient_id FROM appointments" in wide.changed()
