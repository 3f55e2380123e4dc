"""The operators of the development half: where they are applied, and what they leave as it was."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.faults.mutation import Operator, Original, Site, at, operators
from benchmarks.operators.development.servers import plan_steps
from worlds.body import Body
from worlds.cel_tree import parse
from worlds.domain import Domain
from worlds.intent import Intent
from worlds.library import read
from worlds.recordset import Recordset
from worlds.rule import Rule

LIBRARY = Path(__file__).parents[4] / "library"
DOMAINS = ("meetings", "helpdesk")
OPERATORS = operators("development")
KINDS = {"domain", "intent", "rule", "records", "toolserver"}
FEWER = {
    ("keywords-reordered", "helpdesk"): "three calls there have two arguments by name",
}
BODIES: Mapping[str, type[Body]] = {
    "domain": Domain, "intent": Intent, "rule": Rule, "records": Recordset,
}  # fmt: skip


@cache
def original(domain: str) -> Original:
    """A domain of the library, read once."""
    return Original(read(LIBRARY, [domain])[0])


@cache
def pristine(domain: str) -> Original:
    """The same read a second time, to see that nobody changed the first in place."""
    return Original(read(LIBRARY, [domain])[0])


def held(found: Original, operator: Operator, site: Site) -> Any:
    """The content of a site's component as it is in the library."""
    shelves: Mapping[str, Mapping[str, Any]] = {
        "domain": {"domain": found.domain},
        "intent": found.intents,
        "rule": found.rules,
        "records": found.records,
        "toolserver": found.sources,
    }
    return shelves[operator.kind][site.component]


def changed(name: str, domain: str, place: Callable[[Site], bool]) -> tuple[Any, Any]:
    """What stands in the library, and what an operator makes of it at the first such site."""
    found = original(domain)
    site = next(each for each in OPERATORS[name].sites(found) if place(each))
    return held(found, OPERATORS[name], site), site.changed()


def test_there_are_enough_operators_of_every_kind() -> None:
    rewrites = [each for each in OPERATORS.values() if each.is_rewrite]
    faults = [each for each in OPERATORS.values() if not each.is_rewrite]
    assert len(rewrites) >= 20
    assert len(faults) >= 20
    assert {each.kind for each in rewrites} == {each.kind for each in faults} == KINDS


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_changes_what_it_is_applied_to_and_nothing_else(name: str, domain: str) -> None:
    operator, found = OPERATORS[name], original(domain)
    drawn = operator.drawn(found)
    assert len(drawn) == 4 or (name, domain) in FEWER
    again = [(each.component, each.place) for each in operator.drawn(found)]
    assert [(each.component, each.place) for each in drawn] == again
    for site in drawn:
        before, after = held(found, operator, site), site.changed()
        assert after != before
        assert before == held(pristine(domain), operator, site)
        read_again(operator, after, before)


def read_again(operator: Operator, after: Any, before: Any) -> None:
    """Fails where a changed component cannot be read, or has the digest that it had."""
    if operator.kind == "toolserver":
        assert ast.parse(after)
    else:
        if operator.kind == "records":
            after, before = differing(after, before), differing(before, after)
        body = BODIES[operator.kind]
        assert body.parse(after).digest != body.parse(before).digest


def differing(one: Any, other: Any) -> Any:
    """A records set with those tables alone in which another one differs: thousands of rows are read slowly."""
    tables = {
        name: rows for name, rows in one["tables"].items() if rows is not other["tables"][name]
    }
    return {"tables": tables}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", OPERATORS)
def test_every_site_has_a_place_of_its_own(name: str, domain: str) -> None:
    sites = list(OPERATORS[name].sites(original(domain)))
    assert len({(each.component, each.place) for each in sites}) == len(sites)


@pytest.mark.parametrize("domain", DOMAINS)
def test_what_is_touched_is_there(domain: str) -> None:
    found = original(domain)
    tools = {step["call"] for step in plan_steps(found) if "call" in step}
    for operator in OPERATORS.values():
        for site in operator.drawn(found):
            if operator.kind == "records" and site.touches:
                table, key = site.touches.split("/")
                assert found.place_of(site.component, table, key)
            elif operator.kind == "intent":
                assert site.touches == site.component
            elif operator.kind == "toolserver":
                assert site.touches in tools
            else:
                assert site.touches in {"", *tools, *found.intents}


@pytest.mark.parametrize("domain", DOMAINS)
def test_conditions_written_another_way_can_be_read(domain: str) -> None:
    found = original(domain)
    for site in OPERATORS["condition-named"].drawn(found):
        document = site.changed()
        texts = [slot.get("where", "true") for slot in document["slots"].values()]
        for text in [*texts, *document["goal"].get("require", [])]:
            parse(text)


