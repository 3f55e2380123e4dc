"""What may stand in a suspect's place."""

from __future__ import annotations

from typing import Any

import pytest

from components.bundles import manifests
from components.models import Component, Environment, Part
from tests.triage.shop import SOURCE, Shop
from triage.hypotheses import Hypothesis, results_of
from triage.models import Round
from triage.proven import proven
from triage.rounds import create_round
from triage.standins import Sources, Standin, standins
from triage.work import work_off
from worlds.intent import Intent
from worlds.recordset import Recordset
from worlds.rule import Rule
from worlds.toolserver_body import OutsideBody, ToolServerBody

FORGETS = SOURCE.replace(
    'return db.update("notes", note_id, {"text": text})', 'return {"id": note_id, "text": text}'
)
ROWS = [{"id": f"N{number}", "text": ""} for number in range(3)]


def run_round() -> Round:
    made = create_round(None, queue=False)
    list(work_off(list(made.checks.values_list("pk", flat=True)), "here"))
    return made


def given(*environments: Environment) -> list[Hypothesis]:
    made = manifests(Environment.objects.all())
    return [Hypothesis(each, made[each.pk]) for each in environments]


def of(component: Component, *environments: Environment, **sources: bool) -> list[Standin]:
    return standins(component, given(*environments), Sources(**sources))


def swapped(made: Environment, old: Component, new: Component) -> Environment:
    Part.objects.filter(environment=made, component=old).update(component=new)
    return made


def statuses(standin: Standin, *environments: Environment) -> list[str]:
    asker = Round.objects.create(recipe="x")
    shown = results_of(standin.hypotheses(given(*environments)), asker)
    return [each.result.status if each.result else each.error for each in shown]


def test_an_earlier_version_stands_in_where_environments_were_solvable_with_it(shop: Shop) -> None:
    one, two = shop.sound("a"), shop.sound("b")
    first = run_round()
    shop.component("pen", ToolServerBody(source=f"{SOURCE}\n# never checked\n"))
    shop.component("pen", ToolServerBody(source=FORGETS))
    run_round()
    (found,) = of(shop.server, one, two)
    assert (found.sort, found.is_neutral) == ("parent", False)
    assert found.says == f"pen v1, with which 2 environments were solvable in round {first.pk}"
    assert found.version == shop.server.versions.get(number=1)
    assert statuses(found, one, two) == ["solvable", "solvable"]
    assert of(shop.server, one, two, parents=False) == []


def test_the_version_that_is_suspected_and_later_ones_are_no_parents(shop: Shop) -> None:
    one = shop.sound("a")
    run_round()
    before = given(one)
    shop.component("pen", ToolServerBody(source=f"{SOURCE}\n# later\n"))
    run_round()
    assert standins(shop.server, before) == []
    shop.component("pen", ToolServerBody(source=SOURCE))  # restored
    assert [each.version.number for each in of(shop.server, one) if each.version] == [2]


def test_a_tool_server_with_the_same_tools_stands_in_for_another(shop: Shop) -> None:
    quill = shop.component("quill", ToolServerBody(source=f"{SOURCE}\n# quill\n"))
    dumb = shop.component(
        "dumb", ToolServerBody(source="def look(note_id: str) -> dict:\n    return {}\n")
    )
    shop.component("far", OutsideBody(server="far"))
    swapped(shop.sound("b"), shop.server, quill)
    swapped(shop.sound("c"), shop.server, dumb)
    shop.component("pen", ToolServerBody(source=FORGETS))
    mine = shop.sound("a")
    made = run_round()
    (found,) = of(shop.server, mine)
    assert (found.sort, found.slug) == ("sibling", "quill")
    assert found.says == (
        f"tool server quill v1 in place of pen, with which one environment was solvable in round {made.pk}"
    )
    assert [ref.slug for ref in found.manifests[mine.pk].toolservers] == ["quill"]
    assert statuses(found, mine) == ["solvable"]
    assert of(shop.server, mine, siblings=False) == []