def test_a_bound_of_a_clause_is_moved_by_one() -> None:
    _, after = changed(
        "clause-off-by-one", "helpdesk", lambda site: "[seven-days@0 number]" in site.place
    )
    (clause,) = [each for each in after["clauses"] if each["id"] == "seven-days"]
    assert clause["require"].startswith("minutes_between(before.solved, now()) <= 10081.0 && ")


def test_a_write_is_told_and_not_saved() -> None:
    before, after = changed(
        "write-dropped", "helpdesk", lambda site: "unlock_account" in site.place
    )
    assert '_view(db.update("accounts", account_id, fields))' in before
    assert '_view({**db.get("accounts", account_id), **fields})' in after


def test_a_write_of_an_outside_server_is_left_out_too() -> None:
    before, after = changed(
        "write-dropped",
        "meetings",
        lambda site: site.component.endswith("/series.py") and site.place.startswith("end "),
    )
    assert before.count("self.store.update(") == after.count("self.store.update(") + 1


def test_a_row_is_written_twice_under_another_key() -> None:
    _, after = changed("write-doubled", "meetings", lambda site: site.place.startswith("register_"))
    assert (
        'db.insert("visits", {**db.insert("visits", row), "visit_id": db.next_id("visits", "V")})'
        in after
    )


def test_a_refusal_that_is_removed_leaves_the_rest_byte_for_byte() -> None:
    before, after = changed("guard-removed", "helpdesk", lambda site: site.component == "directory")
    removed = [line for line in before.split("\n") if line not in after.split("\n")]
    assert len(before) - len(after) == sum(len(line) + 1 for line in removed)
    assert "raise ValueError" in "".join(removed)


def test_a_parameter_has_another_name_wherever_it_stands() -> None:
    _, after = changed(
        "parameter-renamed", "helpdesk", lambda site: site.place == "add_to_group(group_id)"
    )
    tool = after[after.index("def add_to_group") :].partition("def _for_ticket")[0]
    assert "groupId: the group, from list_groups." in tool
    assert 'raise ValueError(f"GROUP-01: there is no group {groupId!r}' in tool
    assert tool.count("group_id") == 0


def test_a_row_that_others_refer_to_is_gone() -> None:
    before, after = changed(
        "row-deleted", "helpdesk", lambda site: site.place == "tables.people[P06]"
    )
    gone = [row for row in before["tables"]["people"] if row not in after["tables"]["people"]]
    assert [row["person_id"] for row in gone] == ["P06"]
    assert before["tables"]["tickets"] is after["tables"]["tickets"]


def test_a_quote_no_longer_stands_in_its_text() -> None:
    for domain in DOMAINS:
        for site in OPERATORS["quote-left-behind"].sites(original(domain)):
            rule = site.changed()
            text = " ".join(rule["text"].split())
            assert any(clause["quote"] not in text for clause in rule["clauses"])


@pytest.mark.parametrize("name", ["rule-text-reworded", "rule-sentence-added"])
def test_quotes_stay_where_a_text_is_only_reworded(name: str) -> None:
    for domain in DOMAINS:
        for site in OPERATORS[name].sites(original(domain)):
            rule = site.changed()
            text = " ".join(rule["text"].split())
            quotes = [clause["quote"] for clause in rule["clauses"]]
            assert all(quote in text for quote in [*quotes, *rule.get("judgement", [])])


def test_a_clause_touches_the_intent_that_does_what_it_is_about() -> None:
    sites = OPERATORS["clause-negated"].sites(original("helpdesk"))
    (closed,) = {each.touches for each in sites if "[follow-up]" in each.place}
    assert closed == "follow-up"


def test_the_user_answers_with_the_value_of_another_row() -> None:
    _, after = changed(
        "script-answers-wrongly", "helpdesk", lambda site: site.component == "hand-over"
    )
    assert set(after["user"]["knows"].values()) == {"{me.email}"}


def test_results_are_renamed_wherever_a_plan_uses_them() -> None:
    for domain in DOMAINS:
        for site in OPERATORS["results-renamed"].sites(original(domain)):
            _, name, old = site.place.replace(".", " ").split()
            steps = at(site.changed(), ("plans", name))
            assert f"{{{old}." not in str(steps)
            assert f"{{{old}[" not in str(steps)


def test_a_schema_that_is_narrowed_refuses_a_sound_row() -> None:
    before, after = changed(
        "schema-narrowed", "meetings", lambda site: site.place == "tables.rooms.capacity"
    )
    seats = after["tables"]["rooms"]["schema"]["properties"]["capacity"]["maximum"]
    rows = [
        row
        for records in original("meetings").records.values()
        for row in records["tables"]["rooms"]
    ]
    assert max(row["capacity"] for row in rows) == seats + 1
    assert "maximum" not in before["tables"]["rooms"]["schema"]["properties"]["capacity"]