def test_other_records_stand_in_where_the_slots_find_rows(shop: Shop) -> None:
    bare = shop.component(
        "bare", Recordset.parse({"tables": {"notes": [{"id": "X", "text": "x"}]}})
    )
    full = shop.component("full", Recordset.parse({"tables": {"notes": [*ROWS, {"id": "N7"}]}}))
    swapped(shop.sound("b"), shop.records, full)
    intent = shop.component("note", Intent.parse({
        "instruction": "Write it.", "slots": {"note": {"table": "notes", "match": {"text": ""}}},
        "goal": {"outcome": "done", "matches_plan": True},
        "plans": {"default": [
            {"call": "write", "args": {"note_id": "{note.id}", "text": "b"}}, {"finish": {}},
        ]},
    }))  # fmt: skip
    run_round()
    mine = Environment.objects.create(domain=shop.domain, slug="mine")
    for each in (intent, bare, shop.server):
        Part.objects.create(environment=mine, component=each)
    (found,) = of(bare, mine)
    assert (found.sort, found.slug) == ("other-records", "full")
    pinned = found.manifests[mine.pk].pin
    assert pinned is not None
    assert pinned.binding.keys() == {"note"}
    assert pinned.effect
    assert statuses(found, mine) == ["solvable"]
    assert of(shop.records, mine) == []  # it has no part in it


def test_records_are_edited_where_a_value_is_not_as_the_schema_says(shop: Shop) -> None:
    rows = [*ROWS, {"id": "N8", "text": "10"}, {"id": "N9", "text": 9}]
    shop.component("desk", Recordset.parse({"tables": {"notes": rows}}))
    mine = shop.sound("a")
    (found,) = of(shop.records, mine)
    assert (found.sort, found.says) == ("minimal-edit", "desk with notes/N9#text 9 → '9'")
    assert found.version is None
    assert found.bodies[("records", "desk")] == found.manifests[mine.pk].records.body
    assert statuses(found, mine) == ["solvable"]


def test_an_intent_is_edited_where_its_plan_misspells_an_argument(shop: Shop) -> None:
    args: dict[str, Any] = {"noteid": "N1", "text": "a"}
    plan: list[dict[str, Any]] = [{"call": "write", "args": args}, {"finish": {}}]
    mine = shop.environment("a", plan, ["get('notes', 'N1').text == 'a'"])
    intent = Component.objects.get(slug="a")
    edit = of(intent, mine)[0]
    assert (edit.sort, edit.says) == ("minimal-edit", "a with write[0].noteid → note_id")
    assert statuses(edit, mine) == ["solvable"]


def test_a_goal_taken_from_the_plan_is_neutral_and_there_only_where_the_plan_does_something(
    shop: Shop,
) -> None:
    write = {"call": "write", "args": {"note_id": "N1", "text": "a"}}
    wrong = shop.environment("a", [write, {"finish": {}}], ["get('notes', 'N1').text == 'b'"])
    (found,) = of(Component.objects.get(slug="a"), wrong)
    assert found.is_neutral
    assert found.says == "a with what its plan leads to as the goal"
    assert statuses(found, wrong) == ["solvable"]
    idle = shop.environment("i", [{"finish": {}}], ["get('notes', 'N1').text == 'b'"])
    assert of(Component.objects.get(slug="i"), idle) == []


def test_a_rule_is_taken_away_as_a_neutral_one(shop: Shop) -> None:
    clause = {"id": "c", "quote": "No writing.", "on": "write", "require": "false"}
    rule = shop.component("strict", Rule.parse({"text": "No writing.", "clauses": [clause]}))
    mine = shop.sound("a")
    Part.objects.create(environment=mine, component=rule)
    (found,) = of(rule, mine)
    assert (found.is_neutral, found.says, found.bodies) == (True, "no rule strict", {})
    assert found.manifests[mine.pk].rules == ()
    assert statuses(found, mine) == ["solvable"]


def test_a_contract_has_only_earlier_versions(shop: Shop) -> None:
    mine = shop.sound("a")
    run_round()
    contract = Component.objects.get(kind="domain")
    contract.slug = "domain"
    contract.save()
    body = contract.versions.get().body.parsed()
    shop.component("domain", body.model_copy(update={"glossary": {"x": {"a": "b"}}}))
    (found,) = of(contract, mine)
    assert [found.sort, *found.bodies] == ["parent", ("domain", "domain")]
    assert statuses(found, mine) == ["solvable"]


@pytest.mark.parametrize("slug", ["pen", "a", "desk"])
def test_a_body_is_proven_by_solvable_environments_of_the_newest_round(
    shop: Shop, slug: str
) -> None:
    shop.sound("a")
    shop.refused("b")
    component = Component.objects.get(slug=slug)
    assert component.current is not None
    assert proven(component, component.current.body_id) is None
    run_round()
    newest = run_round()
    found = proven(component, component.current.body_id)
    assert found is not None
    assert (found.environments, found.round) == (1, newest.pk)
    assert proven(Component.objects.get(slug="b"), component.current.body_id) is None
